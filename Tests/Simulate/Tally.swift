@_spi(Baton) import BatonSimulation

/// The summary of many runs.
struct Tally: Sendable {
    private(set) var failures: [(seed: UInt64, violations: [String])] = []
    private var runs = 0
    private var attempts = 0
    private var repeated = 0
    private var madeAgain = 0
    private var virtualTime = Duration.zero
    private var troubles: [History.Trouble: Int] = [:]
    private var digest: UInt64 = 0

    /// Adds a run.
    ///
    /// - Returns: how many there are now.
    mutating func count(_ report: Report, of seed: UInt64) -> Int {
        runs += 1
        attempts += report.attempts
        repeated += report.repeated
        madeAgain += report.madeAgain
        virtualTime += report.virtualTime
        digest ^= report.digest &* (2 * seed + 1)
        troubles.merge(report.troubles, uniquingKeysWith: +)
        if !report.violations.isEmpty { failures.append((seed, report.violations)) }
        return runs
    }

    /// The text to print.
    func summary(took time: Duration) -> String {
        var lines: [String] = []
        for (seed, violations) in failures.sorted(by: { $0.seed < $1.seed }) {
            lines += violations.map { "seed \(seed): \($0)" }
        }
        lines += [
            "seeds      \(runs)",
            "attempts   \(attempts), \(repeated) of them not the first of their operation",
            "files      made again by \(madeAgain) attempts",
            "simulated  \(virtualTime.components.seconds / 3600) hours, in \(time.components.seconds) seconds",
            "troubles   "
                + History.Trouble.allCases.map { "\($0.rawValue) \(troubles[$0] ?? 0)" }.joined(separator: ", "),
            "digest     \(String(digest, radix: 16))",
            "verdict    " + (failures.isEmpty ? "nothing found" : "\(failures.count) seeds found something"),
        ]
        return lines.joined(separator: "\n")
    }
}
