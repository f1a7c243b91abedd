@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The selected events of a stretch of the stream.
struct ExaminedEvents: Sendable {
    /// The selected events, or parts of events, in order.
    private(set) var events: [ClusterEvent] = []
    /// The number of the last event looked at.
    private(set) var last: UInt64
    /// How many events are no longer kept, or can no longer be told apart.
    private(set) var missed: UInt64 = 0
    /// How many numbers the selected events take.
    private(set) var count = 0

    /// Adds the selected parts of the next event.
    mutating func take(_ parts: [ClusterEvent], of event: ClusterEvent) {
        events += parts
        count += parts.reduce(0) { $0 + Int($1.count) }
        last = max(last, event.lastNumber)
    }

    /// Notes that the events up to a number are not kept.
    mutating func miss(upTo number: UInt64) {
        guard number > last else { return }
        missed += number - last
        last = number
    }

    /// Notes that nobody can say any more whether an event was selected.
    mutating func missAll(of event: ClusterEvent) {
        missed += event.count
        last = max(last, event.lastNumber)
    }
}

extension ExaminedEvents {
    /// The most events to look at in one question, so that the record's other work goes on.
    private static let mostAtOnce = 8192

    /// Reads the events of a watch from the record.
    ///
    /// - Parameter newest: the number of an event on disk; the record has it, or has dropped it already.
    init(of watch: WatchRegistry.Watch, newest: UInt64, in store: any RecordReader) throws(StoreError) {
        self.init(last: watch.examined)
        var queues = KnownQueues()
        let end = watch.examined + UInt64(Self.mostAtOnce)
        while count < watch.limit, last < end, last < newest {
            let page = try store.events(after: last, limit: WatchRegistry.largestPage)
            miss(upTo: page.first.map { $0.sequence - 1 } ?? newest)
            for event in page {
                guard count < watch.limit else { return }
                guard let rest = event.after(last) else { continue }
                guard let filter = watch.filter else {
                    take([rest], of: rest)
                    continue
                }
                // The state that the watcher knows may be of the part that is missing.
                if case .recordIncomplete = rest.subject {
                    missAll(of: rest)
                    continue
                }
                var queue: String?
                if filter.needsQueue(of: rest) {
                    queue = try queues.queue(of: rest, in: store)
                    if queue == nil, filter.parts(of: rest, in: nil).isEmpty {
                        missAll(of: rest)
                        continue
                    }
                }
                take(filter.parts(of: rest, in: queue), of: rest)
            }
        }
    }
}

/// The queues of operations, so that neighbouring events need one question.
private struct KnownQueues {
    private var operations: [OperationID: String] = [:]
    private var arrays: [JobNumber: [QueueMembers]] = [:]

    /// Returns the queue of the operations that an event is about; nil if their job is no longer kept.
    mutating func queue(of event: ClusterEvent, in store: any RecordReader) throws(StoreError) -> String? {
        guard case .operations(let first, _, _) = event.subject else { return nil }
        if let queue = operations[first] { return queue }
        if let array = arrays[first.job]?.first(where: { $0.range.contains(first.index) }) { return array.queue }
        guard let members = try store.queue(of: first) else { return nil }
        if members.range.count == 1 {
            operations[first] = members.queue
        } else {
            arrays[first.job, default: []].append(members)
        }
        return members.queue
    }
}
