@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The order of a graph file's operations, for people and as JSON.
struct PlanReport {
    /// The most operations of the longest path that the summary names.
    private static let mostOfPath = 6
    /// The most addresses of other jobs that the summary names.
    private static let mostAddresses = 10
    /// The number of bytes after which a part of the JSON is written.
    private static let pieceLength = 1 << 16

    private let file: String
    private let submission: Submission
    private let plan: GraphPlan
    /// The index of the first operation of each entry.
    private let firsts: [Int]

    init(of submission: Submission, in file: String) {
        self.file = file
        self.submission = submission
        plan = GraphPlan(submission)
        var next = 0
        firsts = submission.entries.indices.map { position in
            defer { next += submission.entries[position].count }
            return next
        }
    }

    /// The number of lines in the whole table.
    var lineCount: Int { plan.order.count }

    /// The facts about the whole graph, one per line.
    var summary: String {
        var lines = KeyValueLines()
        lines.append("file", file)
        lines.append("name", submission.name?.asShown)
        lines.append("operations", "\(submission.operationCount) in \(Self.count(plan.widths.count, "step"))")
        lines.append("queues", queues)
        lines.append("other jobs", otherJobs)
        lines.append("held", held == 0 ? nil : Self.count(held, "operation"))
        if let widest = plan.widestStep {
            lines.append("widest step", "\(widest + 1), of \(Self.count(plan.widths[widest], "operation"))")
        }
        lines.append("longest path", longestPath)
        return lines.text
    }

    /// The first operations in their order.
    func table(limit: Int) -> TextTable {
        PlanColumn.table(of: plan.order.prefix(limit).map { row(Int($0)) }, columns: nil)
    }

    /// Writes the whole report to standard output as one JSON document, in pieces.
    func writeJSON() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("file", file)
        writer.member("name", submission.name)
        writer.member("operations", submission.operationCount)
        writer.member("steps", plan.widths.count)
        writer.key("widestStep")
        writer.beginObject()
        writer.member("step", plan.widestStep.map { $0 + 1 })
        writer.member("operations", plan.widestStep.map { plan.widths[$0] })
        writer.endObject()
        writer.member("longestPath", array: plan.longestPath) { entry, writer in
            writer.value(label(of: entry))
        }
        writer.member("queues", array: queueCounts) { queue, writer in
            writer.beginObject()
            writer.member("queue", queue.name)
            writer.member("operations", queue.operations)
            writer.member("maxConcurrent", limit(ofQueue: queue.name))
            writer.endObject()
        }
        writer.member("otherJobs", strings: addresses.map { label(of: Dependency(on: .existing($0))) })
        writer.key("plan")
        writer.beginArray()
        for entry in plan.order {
            write(Int(entry), to: &writer)
            if writer.bytes.count >= Self.pieceLength { try Output.write(writer.takeBytes(), to: STDOUT_FILENO) }
        }
        writer.endArray()
        writer.endObject()
        try Output.document(writer.bytes)
    }

    private func write(_ position: Int, to writer: inout JSONWriter) {
        let row = row(position)
        writer.beginObject()
        writer.member("step", row.step)
        writer.member("index", firsts[position])
        writer.member("count", row.entry.count)
        writer.member("name", row.entry.name)
        writer.member("queue", row.queue)
        writer.member("priority", row.entry.priority.rawValue)
        writer.member("held", row.entry.isHeld)
        writer.member("barrier", row.entry.isBarrier)
        writer.member("cancelled", row.entry.isCancelled)
        writer.member("commands", array: row.commands) { command, writer in
            writer.beginArray()
            for word in command { writer.value(word) }
            writer.endArray()
        }
        writer.member("type", row.kind.type)
        writer.member("dependencies", array: Array(row.entry.dependencies)) { dependency, writer in
            writer.beginObject()
            writer.member("operation", label(of: dependency))
            writer.member("condition", description: dependency.condition)
            writer.endObject()
        }
        writer.endObject()
    }

    private func row(_ position: Int) -> PlanColumn.Row {
        let entry = submission.entries[position]
        let failures = entry.dependencies.filter { $0.condition.isFailure }
        return PlanColumn.Row(
            step: Int(plan.steps[position]) + 1,
            first: firsts[position],
            entry: entry,
            queue: submission.queueNames[entry.queue],
            kind: submission.templates[entry.template].work.kind,
            failures: failures.map { label(of: $0) },
            needsAllFailures: failures.first?.condition == .failureOfAll
        )
    }

    /// The name of an entry; `#4` for the index of an entry without a name.
    private func label(of entry: Int) -> String { submission.entries[entry].name ?? "#\(firsts[entry])" }

    /// The name of a dependency's target, `#4` for a position without a name, or an address.
    private func label(of dependency: Dependency) -> String {
        switch dependency.target {
        case .entry(let position): label(of: position)
        case .element(let position, let element):
            "\(label(of: position))/\(submission.entries[position].array?.number(at: Int(element)) ?? 0)"
        case .elements(let position): label(of: position) + DependencyAddress.elementwise
        case .existing(let address): DependencyAddress(address).description
        case .existingElements(let address): DependencyAddress(address, isElementwise: true).description
        }
    }

    private var held: Int {
        submission.entries.reduce(0) { $1.isHeld ? $0 + $1.count : $0 }
    }

    /// The number of operations in each queue, in the order of the queues' first operations.
    private var queueCounts: [(name: String, operations: Int)] {
        var counts = [Int](repeating: 0, count: submission.queueNames.count)
        for position in submission.entries.indices {
            let queue = submission.entries[position].queue
            counts[queue] += submission.entries[position].count
        }
        return submission.queueNames.indices.map { (submission.queueNames[$0], counts[$0]) }
    }

    /// The limit that the file sets for a queue; nil if the file sets none.
    private func limit(ofQueue name: String) -> Int? {
        let change = submission.queueChanges.last { $0.name == name && $0.maxConcurrent != nil }
        return if case .atMost(let limit)? = change?.maxConcurrent { limit } else { nil }
    }

    private var queues: String {
        queueCounts.map { queue in
            let limit = limit(ofQueue: queue.name).map { ", at most \($0) at once" } ?? ""
            return "\(queue.name.asShown) (\(Self.count(queue.operations, "operation"))\(limit))"
        }.joined(separator: ", ")
    }

    /// The addresses in other jobs on which operations depend, each once, in the order of the file.
    private var addresses: [Address] {
        var addresses: [Address] = []
        var known: Set<Address> = []
        for position in submission.entries.indices {
            for address in submission.entries[position].dependencies.lazy.compactMap(\.target.address)
            where known.insert(address).inserted {
                addresses.append(address)
            }
        }
        return addresses
    }

    private var otherJobs: String? {
        let all = addresses
        guard !all.isEmpty else { return nil }
        let shown = all.prefix(Self.mostAddresses).map { label(of: Dependency(on: .existing($0))) }
        return "waits for " + shown.joined(separator: ", ")
            + (all.count > shown.count ? " and \(all.count - shown.count) more" : "")
    }

    private var longestPath: String {
        let path = plan.longestPath
        let names = path.map { label(of: $0).asShown }
        let shown =
            names.count <= Self.mostOfPath
            ? names : names.prefix(Self.mostOfPath / 2) + ["..."] + names.suffix(Self.mostOfPath / 2)
        return "\(path.count): " + shown.joined(separator: " -> ")
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
