@_spi(Baton) public import BatonOperations

/// What has happened in a queue since the start of the coordinator, or since the queue was made later.
@_spi(Baton) public struct QueueFigures: Hashable, Sendable {
    /// The queue's name.
    public var name: String
    /// The queue's settings.
    public var settings: QueueSettings
    /// The number of the queue's pending, ready and executing operations; the outcomes are 0.
    public var counts: JobCounts
    /// How the queue's operations have ended; the states are 0.
    public var ended: JobCounts
    /// The number of operations that were submitted.
    public var submitted: Int
    /// The times from ready to started of all attempts.
    public var waits: DurationHistogram
    /// The times that attempts took, as their workers measured them.
    public var runs: DurationHistogram
}

/// Figures for people and programs that watch a cluster over time.
@_spi(Baton) extension Scheduler {
    /// The number of unfinished jobs in each state.
    ///
    /// - Complexity: O(unfinished jobs).
    public var unfinishedJobStates: [OperationState: Int] {
        var states: [OperationState: Int] = [.pending: 0, .ready: 0, .executing: 0]
        for job in graph.jobsByAge {
            states[graph[job].counts.state(isOpen: graph[job].isOpen), default: 0] += 1
        }
        return states
    }

    /// The figures of all queues, in the order of their creation.
    ///
    /// - Complexity: O(queues).
    public var queueFigures: [QueueFigures] {
        queues.indexes.map { index in
            let queue = queues[index]
            let ended = queue.ended - queue.totals.endedBefore
            return QueueFigures(
                name: queue.name,
                settings: queue.settings,
                counts: queue.counts,
                ended: ended,
                submitted: ended.finished + queue.counts.unfinished - queue.totals.restored,
                waits: queue.totals.waits,
                runs: queue.totals.runs
            )
        }
    }

    /// Notes which operations are there at the start of the coordinator.
    mutating func noteRestoredOperations() {
        for index in queues.indexes { queues[index].totals.restored = queues[index].counts.unfinished }
    }
}

extension JobCounts {
    /// The counts without others, which they include.
    fileprivate static func - (whole: JobCounts, part: JobCounts) -> JobCounts {
        var rest = JobCounts()
        rest.succeeded = whole.succeeded - part.succeeded
        rest.failed = whole.failed - part.failed
        rest.cancelled = whole.cancelled - part.cancelled
        rest.skipped = whole.skipped - part.skipped
        return rest
    }
}
