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

    @Test("LI1 The simulation finds no violation in seeds whose operations take units of a limit that the queues share")
    func sharedLimits() {
        let seeds = (UInt64(1001)...1200).filter { World(seed: $0).takesUnits }.prefix(10)
        #expect(seeds.count == 10)
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test("SC1 The simulation finds no violation in seeds with a schedule, each of whose times has one job")
    func schedules() {
        let seeds = (UInt64(1001)...1200).filter { World(seed: $0).hasSchedule }.prefix(10)
        #expect(seeds.count == 10)
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test(
        "FI3 FI4 FI6 FI7 FI8 FI9 The simulation finds no violation in seeds with files, which are lost and made again"
    )
    func files() {
        let seeds = (UInt64(1001)...1200).filter { World(seed: $0).hasFiles }.prefix(12)
        #expect(seeds.count == 12)
        var reports: [Report] = []
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
            reports.append(report)
        }
        // A run in which nothing is lost proves little.
        #expect(reports.contains { $0.troubles[.diskLost] != nil })
        #expect(reports.contains { $0.troubles[.fileDamaged] != nil })
        #expect(reports.contains { $0.madeAgain > 0 })
    }

    @Test(
        "FI6 FI8 FI9 The simulation finds no violation in seeds whose files have several copies, which are made again after each loss"
    )
    func copies() {
        let seeds = (UInt64(1001)...1400).filter { World(seed: $0).hasCopies }.prefix(12)
        #expect(seeds.count == 12)
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test("D9 FI4 The simulation finds no violation in seeds whose workers lack room for files now and then")
    func room() {
        let seeds = (UInt64(2001)...2600).filter { World(seed: $0).lacksRoom }.prefix(12)
        #expect(seeds.count == 12)
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed): \(report.violations)")
        }
    }

    @Test("The simulation finds no violation in seeds whose workers meet coordinators that were replaced")
    func deposed() {
        let seeds = (UInt64(1001)...1400).filter { World(seed: $0).hasDeposed }.prefix(10)
        #expect(seeds.count == 10)
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test(
        "D5 D12 The simulation finds no violation in seeds with two coordinators, of which one takes over from the other"
    )
    func standby() {
        let seeds = Self.standbySeeds.prefix(200)
        #expect(seeds.count == 200)
        var troubles: [History.Trouble: Int] = [:]
        for seed in seeds {
            let report = World(seed: seed).run()
            #expect(report.violations.isEmpty, "seed \(seed): \(report.violations)")
            troubles.merge(report.troubles, uniquingKeysWith: +)
        }
        // Runs in which nothing happens to the leader prove little.
        #expect(troubles[.takeover, default: 0] >= 200)
        let kinds: [History.Trouble] = [
            .leaderKilled, .leaderStopped, .leaderCut, .serverCut, .serverPromoted, .sessionEnded, .commitLost,
            .commitsLost,
        ]
        for kind in kinds { #expect(troubles[kind, default: 0] > 0, "\(kind)") }
    }

    /// Seeds with two coordinators.
    private static let standbySeeds = (UInt64(1001)...5000).filter { World(seed: $0).hasStandby }

    @Test(
        "FI6 FI7 FI9 The simulation finds no violation in seeds in which operations of several jobs leave the same contents",
        arguments: [12_311, 17_647, 21_367, 23_655, 27_271, 47_967, 50_351] as [UInt64]
    )
    func sharedContents(seed: UInt64) {
        #expect(World(seed: seed).hasFiles)
        #expect(World(seed: seed).run().violations.isEmpty)
    }

    @Test(
        "FI3 FI6 The simulation finds no violation in seeds in which attempts wait for files that were made again with other bytes",
        arguments: [11_535, 17_879, 36_871, 50_247] as [UInt64]
    )
    func otherBytes(seed: UInt64) {
        #expect(World(seed: seed).hasFiles)
        #expect(World(seed: seed).run().violations.isEmpty)
    }

    @Test(
        "FI6 The simulation finds no violation in a seed in which a worker tells of a lost file that was made again meanwhile"
    )
    func lateNews() {
        #expect(World(seed: 42_583).run().violations.isEmpty)
    }

    @Test(
        "A seed of the simulation gives the same run each time",
        arguments: [1, 2, 3, 4, 5, 1001, 1007, 1009, 1015, 1017] as [UInt64]
    )
    func replay(_ seed: UInt64) {
        let first = World(seed: seed).run()
        let second = World(seed: seed).run()
        #expect(first.digest == second.digest && first.attempts == second.attempts)
    }

    /// A few seeds that find each fault, of the first six hundred if these can; "scripts/simulate --fault NAME" finds others.
    private static let finders: [Fault: [UInt64]] = [
        .dropOutbox: [5, 22],
        .acceptStaleToken: [99, 102, 182, 195],
        .acknowledgeBeforeCommit: [2, 5, 14, 92],
        .tearTransaction: [1, 2],
        .loseParts: [1, 2, 3],
        .forgetRecall: [4, 6, 19],
        .keepStaleAttempts: [104, 117, 129, 171],
        .leaveChildren: [15, 74, 84, 99],
        .failWhatCannotStart: [15, 23, 24],
        .freeSlotEarly: [53, 77, 200, 219],
        .keepEpoch: [1, 4, 5],
        .keepIncarnation: [17, 34, 41, 54],
        .forgetQueues: [1, 13, 22],
        // Seeds whose operations take units, of which most have no restart while enough of them are wanted.
        .forgetLimits: Array(stride(from: 1003, to: 1300, by: 8)),
        .forgetTotals: [1, 4],
        .forgetDrains: [18, 29],
        .forgetHolds: [31, 46, 51, 73],
        .trustClock: [1, 5, 61],
        .forgetKeys: [23, 35, 82, 103],
        .skipReconciliation: [42, 445, 645],
        .forgetWorkers: [5, 113, 157, 233],
        .loseEarly: [96, 146, 174, 200],
        .repeatEvents: [1, 2],
        .endWaitsEarly: [1, 5, 7, 10],
        .ignoreTally: [1, 5, 15],
        .mistakeKeys: [2, 4, 7],
        // Seeds whose operations leave files and need them.
        .startWithoutFiles: [1007, 1031, 1047, 1063],
        .forgetHolders: [1023, 1087, 1103, 1135, 1271, 1351],
        .keepLostHolder: [1007, 1063, 1071, 1079],
        .releaseNeeded: [1007, 1015, 1031, 1039],
        .rerunNeedlessly: [1039, 1047, 1055, 1079, 1095],
        .acceptDamaged: [1007, 1031, 1047, 1063],
        // Seeds whose workers meet coordinators that were replaced.
        .forgetRanks: Array(stride(from: 1001, to: 2200, by: 32)),
        // Seeds with two coordinators.
        .answerUnproven: Array(standbySeeds.prefix(20)),
        .proveByAnswer: Array(standbySeeds.prefix(100)),
        .obeyLowerEpoch: standbySeeds,
        .skipFence: Array(standbySeeds.prefix(100)),
        .repeatAmbiguousCommit: Array(standbySeeds.prefix(100)),
        .forgetWindow: standbySeeds,
        // Of the seeds with files, those in which operations want several copies.
        .forgetCopies: Array(stride(from: 1007, to: 1300, by: 16)),
    ]

    @Test("The simulation finds each fault that is put into the machines", arguments: Fault.allCases)
    func findsFault(_ fault: Fault) {
        let seeds = Self.finders[fault] ?? []
        let found = seeds.contains { !World(seed: $0, faults: [fault]).run().violations.isEmpty }
        #expect(found, "none of the seeds \(seeds) finds \(fault.rawValue) any more; look for others")
    }
}
