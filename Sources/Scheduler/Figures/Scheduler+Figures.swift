@_spi(Baton) public import BatonOperations

/// What has happened in a queue since it was made, as far as the record knows, and what is the case now.
@_spi(Baton) public struct QueueFigures: Hashable, Sendable {
    /// The queue's name, or ``ClusterTotals/otherQueues``: figures with this label are parts of a sum.
    public var label: String
    /// The queue's settings; those of a new queue for a deleted one.
    public var settings: QueueSettings
    /// The number of the queue's pending, ready and executing operations; the outcomes are 0.
    public var counts: JobCounts
    /// How the queue's operations have ended.
    public var ended: EndCounts
    /// The times from ready to started of all attempts since the start of the coordinator.
    public var waits: DurationHistogram
    /// The times that attempts took, as their workers measured them, since the start of the coordinator.
    public var runs: DurationHistogram

    /// The number of operations that were submitted, which have all ended or are unfinished.
    public var submitted: Int { ended.sum.addingSaturated(counts.unfinished) }
}

extension QueueFigures {
    /// The figures of a deleted queue, or what deleted queues add to a sum.
    fileprivate init(_ deleted: QueueLabels.Deleted) {
        self.init(
            label: deleted.name,
            settings: QueueSettings(),
            counts: JobCounts(),
            ended: deleted.ends,
            waits: deleted.totals.waits,
            runs: deleted.totals.runs
        )
    }
}

/// How many of a worker's slots are used.
@_spi(Baton) public struct WorkerLoad: Hashable, Sendable {
    /// The worker's name.
    public var name: String
    /// The number of attempts that the worker runs now.
    public var executing: Int
    /// The number of attempts that the worker runs at once.
    public var slots: Int

    /// Describes a load.
    public init(name: String, executing: Int, slots: Int) {
        (self.name, self.executing, self.slots) = (name, executing, slots)
    }
}

/// Figures for people and programs that watch a cluster over time.
@_spi(Baton) extension Scheduler {
    /// The loads of the workers that are neither lost nor awaited after a restart, in no order.
    ///
    /// - Complexity: O(workers).
    public var workerLoads: [WorkerLoad] {
        workers.indexes.lazy.filter { !workers[$0].isAbsent && workers[$0].condition != .lost }.map { place in
            WorkerLoad(
                name: workers[place].introduction.name,
                executing: workers[place].executingCount,
                slots: workers[place].introduction.slots
            )
        }
    }

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

    /// The figures of all queues in the order of their creation, and then of those deleted queues that keep their labels.
    ///
    /// A restart changes no label, and no deletion makes a sum of the figures with the same label smaller.
    ///
    /// - Complexity: O(queues).
    public var queueFigures: [QueueFigures] {
        var figures = queues.indexes.map { index in
            let queue = queues[index]
            return QueueFigures(
                label: queues.hasLabel(index) ? queue.name : ClusterTotals.otherQueues,
                settings: queue.settings,
                counts: queue.counts,
                ended: queues.ends(of: index),
                waits: queue.totals.waits,
                runs: queue.totals.runs
            )
        }
        for queue in queues.labels.deleted { figures.append(QueueFigures(queue)) }
        let others = queues.labels.others
        if others.ends.sum > 0 { figures.append(QueueFigures(others)) }
        return figures
    }

    /// Takes the totals for the record, if any have changed since they were last taken.
    ///
    /// Call the function when the effects of all events are carried out and their changes are about to be committed: the totals
    /// are those of the state after these changes. Queues without a further end are missing.
    ///
    /// - Complexity: O(queues with further ends).
    public mutating func takeChangedTotals() -> ClusterTotals? {
        guard queues.hasChangedTotals || recordState.takenTotals != recordState.totals else { return nil }
        recordState.takenTotals = recordState.totals
        var totals = ClusterTotals()
        (totals.attempts, totals.jobs) = (recordState.totals.attempts, recordState.totals.jobs)
        queues.takeChangedTotals(into: &totals)
        return totals
    }

    /// Continues the totals of the record.
    mutating func restore(_ totals: ClusterTotals) {
        recordState.totals = RecordState.Totals(attempts: totals.attempts, jobs: totals.jobs)
        recordState.takenTotals = recordState.totals
    }
}
