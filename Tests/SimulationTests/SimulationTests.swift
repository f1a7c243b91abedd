@_spi(Baton) import BatonSimulation
import Testing

@Suite("Simulation", .timeLimit(.minutes(15)))
struct SimulationTests {
    @Test("The simulation finds no violation in its first 20 seeds")
    func firstSeeds() {
        for seed in UInt64(1)...20 {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test("A seed of the simulation gives the same run each time")
    func replay() {
        for seed in UInt64(1)...5 {
            let first = World(seed: seed).run()
            let second = World(seed: seed).run()
            #expect(first.digest == second.digest && first.attempts == second.attempts, "seed \(seed)")
        }
    }

    /// A few seeds of the first four hundred that find each fault; "scripts/simulate --fault NAME" finds others.
    private static let finders: [Fault: [UInt64]] = [
        .dropOutbox: [14, 20, 36, 52],
        .acceptStaleToken: [188, 211, 327],
        .acknowledgeBeforeCommit: [14, 55, 65, 74],
        .tearTransaction: [1, 2],
        .forgetRecall: [5, 6, 7, 8],
        .keepStaleAttempts: [117, 420, 444, 463],
        .leaveChildren: [7, 37, 51, 53],
        .failWhatCannotStart: [6, 7, 9],
        .freeSlotEarly: [14, 36, 50, 93],
        .keepEpoch: [1, 2, 4],
        .keepIncarnation: [9, 11],
        .forgetQueues: [1, 4, 5, 9],
        .forgetHolds: [51, 111, 114, 159],
        .trustClock: [18, 24, 445],
        .forgetKeys: [5, 16, 26, 31, 63, 73, 104, 137],
        .skipReconciliation: [24, 59, 81],
        .forgetWorkers: [14, 59, 81],
        .loseEarly: [11, 29, 79],
        .repeatEvents: [1, 2],
        .endWaitsEarly: [2, 4, 5, 7],
    ]

    @Test("The simulation finds each fault that is put into the machines", arguments: Fault.allCases)
    func findsFault(_ fault: Fault) {
        let seeds = Self.finders[fault] ?? []
        let found = seeds.contains { !World(seed: $0, faults: [fault]).run().violations.isEmpty }
        #expect(found, "none of the seeds \(seeds) finds \(fault.rawValue) any more; look for others")
    }
}
