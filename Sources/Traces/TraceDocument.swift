@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The document of a trace, in pieces.
///
/// The memory stays the same for any number of attempts.
@_spi(Baton) public struct TraceDocument {
    /// The number of the newest event that the trace knows of, for its reader; nil for a trace without the member `seq`.
    ///
    /// The member is the last one of the document, because some viewers read no further than a member that they do not know.
    public var newestEvent: UInt64?

    /// The bytes from which on a piece is passed on.
    private static let pieceLength = 1 << 16

    /// What follows in the document.
    private enum Part {
        case head
        case items
        case flow(Int)
        case worker(Int)
        case end
        case nothing
    }

    private let collector: TraceCollector
    private var items: SortedItems
    private var flows: TraceFlows
    private var lanes: [LaneTable]
    private var executing = TraceCounter()
    private var ready = TraceCounter()
    /// The ends of the attempts that have begun and have not ended yet.
    private var ends = MinimumHeap<Int64>()
    /// The places of the workers in the order of their names.
    private let workers: [Int]
    private var part = Part.head
    private var text: [UInt8] = []
    private var isFirst = true
    /// The number of fetches so far, which numbers them.
    private var fetches = 0

    init(_ collector: TraceCollector, _ items: SortedItems) {
        self.collector = collector
        self.items = items
        flows = collector.flows
        flows.prepare()
        lanes = collector.workers.map { LaneTable(slots: $0.flatMap { collector.slots[$0] }) }
        let names = collector.workers
        workers = names.indices.sorted { (names[$0] ?? "") < (names[$1] ?? "") }
    }

    /// The next piece of the document; nil behind the last one.
    ///
    /// - Throws: ``TraceError`` if the temporary file cannot be read.
    public mutating func next() throws(TraceError) -> [UInt8]? {
        while text.count < Self.pieceLength {
            switch part {
            case .head:
                writeHead()
                part = .items
            case .items: try writeItem()
            case .flow(let flow):
                write(flow: flow)
                part = flow + 1 < flows.count ? .flow(flow + 1) : .worker(0)
            case .worker(let order):
                write(worker: order)
                part = order + 1 < workers.count ? .worker(order + 1) : .end
            case .end:
                text += "\n]".utf8
                if let newestEvent { text += ",\"seq\":\(newestEvent)".utf8 }
                text += "}".utf8
                part = .nothing
            case .nothing:
                defer { text = [] }
                return text.isEmpty ? nil : text
            }
        }
        defer { text.removeAll(keepingCapacity: true) }
        return text
    }

    private mutating func writeItem() throws(TraceError) {
        guard let (time, bytes) = try items.next() else {
            finishAttempts(until: .max)
            write(ready.takeSample(), "ready")
            write(executing.takeSample(), "executing")
            name("process_name", "job \(collector.head.job)", process: 0, thread: 0)
            sort(0, process: 0)
            part = .flow(0)
            return
        }
        guard let item = TraceItem(bytes) else { return }
        finishAttempts(until: time)
        switch item {
        case .ready(let change): countReady(change, at: time)
        case .loss(let worker, let event): write(event, at: time, process: worker + 1)
        case .fetch(let worker, let duration, let event):
            write(fetch: event, at: time, for: duration, process: worker + 1)
        case .slice(let slice): write(slice, at: time)
        }
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

    private mutating func write(_ slice: TraceSlice, at time: Int64) {
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
        if slice.flags.contains(.wasReady) { countReady(-1, at: time) }
        countExecuting(1, at: time)
        if !slice.flags.contains(.executing) { ends.insert(time + slice.duration) }
    }

    /// Writes an event that belongs to a worker and to none of its lanes.
    private mutating func write(_ event: ArraySlice<UInt8>, at time: Int64, process: UInt32) {
        separate()
        text += event
        text += ",\"s\":\"p\",\"ts\":\(time),\"pid\":\(process),\"tid\":1}".utf8
    }

    /// Writes a fetch of files, which takes no slot and overlaps others: as a pair of asynchronous events.
    private mutating func write(fetch event: ArraySlice<UInt8>, at time: Int64, for duration: Int64, process: UInt32) {
        fetches += 1
        separate()
        text += event
        text += ",\"id\":\(fetches),\"ts\":\(time),\"pid\":\(process),\"tid\":1}".utf8
        begin("e", TraceCollector.fetchName, process: process, thread: 1, at: time + duration)
        text += ",\"cat\":\"fetch\",\"id\":\(fetches)}".utf8
    }

    /// Counts the ends of attempts up to a time.
    private mutating func finishAttempts(until time: Int64) {
        while let end = ends.first, end <= time {
            _ = ends.removeFirst()
            countExecuting(-1, at: end)
        }
    }

    private mutating func countReady(_ change: Int64, at time: Int64) {
        let sample = ready.add(change, at: time)
        write(sample, "ready")
    }

    private mutating func countExecuting(_ change: Int64, at time: Int64) {
        let sample = executing.add(change, at: time)
        write(sample, "executing")
    }

    private mutating func write(_ sample: TraceCounter.Sample?, _ name: StaticString) {
        guard let sample else { return }
        begin("C", "\(name)", process: 0, thread: 0, at: sample.time)
        text += ",\"args\":{\"value\":\(sample.value)}}".utf8
    }

    private mutating func write(flow: Int) {
        guard flow < flows.count, let (from, to) = flows.points(of: flow) else { return }
        begin("s", "dependency", process: from.process, thread: from.thread, at: min(from.time, to.time))
        text += ",\"cat\":\"dependency\",\"id\":\(flow + 1)}".utf8
        begin("f", "dependency", process: to.process, thread: to.thread, at: to.time)
        text += ",\"cat\":\"dependency\",\"id\":\(flow + 1),\"bp\":\"e\"}".utf8
    }

    /// Names a worker and its slots, in the order of the workers' names.
    private mutating func write(worker order: Int) {
        guard order < workers.count else { return }
        let place = workers[order]
        let process = UInt32(place) + 1
        let name = collector.workers[place].map { "worker \($0)" } ?? "unknown worker"
        self.name("process_name", name, process: process, thread: 0)
        sort(order + 1, process: process)
        for lane in lanes[place].ends.indices {
            self.name("thread_name", "slot \(lane + 1)", process: process, thread: lane + 1)
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
}

extension HistoryPage {
    /// The outcome of the job, or its state while it is not finished; an open job whose operations are finished is pending.
    fileprivate var stateText: String {
        if finishedAt != nil, let outcome = counts.outcome { return outcome.description }
        return counts.state(isOpen: true).description
    }
}
