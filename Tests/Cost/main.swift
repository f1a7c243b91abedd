import Foundation

// Runs one scenario, so that a counter can count the instructions: see scripts/cost.
guard CommandLine.arguments.count == 2, let scenario = CostScenario(rawValue: CommandLine.arguments[1]) else {
    let names = CostScenario.allCases.map(\.rawValue).joined(separator: " ")
    print(CommandLine.arguments.count == 1 ? names : "There is no such scenario; there are: \(names)")
    exit(CommandLine.arguments.count == 1 ? 0 : 64)
}
try scenario.run()
print(CostScenario.operations)
