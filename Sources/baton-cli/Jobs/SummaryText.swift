@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// What a job took, as text for people.
struct SummaryText {
    let document: SummaryDocument

    /// The most steps of the critical path that are shown: the last ones.
    private static let mostSteps = 20
    /// The most columns of a name in a sentence.
    private static let longestName = 24
    /// The most workers that are shown.
    private static let mostWorkers = 20

    /// The sums, one per line.
    var facts: String {
        var lines = KeyValueLines()
        lines.append("job", "\(document.job)" + (document.name.map { " (\($0.asShown))" } ?? ""))
        let state = document.outcome?.description ?? document.state.description
        lines.append("state", state + (document.open ? ", open" : "") + counts)
        lines.append("elapsed", Self.time(document.elapsedSeconds) + (document.finishedAt == nil ? " so far" : ""))
        guard document.attempts > 0 else { return lines.text }
        lines.append("busy", Self.time(document.busySeconds) + concurrency)
        lines.append("cpu time", cpuTime)
        lines.append("peak memory", peakMemory)
        lines.append("waiting", waiting)
        lines.append("attempts", attempts)
        return lines.text
    }

    /// The workers, the slowest operations and the critical path, each with its heading.
    var tables: [(heading: String, table: TextTable)] {
        var tables: [(heading: String, table: TextTable)] = []
        if !document.workers.isEmpty {
            var table = TextTable([
                .init("WORKER"), .init("ATTEMPTS", alignment: .right), .init("BUSY", alignment: .right),
            ])
            for worker in document.workers.prefix(Self.mostWorkers) {
                table.append([
                    .init(worker.worker?.asShown ?? "unknown"), .init("\(worker.attempts)"),
                    .init(Self.time(worker.busySeconds)),
                ])
            }
            let more = document.workers.count - Self.mostWorkers
            tables.append((more > 0 ? "Workers, without \(more) more (see --json):" : "Workers:", table))
        }
        if document.slowest.count > 1 {
            var table = TextTable([.init("OPERATION"), .init("NAME"), .init("TIME", alignment: .right)])
            for operation in document.slowest {
                table.append([
                    .init("\(operation.operation)"), .init(operation.name?.asShown ?? ""),
                    .init(Self.time(operation.seconds)),
                ])
            }
            tables.append(("Slowest operations:", table))
        }
        if document.criticalPath.count > 1 {
            var table = TextTable([
                .init("OPERATION"), .init("NAME"), .init("WAITED", alignment: .right),
                .init("TIME", alignment: .right),
            ])
            for step in document.criticalPath.suffix(Self.mostSteps) {
                table.append([
                    .init("\(step.operation)"), .init(step.name?.asShown ?? ""), .init(Self.time(step.waited)),
                    .init(Self.time(step.seconds)),
                ])
            }
            tables.append((pathHeading, table))
        }
        return tables
    }

    private var counts: String {
        let counts = document.counts
        guard counts.total > 0 else { return ", no operations" }
        guard counts.unsuccessful > 0 || document.finishedAt == nil else {
            return ", \(counts.total) operation\(counts.total == 1 ? "" : "s")"
        }
        return ", \(counts.failuresFirst)"
    }

    /// How many attempts ran at once on average.
    private var concurrency: String {
        guard document.elapsedSeconds > 0 else { return "" }
        let tenths = Int((document.busySeconds / document.elapsedSeconds * 10).rounded())
        return ", \(tenths / 10).\(tenths % 10) at once on average"
    }

    private var cpuTime: String? {
        guard let seconds = document.cpuSeconds else { return nil }
        var text = Self.time(seconds)
        let unknown = document.attempts - document.measuredAttempts
        if unknown > 0 { text += " (\(unknown) of \(document.attempts) attempts not measured)" }
        return text
    }

    private var peakMemory: String? {
        document.peakMemory.map { "\(ByteSize.roughText(of: $0.bytes)), by \(Self.label($0.operation, $0.name))" }
    }

    private var waiting: String? {
        guard document.operations > 0, let longest = document.longestWait else { return nil }
        let mean = Self.time(document.waitingSeconds / Double(document.operations))
        return "\(mean) on average from ready to started, \(Self.time(longest.seconds)) at most "
            + "(\(Self.label(longest.operation, longest.name)))"
    }

    private var attempts: String? {
        let repeated = document.attempts - document.operations
        guard repeated > 0 else { return nil }
        return
            "\(document.attempts), of which \(repeated) ended before \(repeated == 1 ? "its operation" : "their operations")"
    }

    private var pathHeading: String {
        let steps = document.criticalPath
        let run = Self.time(steps.reduce(0) { $0 + $1.seconds })
        let waited = Self.time(steps.reduce(0) { $0 + $1.waited })
        let left = steps.count - Self.mostSteps
        let cut =
            document.criticalPathIsCut
            ? ", without the steps before (there are over \(steps.count))"
            : left > 0 ? ", without the first \(left)" : ""
        return "Critical path, \(steps.count) steps that ran \(run) and waited \(waited)\(cut):"
    }

    private static func label(_ operation: OperationID, _ name: String?) -> String {
        "\(operation)" + (name.map { " \(TextWidth.shortened($0.asShown, to: longestName))" } ?? "")
    }

    private static func time(_ seconds: Double) -> String { Duration.seconds(seconds).roughText }
}
