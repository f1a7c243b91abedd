@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// Writes what happened in a job as a trace for Perfetto and other readers of Chrome's JSON.
///
/// The memory stays the same for any number of attempts: what does not fit goes to a temporary file. Times are in microseconds from
/// the submission of the job.
@_spi(Baton) public struct TraceWriter {
    /// The bytes after which a piece of the document is passed on.
    private static let pieceLength = 1 << 16

    private let mostShown: Int
    private let sorter: TimeSorter
    private var collector: TraceCollector?

    /// Prepares a trace.
    ///
    /// - Parameters:
    ///   - directory: where a temporary file may be made.
    ///   - mostShown: the most attempts in the trace, the first ones in the order of the operations.
    public init(temporaryFilesIn directory: String, mostShown: Int = .max) {
        self.init(sorter: TimeSorter(directory: directory), mostShown: mostShown)
    }

    init(sorter: TimeSorter, mostShown: Int = .max) {
        self.sorter = sorter
        self.mostShown = mostShown
    }

    /// The number of attempts of the pages so far.
    public var attempts: Int { collector?.attempts ?? 0 }

    /// Adds a page of the job's history; pages have to come in order, from the first to the last.
    ///
    /// - Throws: ``TraceError`` if the temporary file cannot be written.
    public mutating func add(_ page: HistoryPage) throws(TraceError) {
        var collector = self.collector ?? TraceCollector(page, sorter: sorter, mostShown: mostShown)
        self.collector = nil
        try collector.add(page)
        self.collector = collector
    }

    /// Passes the document to a closure, in pieces; no page may follow.
    ///
    /// - Throws: ``TraceError`` if the temporary file cannot be read, and whatever the closure throws.
    public mutating func write(_ output: @escaping ([UInt8]) throws -> Void) throws {
        guard let collector else { return }
        self.collector = nil
        var document = TraceDocument(collector, pieceLength: Self.pieceLength, output)
        try document.write()
    }
}

/// The document of a trace, while it is written.
private struct TraceDocument {
    private let collector: TraceCollector
    private var sorter: TimeSorter
    private var flows: TraceFlows
    private var lanes: [LaneTable]
    private var executing = TraceCounter()
    private var ready = TraceCounter()
    /// The ends of the attempts that have begun and have not ended yet.
    private var ends = MinimumHeap<Int64>()
    private var text: [UInt8] = []
    private var isFirst = true
    private let pieceLength: Int
    private let output: ([UInt8]) throws -> Void

    init(_ collector: TraceCollector, pieceLength: Int, _ output: @escaping ([UInt8]) throws -> Void) {
        self.collector = collector
        sorter = collector.sorter
        flows = collector.flows
        lanes = collector.workers.map { LaneTable(slots: $0.flatMap { collector.slots[$0] }) }
        self.pieceLength = pieceLength
        self.output = output
    }

    mutating func write() throws {
        writeHead()
        flows.prepare()
        var sorter = self.sorter
        try sorter.forEach { time, bytes in
            guard let item = TraceItem(bytes) else { return }
            try finishAttempts(until: time)
            switch item {
            case .ready(let change): try countReady(change, at: time)
            case .loss(let worker, let event): try write(event, at: time, process: worker + 1)
            case .slice(let slice): try write(slice, at: time)
            }
        }
        try finishAttempts(until: .max)
        let (lastReady, lastExecuting) = (ready.takeSample(), executing.takeSample())
        try writeSample(lastReady, "ready")
        try writeSample(lastExecuting, "executing")
        try writeFlows()
        try writeNames()
        text += "\n]}".utf8
        try output(text)
        text = []
    }

    private mutating func writeHead() {
        let head = collector.head
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("displayTimeUnit", "ms")
        writer.key("otherData")
        writer.beginObject()
        writer.member("job", head.job.rawValue)
        writer.member("name", head.name)
        writer.member("coordinator", head.coordinator)
        writer.member("version", head.version)
        writer.member("submittedAt", description: head.submittedAt)
        writer.member("attempts", collector.attempts)
        writer.member("shown", collector.shown)
        writer.endObject()
        writer.key("traceEvents")
        writer.beginArray()
        text = writer.bytes
        begin("X", head.name ?? "job \(head.job)", process: 0, thread: 0, at: 0)
        text += ",\"dur\":\(collector.end),\"cat\":\"".utf8
        text += head.stateText.utf8
        text += "\",\"args\":{\"operations\":\(head.counts.total)}}".utf8
    }

