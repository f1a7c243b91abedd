@_spi(Baton) import BatonSimulation
import Testing

@Suite("Simulation", .timeLimit(.minutes(60)))
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

    /// A few seeds of the first six hundred that find each fault; "scripts/simulate --fault NAME" finds others.
    private static let finders: [Fault: [UInt64]] = [
        .dropOutbox: [5, 12, 22, 37],
        .acceptStaleToken: [254, 427, 471, 563],
        .acknowledgeBeforeCommit: [2, 8, 20, 141],
        .tearTransaction: [1, 2],
        .forgetRecall: [4, 6, 9, 19],
        .keepStaleAttempts: [41, 60, 201, 219],
        .leaveChildren: [23, 60, 76, 77],
        .failWhatCannotStart: [8, 12, 22],
        .freeSlotEarly: [161, 170, 196, 216],
        .keepEpoch: [1, 4, 5],
        .keepIncarnation: [14, 17, 22],
        .forgetQueues: [1, 5, 13, 22],
        .forgetTotals: [1, 2, 3, 4],
        .forgetDrains: [18, 28, 29],
        .forgetHolds: [76, 82, 103, 104],
        .trustClock: [100, 135, 160, 175],
        .forgetKeys: [19, 29, 61, 81],
        .skipReconciliation: [247, 272, 299, 584],
        .forgetWorkers: [20, 99, 153, 247],
        .loseEarly: [109, 130, 168, 174],
        .repeatEvents: [1, 2],
        .endWaitsEarly: [1, 5, 7, 10],
    ]

    @Test("The simulation finds each fault that is put into the machines", arguments: Fault.allCases)
    func findsFault(_ fault: Fault) {
        let seeds = Self.finders[fault] ?? []
        let found = seeds.contains { !World(seed: $0, faults: [fault]).run().violations.isEmpty }
        #expect(found, "none of the seeds \(seeds) finds \(fault.rawValue) any more; look for others")
    }
}
