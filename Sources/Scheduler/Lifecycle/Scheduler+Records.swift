@_spi(Baton) import BatonOperations

/// The records of unfinished operations, and the counts of operations by state.
extension Scheduler {
    /// Adds to the counts of a node's job and queue, and of the cluster.
    mutating func count(_ node: OperationNode, in state: OperationState, by number: Int) {
        queues[node.queue].counts.add(number, to: state)
        // A finished operation that runs again stays finished for everybody else.
        if isRerun(node) { return }
        graph[node.job].counts.add(number, to: state)
        graph.totals.add(number, to: state)
    }

    /// Whether the dispatch of an attempt must be on disk before the attempt reaches its worker.
    ///
    /// An early commit is needed in four cases. First, the operation is never restarted. Second, the job itself is not on
    /// disk: if the coordinator lost the job in a crash, the client would submit the job again, and nothing would tell the
    /// two executions apart. Third, an earlier attempt was made or may have been made, or a first attempt was returned
    /// unstarted. Fourth, a condition was met by something else than an attempt: a release, the end of a delay, a dependency
    /// that was removed or that did not run. Therefore, after a restart, the record can lack only first dispatches, and only
    /// of operations that the ends of attempts let start (``noteUnsent(_:)``); no two executions share a number (D3).
    // In line, because each dispatch asks: a call would copy the whole scheduler.
    @inline(__always)
    func mustBeCommitted(_ place: NodeIndex) -> Bool {
        let node = graph[place]
        return !graph[node.job].isCommitted || node.attempt > 0 || node.isRecordedFirst
            || graph.restartPolicy(at: place) == .never
    }

    /// The record of the unfinished node at an index.
    ///
    /// The node is copied to a variable before the call, here and in other functions that take an index: if the node were read
    /// in place, the compiler would copy the whole scheduler for the called function. Both functions are in line for the same reason.
    @inline(__always)
    func record(at place: NodeIndex) -> OperationRecord {
        let node = graph[place]
        return record(of: node)
    }

    /// The record of an unfinished node, which is no rerun.
    @inline(__always)
    func record(of node: OperationNode) -> OperationRecord {
        OperationRecord(
            of: graph.id(of: node),
            count: node.count,
            state: node.state,
            isCancelled: node.isCancelled,
            attempt: node.attempt,
            losses: node.losses,
            failures: node.failures,
            token: node.token,
            worker: node.worker.map { workers[$0].introduction.name },
            readyAt: node.readyAt,
            startedAt: node.startedAt,
            notBefore: node.notBefore,
            isHeld: node.isHeld,
            priorityChange: node.priorityChange
        )
    }

    /// The record of an unfinished node, or of the finished operation whose rerun the node is.
    ///
    /// Apart from ``record(of:)``, which is on the way of each operation: there it would cost a copy of the record.
    @inline(never)
    func presentRecord(of node: OperationNode) -> OperationRecord { rerunRecord(of: node) ?? record(of: node) }

    /// Commits the record of a node.
    @inline(__always)
    mutating func commitPresentRecord(of place: NodeIndex) {
        if graph.reruns.isEmpty {
            emit(.commit(.operation(record(at: place))))
        } else {
            commitRecordBesideReruns(of: place)
        }
    }

    @inline(never)
    private mutating func commitRecordBesideReruns(of place: NodeIndex) {
        let node = graph[place]
        emit(.commit(.operation(presentRecord(of: node))))
    }
}

extension OperationNode {
    /// The priority and the order, as the record has them; nil for those of the submission.
    @inline(__always) var priorityChange: OperationRecord.PriorityChange? {
        order == sequence ? nil : OperationRecord.PriorityChange(priority: priority, order: order)
    }
}