    private mutating func write(_ slice: TraceSlice, at time: Int64) throws {
        let worker = Int(slice.worker)
        let (lane, start, end) = lanes[worker].place(time, time + slice.duration)
        let (process, thread) = (slice.worker + 1, lane + 1)
        separate()
        text += slice.event
        text += ",\"ts\":\(start),\"dur\":\(end - start),\"pid\":\(process),\"tid\":\(thread)}".utf8
        if slice.flags.contains(.lost) || slice.flags.isDisjoint(with: [.last, .executing]) {
            begin("i", slice.flags.contains(.lost) ? "lost" : "retry", process: process, thread: thread, at: end)
            text += ",\"s\":\"t\",\"args\":{\"operation\":\"\(collector.head.job)/\(slice.operation)\"".utf8
            text += ",\"attempt\":\(slice.attempt)}}".utf8
        }
        flows.note(
            slice.operation,
            isEnd: slice.flags.contains(.last) && !slice.flags.contains(.executing),
            start: TraceFlows.Point(process: process, thread: thread, time: start),
            end: end
        )
        if slice.flags.contains(.wasReady) { try countReady(-1, at: time) }
        try countExecuting(1, at: time)
        if !slice.flags.contains(.executing) { ends.insert(time + slice.duration) }
        try flush()
    }

    /// Writes an event that belongs to a worker and to none of its lanes.
    private mutating func write(_ event: ArraySlice<UInt8>, at time: Int64, process: UInt32) throws {
        separate()
        text += event
        text += ",\"s\":\"p\",\"ts\":\(time),\"pid\":\(process),\"tid\":1}".utf8
        try flush()
    }

    /// Counts the ends of attempts up to a time.
    private mutating func finishAttempts(until time: Int64) throws {
        while let end = ends.first, end <= time {
            _ = ends.removeFirst()
            try countExecuting(-1, at: end)
        }
    }

    private mutating func countReady(_ change: Int64, at time: Int64) throws {
        let sample = ready.add(change, at: time)
        try writeSample(sample, "ready")
    }

    private mutating func countExecuting(_ change: Int64, at time: Int64) throws {
        let sample = executing.add(change, at: time)
        try writeSample(sample, "executing")
    }

    private mutating func writeSample(_ sample: TraceCounter.Sample?, _ name: StaticString) throws {
        guard let sample else { return }
        begin("C", "\(name)", process: 0, thread: 0, at: sample.time)
        text += ",\"args\":{\"value\":\(sample.value)}}".utf8
        try flush()
    }

    private mutating func writeFlows() throws {
        var number = 0
        let flows = self.flows
        try flows.forEach { from, to in
            number += 1
            begin("s", "dependency", process: from.process, thread: from.thread, at: min(from.time, to.time))
            text += ",\"cat\":\"dependency\",\"id\":\(number)}".utf8
            begin("f", "dependency", process: to.process, thread: to.thread, at: to.time)
            text += ",\"cat\":\"dependency\",\"id\":\(number),\"bp\":\"e\"}".utf8
            try flush()
        }
    }

    /// Names the processes and threads: the job, the workers by name, and their slots.
    private mutating func writeNames() throws {
        name("process_name", "job \(collector.head.job)", process: 0, thread: 0)
        sort(0, process: 0)
        let places = collector.workers.indices.sorted { (collector.workers[$0] ?? "") < (collector.workers[$1] ?? "") }
        for (order, place) in places.enumerated() {
            let process = UInt32(place) + 1
            name(
                "process_name",
                collector.workers[place].map { "worker \($0)" } ?? "unknown worker",
                process: process,
                thread: 0
            )
            sort(order + 1, process: process)
            for lane in lanes[place].ends.indices {
                name("thread_name", "slot \(lane + 1)", process: process, thread: lane + 1)
                try flush()
            }
        }
    }

    private mutating func name(_ kind: String, _ name: String, process: UInt32, thread: Int) {
        begin("M", kind, process: process, thread: thread, at: 0)
        text += ",\"args\":{\"name\":\(JSONWriter.quoted(name))}}".utf8
    }

    private mutating func sort(_ order: Int, process: UInt32) {
        begin("M", "process_sort_index", process: process, thread: 0, at: 0)
        text += ",\"args\":{\"sort_index\":\(order)}}".utf8
    }

    // MARK: Text

    /// Begins an event, in an open object.
    private mutating func begin(_ phase: String, _ name: String, process: UInt32, thread: Int, at time: Int64) {
        separate()
        text += "{\"ph\":\"\(phase)\",\"name\":\(JSONWriter.quoted(name)),\"ts\":\(time)".utf8
        text += ",\"pid\":\(process),\"tid\":\(thread)".utf8
    }

    private mutating func separate() {
        text += (isFirst ? "\n" : ",\n").utf8
        isFirst = false
    }

    private mutating func flush() throws {
        guard text.count >= pieceLength else { return }
        try output(text)
        text.removeAll(keepingCapacity: true)
    }
}

extension HistoryPage {
    /// The outcome of the job, or its state while it is not finished; an open job whose operations are finished is pending.
    fileprivate var stateText: String {
        if finishedAt != nil, let outcome = counts.outcome { return outcome.description }
        return counts.state(isOpen: true).description
    }
}
