@_spi(Baton) import BatonOperations

/// The result of a run.
package struct Report: Sendable {
    /// The violations, a sentence each; empty after a good run.
    package let violations: [String]
    /// The number of faults of each kind.
    package let troubles: [History.Trouble: Int]
    /// The number of started attempts.
    package let attempts: Int
    /// The number of attempts after the first of their operations.
    package let repeated: Int
    /// The number of attempts that made the files of a finished operation once more.
    package let madeAgain: Int
    /// The simulated time of the run.
    package let virtualTime: Duration
    /// A number that is equal for equal runs.
    package let digest: UInt64

    init(_ history: History, _ files: FileWatch?, virtualTime: Duration, workers: Int) {
        violations = history.violations
        troubles = history.troubles
        let attempts = history.processes.filter { $0.hookOutcome == nil }
        self.attempts = attempts.count
        repeated = attempts.count { $0.attempt > 1 }
        madeAgain = files?.madeAgain ?? 0
        self.virtualTime = virtualTime
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for process in history.processes {
            for number in [process.token.inRecord.rawValue, UInt64(bitPattern: process.startedAt.rawValue)] {
                digest = (digest ^ number) &* 0x100_0000_01B3
            }
        }
        self.digest = digest
    }
}
