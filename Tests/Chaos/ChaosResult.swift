@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonChaosChecks
import Foundation

/// The result of a run.
struct ChaosResult {
    var evidence: Evidence
    var counts: Ledger.Counts
    /// The number of restarts of coordinator and workers.
    var restarts: Int
    /// From the start to the return of the last wait.
    var duration: Duration

    /// More violations tell nothing new.
    private static let mostViolations = 20

    /// A summary of the run, and the verdict.
    func table(violations: [String]) -> String {
        let operations = evidence.jobs.reduce(0) { $0 + $1.operations.count }
        let executions = evidence.journal.executions.values.reduce(0) { $0 + $1.count }
        let seconds = duration / .seconds(1)
        var table = TextTable([.init("WHAT"), .init("COUNT", alignment: .right)])
        for (label, value) in [
            ("jobs", "\(evidence.jobs.count)"),
            ("operations", "\(operations)"),
            ("executions", "\(executions)"),
            ("kills of the coordinator", "\(counts.coordinatorKills)"),
            ("kills of workers", "\(counts.workerKills)"),
            ("kills of clients", "\(counts.clientKills)"),
            ("restarts", "\(restarts)"),
            ("stops", "\(counts.stops)"),
            ("cuts", "\(counts.cuts)"),
            ("cancellations", "\(counts.cancellations)"),
            ("repeated submissions", "\(counts.repeatedSubmissions)"),
            ("reruns after a loss", "\(evidence.reruns())"),
            ("  of these, under the same number", "\(evidence.forgotten())"),
            ("seconds", String(format: "%.1f", seconds)),
            ("operations/s", String(format: "%.0f", Double(operations) / seconds)),
        ] { table.append([.init(label), .init(value)]) }
        return table.rendered() + "\n" + verdict(violations)
    }

    private func verdict(_ violations: [String]) -> String {
        if violations.isEmpty {
            return "verdict: nothing lost, nothing run twice without need, every order, limit and cancellation held"
        }
        var lines = ["verdict: \(violations.count) \(violations.count == 1 ? "violation" : "violations")"]
        lines += violations.prefix(Self.mostViolations).map { "  \($0)" }
        if violations.count > Self.mostViolations {
            lines.append("  and \(violations.count - Self.mostViolations) more")
        }
        return lines.joined(separator: "\n")
    }
}
