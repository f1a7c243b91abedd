extension Evidence {
    /// The running operations never exceed a queue's limit or a worker's slots.
    func violationsOfLimits() -> [String] {
        var byQueue: [String: [Span]] = [:]
        var byWorker: [Int: [Span]] = [:]
        for subject in subjects().joined() {
            for execution in subject.executions {
                let span = Span(address: subject.address, start: execution.start, end: execution.certainlyRanUntil)
                byQueue[subject.planned.queue, default: []].append(span)
                byWorker[execution.worker, default: []].append(span)
            }
        }
        let queues = byQueue.sorted { $0.key < $1.key }.compactMap { queue, spans -> String? in
            guard let limit = limits[queue], let (number, address) = Self.first(beyond: limit, in: spans) else {
                return nil
            }
            return "The queue \(queue) ran \(number) operations at once when \(address) started; its limit is \(limit)."
        }
        let workers = byWorker.sorted { $0.key < $1.key }.compactMap { worker, spans -> String? in
            guard let (number, address) = Self.first(beyond: slots, in: spans) else { return nil }
            return "The worker in process \(worker) ran \(number) operations at once when \(address) started; "
                + "it has \(slots) slots."
        }
        return queues + workers
    }

    /// A time in which an operation certainly ran.
    private struct Span {
        var address: OperationAddress
        var start: Int
        var end: Int
    }

    /// The first moment with more running operations than the limit: their number, and the last operation to start.
    private static func first(beyond limit: Int, in spans: [Span]) -> (Int, OperationAddress)? {
        // No two lines have the same place, so only a span without a length could overlap itself.
        let spans = spans.filter { $0.end > $0.start }
        let ends = spans.map(\.end).sorted()
        var ended = 0
        for (started, span) in spans.sorted(by: { $0.start < $1.start }).enumerated() {
            while ended < ends.count, ends[ended] < span.start { ended += 1 }
            if started + 1 - ended > limit { return (started + 1 - ended, span.address) }
        }
        return nil
    }
}
