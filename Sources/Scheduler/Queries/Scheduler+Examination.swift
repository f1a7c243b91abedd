@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Scheduler {
    /// Compares consecutive operations of a job with the conditions of a filter, and makes no record of any.
    ///
    /// - Parameters:
    ///   - limit: the most work: the number of operations, of which a block of array elements that never started counts as one, and
    ///     more for names whose comparison takes long. Also the most finished operations for the record to compare.
    ///   - most: the number of unfinished operations that meet the conditions at which to stop.
    /// - Returns: nil for a job that the scheduler does not know.
    /// - Complexity: O(limit) in a job without arrays, O(limit · log entries) in another one.
    public func examine(
        _ job: JobNumber,
        from index: UInt32,
        limit: Int,
        most: Int,
        _ filter: ListFilter
    ) -> ExaminedOperations? {
        guard let place = graph.job(job) else { return nil }
        var search = OperationSearch(
            filter,
            queue: filter.queue.flatMap { queues.index(ofName: $0) },
            worker: filter.worker.flatMap { workers.index(ofName: $0) },
            from: index,
            limit: limit,
            most: most
        )
        // A single copy, because a build that does not optimize across files would copy the job for each part that is read of it.
        let live = graph[place]
        guard let first = live.entry(ofIndex: index) else { return search.examined }
        for entry in first..<live.entries.count {
            guard search.hasRoom else { break }
            let (part, end) = (live.entries[entry], live.entries[entry].first + live.entries[entry].count)
            if !search.admits(name: live.names[entry]) {
                search.skip(to: end)
                continue
            }
            guard let array = part.array else {
                if let found = part.node {
                    let node = graph[found]
                    search.addUnfinished(node, to: end)
                } else {
                    search.addFinished(to: end)
                }
                continue
            }
            if live.arrays[array.offset].join.unfinished == 0 { search.addFinished(to: end) }
            while search.next < end, search.hasRoom {
                if let found = graph.node(ofEntry: entry, at: search.next, in: place) {
                    let node = graph[found]
                    search.addUnfinished(node, to: min(end, node.index + node.count))
                } else {
                    search.addFinished(to: search.next + 1)
                }
            }
        }
        return search.examined
    }
}
