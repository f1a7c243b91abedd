@_spi(Baton) import BatonArguments
import Dispatch
import Foundation
@_spi(Baton) import BatonSimulation
import Synchronization

/// The command `simulate`: runs seeds on all cores, and prints the seeds with violations.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs coordinator and workers in a simulated world that fails as a seed says.",
        discussion: """
            Each seed is a run of its own: the real decisions of coordinator, recorder and workers, on a simulated clock, \
            network and disk. A seed that finds something is printed with what it found, and replays exactly.
            """,
        examples: [
            Example("simulate --seeds 100000", "Run a hundred thousand seeds"),
            Example("simulate --seeds 1 --from 4711 --trace", "Tell what happens in one"),
        ]
    )

    @Option(help: "How many seeds to run.")
    var seeds: Int = 2000

    @Option(help: "The first seed.")
    var from: UInt64 = 1

    @Option(
        help:
            "A fault to put into the machines, to see that it is found: \(Fault.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var fault: String?

    @Option(help: "Stop after so many seeds that found something.")
    var most: Int = 10

    @Flag(help: "Print what happens, line by line.")
    var trace = false

    func validate() throws {
        if seeds < 1 { throw ValidationError("--seeds has to be at least 1.") }
        if most < 1 { throw ValidationError("--most has to be at least 1.") }
        if let fault, Fault(rawValue: fault) == nil { throw ValidationError("There is no fault named '\(fault)'.") }
    }

    func run() async throws {
        let faults = Set(fault.flatMap { Fault(rawValue: $0) }.map { [$0] } ?? [])
        let start = ContinuousClock.now
        let tally = Mutex(Tally())
        let (seeds, from, most, trace) = (seeds, from, most, trace)
        let chunk = 16
        DispatchQueue.concurrentPerform(iterations: (seeds + chunk - 1) / chunk) { index in
            for offset in index * chunk..<min(seeds, (index + 1) * chunk) {
                if tally.withLock({ $0.failures.count >= most }) { return }
                let seed = from + UInt64(offset)
                let report = World(seed: seed, faults: faults, trace: trace ? { print($0) } : nil).run()
                let done = tally.withLock { $0.count(report, of: seed) }
                if Terminal.isStandardError, done % 256 == 0 || done == seeds { Self.show(done, of: seeds) }
            }
        }
        let result = tally.withLock { $0 }
        if Terminal.isStandardError { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        print(result.summary(took: ContinuousClock.now - start))
        if !result.failures.isEmpty { exit(1) }
    }

    private static func show(_ done: Int, of seeds: Int) {
        FileHandle.standardError.write(Data("\r\(done) of \(seeds) seeds".utf8))
    }
}
