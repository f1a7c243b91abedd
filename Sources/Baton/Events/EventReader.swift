import Foundation
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Reads the events of a page.
///
/// A program may hear of many thousands of events a second, and Foundation's decoder would take a large part of a processor for
/// them.
struct EventReader {
    private var tree: JSONTree

    private let hasTimes: Bool

    private init(_ bytes: [UInt8], hasTimes: Bool) {
        self.hasTimes = hasTimes
        tree = JSONTree(bytes: bytes, dialect: .json, partName: "line")
    }

    /// Passes the events of a page on, missed ones first.
    ///
    /// - Parameters:
    ///   - page: the page.
    ///   - number: the number of the last event before the page.
    ///   - hasTimes: whether the times of the events matter, which take longest to read.
    ///   - body: takes each event.
    /// - Throws: ``ClusterError`` `fault` if a line is no event.
    static func read(
        _ page: EventPage,
        since number: UInt64,
        hasTimes: Bool = true,
        _ body: (ClusterEvent) -> Void
    ) throws(ClusterError) {
        if page.missed > 0 {
            let missed = ClusterEvent(
                sequence: number + page.missed,
                time: Date(),
                kind: .missed(Int(clamping: page.missed)),
                by: nil
            )
            body(missed)
        }
        var reader = EventReader(page.lines, hasTimes: hasTimes)
        var start = 0
        while start < page.lines.count {
            let end = page.lines[start...].firstIndex(of: UInt8(ascii: "\n")) ?? page.lines.count
            if end > start {
                guard let event = reader.event(in: start..<end) else {
                    throw ClusterError(.fault, "An event of the coordinator has not the form that this version reads.")
                }
                body(event)
            }
            start = end + 1
        }
    }

    private mutating func event(in line: Range<Int>) -> ClusterEvent? {
        guard (try? tree.parse(line)) == true, tree.nodes[0].kind == .object, let sequence = tree.number("seq") else {
            return nil
        }
        let time = hasTimes ? tree.text("time").flatMap { Timestamp(iso8601: $0) } : nil
        return ClusterEvent(
            sequence: UInt64(clamping: sequence),
            time: Date(timeIntervalSince1970: Double(time?.rawValue ?? 0) / 1_000_000),
            kind: kind ?? .other,
            by: tree.text("by")
        )
    }

    private var kind: ClusterEvent.Kind? {
        switch tree.text("event") {
        case "operation": operation
        case "job": job
        case "queue": tree.text("queue").map { .queue($0) }
        case "worker": worker
        default: nil
        }
    }

    private var operation: ClusterEvent.Kind? {
        let count = tree.member("count") == nil ? 1 : tree.number("count") ?? 0
        guard let address = tree.text("operation").flatMap({ OperationAddress($0) }), let change,
            (1...Submission.maximumOperations).contains(count)
        else { return nil }
        return .operation(address, count: count, change)
    }

    private var change: OperationChange? {
        if let state = tree.text("state").flatMap({ OperationState(rawValue: $0) }) {
            return .state(
                state,
                outcome: tree.text("outcome").flatMap { OperationOutcome(rawValue: $0) },
                attempt: tree.number("attempt") ?? 0,
                worker: tree.text("worker")
            )
        }
        if tree.member("cancelled") != nil { return .cancelled }
        if tree.member("held") != nil { return .held(tree.flag("held")) }
        if tree.member("paused") != nil { return .paused(tree.flag("paused")) }
        if let signal = tree.text("signal") { return .signalled(signal) }
        if let priority = tree.number("priority") { return .priority(.init(clamping: priority)) }
        if tree.member("dependencies") != nil { return .dependencies }
        if tree.member("commands") != nil { return .commands }
        if let progress = tree.fraction("progress") { return .progress(progress, message: tree.text("message")) }
        return nil
    }

    private var job: ClusterEvent.Kind? {
        guard let job = tree.number("job").map({ Int($0) }) else { return nil }
        if let operations = tree.number("operations") { return .jobSubmitted(job, operations: operations) }
        guard let outcome = tree.text("outcome").flatMap({ JobOutcome(rawValue: $0) }),
            let object = tree.member("counts")
        else {
            return nil
        }
        return .jobFinished(job, outcome, Job.Counts(tree, object))
    }

    private var worker: ClusterEvent.Kind? {
        guard let name = tree.text("worker") else { return nil }
        if let request = tree.text("request") { return .workerRequest(name, request: request) }
        return tree.text("state").map { .worker(name, state: $0, reason: tree.text("reason")) }
    }
}
