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
        .dropOutbox: [5, 22],
        .acceptStaleToken: [53, 111, 148, 219],
        .acknowledgeBeforeCommit: [1, 13, 19, 20],
        .tearTransaction: [1, 2],
        .forgetRecall: [4, 6, 19],
        .keepStaleAttempts: [60, 201, 219],
        .leaveChildren: [39, 43, 58, 125],
        .failWhatCannotStart: [12, 22],
        .freeSlotEarly: [161, 208, 240, 390],
        .keepEpoch: [1, 4, 5],
        .keepIncarnation: [17, 34, 41, 54],
        .forgetQueues: [1, 13, 22],
        .forgetTotals: [1, 4],
        .forgetDrains: [18, 29],
        .forgetHolds: [19, 54, 76, 281],
        .trustClock: [100, 160],
        .forgetKeys: [24, 60, 69, 90],
        .skipReconciliation: [272, 285, 363, 390],
        .forgetWorkers: [285, 432, 474, 576],
        .loseEarly: [130, 168],
        .repeatEvents: [1, 2],
        .endWaitsEarly: [1, 5, 7, 10],
        .ignoreTally: [1, 5, 15],
        .mistakeKeys: [2, 4, 7],
    ]

    @Test("The simulation finds each fault that is put into the machines", arguments: Fault.allCases)
    func findsFault(_ fault: Fault) {
        let seeds = Self.finders[fault] ?? []
        let found = seeds.contains { !World(seed: $0, faults: [fault]).run().violations.isEmpty }
        #expect(found, "none of the seeds \(seeds) finds \(fault.rawValue) any more; look for others")
    }
}
