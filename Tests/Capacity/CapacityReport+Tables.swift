@_spi(Baton) import BatonBenchmarks

extension CapacityReport {
    /// The report as Markdown: the run, its parts, and the conclusions.
    package var markdown: String {
        var lines = [
            "\(plan.workers) workers of \(plan.slots) slots, \(plan.operations) operations of about "
                + "\(Self.seconds(plan.duration)) in jobs of \(min(plan.operationsOfJob, plan.operations)), each a job of the shape "
                + "`\(plan.shape.rawValue)`; \(plan.hasFailover ? "a failover in the middle" : "no failover").",
            "",
            "| part | simulated time | decisions, CPU | record, CPU | messages in, out | bytes in, out | batches | "
                + "longest turn | memory | record |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        lines += phases.map(Self.row)
        lines += ["", "| what | measured | so |", "| --- | --- | --- |"]
        lines += findings.map { "| \($0.what) | \($0.measured) | \($0.consequence) |" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ phase: Phase) -> String {
        let usage = phase.usage
        let cells = [
            phase.kind.rawValue, seconds(phase.time), seconds(usage.deciding), seconds(usage.recording),
            "\(usage.received), \(usage.sent)", "\(megabytes(usage.receivedBytes)), \(megabytes(usage.sentBytes))",
            "\(usage.batches)", milliseconds(usage.longestTurn),
            phase.memory.map { megabytes(Int($0)) } ?? "unknown", megabytes(phase.recordSize),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    // MARK: - What follows

    /// A measured value, and its meaning for larger clusters.
    package struct Finding: Hashable, Sendable {
        /// What was measured.
        package let what: String
        /// The value with its unit.
        package let measured: String
        /// What follows from the value, or nothing.
        package let consequence: String
    }

    /// What the parts say about an operation, a worker and a takeover.
    package var findings: [Finding] { operationFindings + workerFindings + failoverFindings }

    private var operationFindings: [Finding] {
        let parts = [self[.beforeFailover], self[.afterFailover]].compactMap { $0 }
        let ended = parts.reduce(0) { $0 + $1.ended }
        let time = parts.reduce(Duration.zero) { $0 + $1.time }
        guard ended > 0, time > .zero else { return [] }
        let deciding = parts.reduce(Duration.zero) { $0 + $1.usage.deciding }
        let recording = parts.reduce(Duration.zero) { $0 + $1.usage.recording }
        let messages = parts.reduce(0) { $0 + $1.usage.received + $1.usage.sent }
        let bytes = parts.reduce(0) { $0 + $1.usage.receivedBytes + $1.usage.sentBytes }
        let batches = parts.reduce(0) { $0 + $1.usage.batches }
        let rate = Double(ended) / (time / Duration.seconds(1))
        var findings = [
            Finding(
                what: "operations a second in this run",
                measured: Self.rounded(rate),
                consequence: "the thread of decisions works \(Self.rounded(100 * (deciding / time)))% of the time, "
                    + "the recorder \(Self.rounded(100 * (recording / time)))%"
            ),
            Self.perOperation("decisions for an operation", deciding, ended) {
                "\($0) operations a second and more on such a processor: the workers' signs of life are a part of this, and do not "
                    + "grow with the operations"
            },
            Self.perOperation("record of an operation", recording, ended) {
                "at most \($0) operations a second on such a processor"
            },
            Finding(
                what: "messages and bytes of an operation",
                measured: "\(Self.rounded(Double(messages) / Double(ended))), \(bytes / ended) bytes",
                consequence:
                    "\(Self.rounded(rate * Double(bytes) / Double(ended) / 1e6)) MB/s on the network in this run, with the "
                    + "workers' signs of life"
            ),
            Finding(
                what: "batches of changes a second",
                measured: Self.rounded(Double(batches) / (time / Duration.seconds(1))),
                consequence: "at most so many commits: while one is under way, the next ones gather"
            ),
        ]
        if let submission = self[.submission], let memory = submission.memory {
            let each = Double(memory) / Double(plan.operations)
            findings.append(
                Finding(
                    what: "memory of a waiting operation",
                    measured: "\(Self.rounded(each)) bytes",
                    consequence: each >= 1 ? "\(Self.rounded(1000 / each)) million in 1 GB" : "no limit by memory"
                )
            )
        }
        return findings
    }

    private static func perOperation(
        _ what: String,
        _ time: Duration,
        _ count: Int,
        consequence: (_ rate: String) -> String
    ) -> Finding {
        let each = time / Duration.microseconds(1) / Double(count)
        return Finding(
            what: what,
            measured: "\(rounded(each)) µs",
            consequence: each > 0 ? consequence(rounded(1e6 / each)) : ""
        )
    }

    private var workerFindings: [Finding] {
        guard let idle = self[.idle], idle.usage.received > 0, idle.time > .zero else { return [] }
        let share = (idle.usage.deciding + idle.usage.recording) / idle.time
        var findings = [
            Finding(
                what: "share of a processor for idle workers",
                measured: "\(Self.rounded(100 * share))%",
                consequence: share > 0
                    ? "a whole processor for \(Self.rounded(Double(plan.workers) / share)) idle workers" : ""
            )
        ]
        if let joining = self[.joining] {
            findings.append(
                Finding(
                    what: "all workers at once",
                    measured: Self.seconds(joining.usage.deciding + joining.usage.recording),
                    consequence: "with their first operations"
                )
            )
        }
        return findings
    }

    private var failoverFindings: [Finding] {
        guard let failover else { return [] }
        return [
            Finding(
                what: "reading the record",
                measured: Self.seconds(failover.reading),
                consequence: "with \(failover.unfinished) unfinished operations"
            ),
            Finding(
                what: "from the end of a leader to the next one",
                measured: Self.seconds(failover.untilLeading),
                consequence: "the lease of \(Self.seconds(MeasuredCoordinator.lease)) and the reading"
            ),
            Finding(
                what: "until all workers are back",
                measured: Self.seconds(failover.untilBack),
                consequence: "each says hello within a second"
            ),
            Finding(
                what: "until further operations start",
                measured: Self.seconds(failover.untilStarts),
                consequence: "what runs goes on meanwhile; \(startedAgain) operations ran again"
            ),
        ]
    }

    // MARK: - Numbers

    private static func seconds(_ time: Duration) -> String { rounded(time / Duration.seconds(1)) + " s" }

    private static func milliseconds(_ time: Duration) -> String { rounded(time / Duration.milliseconds(1)) + " ms" }

    private static func megabytes(_ bytes: Int) -> String { rounded(Double(bytes) / 1e6) + " MB" }

    /// A number with three digits, or with all before the point.
    static func rounded(_ number: Double) -> String {
        let size = abs(number)
        guard size.isFinite, size < 1e15 else { return "\(number)" }
        if size >= 99.95 || size == 0 { return "\(Int(number.rounded()))" }
        let places = size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3
        let scale = [1, 10, 100, 1000][places]
        let scaled = Int((size * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: places - fraction.count)
        return (number < 0 ? "-" : "") + "\(scaled / scale).\(zeros)\(fraction)"
    }
}
