import Simulation
import Testing

@Suite("Simulation", .timeLimit(.minutes(5)))
struct SimulationTests {
    @Test("Nothing is found in the first seeds; scripts/test runs thousands of them in a faster build")
    func firstSeeds() {
        for seed in UInt64(1)...20 {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test("A seed gives the same run each time")
    func replay() {
        for seed in UInt64(1)...5 {
            let first = World(seed: seed).run()
            let second = World(seed: seed).run()
            #expect(first.digest == second.digest && first.attempts == second.attempts, "seed \(seed)")
        }
    }

    /// So many seeds at most are needed to find each fault: a few times as many as it took when this was written.
    @Test("A fault that is put into the machines is found", arguments: Fault.allCases)
    func findsFault(_ fault: Fault) {
        let most: UInt64 = 400
        let finder = (1...most).first { !World(seed: $0, faults: [fault]).run().violations.isEmpty }
        #expect(finder != nil, "\(most) seeds have not found \(fault.rawValue)")
    }
}
