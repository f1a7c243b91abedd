import BatonOperations

/// What a run came to.
package struct Report: Sendable {
    /// What must not have happened, a sentence each; empty where all is well.
    package let violations: [String]
    /// How often each kind of trouble came.
    package let troubles: [History.Trouble: Int]
    /// How many attempts were started.
    package let attempts: Int
    /// How many of them were not the first of their operation.
    package let repeated: Int
    /// How much simulated time it took.
    package let virtualTime: Duration
    /// A number that is the same for the same run.
    package let digest: UInt64

    init(_ history: History, virtualTime: Duration, workers: Int) {
        violations = history.violations
        troubles = history.troubles
        let attempts = history.processes.filter { $0.hookOutcome == nil }
        self.attempts = attempts.count
        repeated = attempts.count { $0.attempt > 1 }
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
