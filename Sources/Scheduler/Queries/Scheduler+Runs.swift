@_spi(Baton) public import BatonOperations

/// An attempt, or a run of a completion hook, that has not ended as far as the scheduler knows.
@_spi(Baton) public struct PresentRun: Hashable, Sendable {
    /// The worker that has the run; nil if the record lacks the worker.
    public var worker: WorkerID?
    /// The queue of the operation.
    public var queue: String
}

/// Queries of what programs inside operations may do.
@_spi(Baton) extension Scheduler {
    /// The run with a token, from its dispatch to its end; nil for an ended run, and for any other token.
    ///
    /// Before the workers of before a restart have come back, the record may lack the last dispatches: a run that the record
    /// does not rule out counts as present, too.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - number: the number of the attempt.
    ///   - token: the token of the attempt, or of the hook's run.
    public func presentRun(of operation: OperationID, attempt number: UInt32, _ token: AttemptToken) -> PresentRun? {
        if let node = graph.node(for: operation) ?? graph.reruns[operation]?.place {
            let queue = queues[graph[node].queue].name
            if let present = self.token(of: graph[node]) {
                return present == token ? PresentRun(worker: identity(of: graph[node].worker), queue: queue) : nil
            }
            guard mayBeUnrecorded(token, of: operation), number == 1, graph[node].attempt == 0 else { return nil }
            return PresentRun(worker: nil, queue: queue)
        }
        guard let place = hooks.places[operation] else { return nil }
        let queue = hooks.entries[place].hook.queue
        if let present = hooks.entries[place].token {
            return present == token
                ? PresentRun(worker: identity(of: hooks.entries[place].worker), queue: queue) : nil
        }
        return mayBeUnrecorded(token, of: operation) ? PresentRun(worker: nil, queue: queue) : nil
    }

    /// Whether a returning worker could yet report a run of which the record knows nothing.
    private func mayBeUnrecorded(_ token: AttemptToken, of operation: OperationID) -> Bool {
        reconciliation.isOpen && !tokens.isForeign(token) && isOfKnownStart(token, operation)
            && reconciliation.isLater(token, of: operation)
    }

    /// The identity of a worker; nil for an unknown one.
    private func identity(of worker: WorkerIndex?) -> WorkerID? {
        guard let worker else { return nil }
        let id = workers[worker].introduction.id
        return id == .unknown ? nil : id
    }

    /// The identity of the worker with a current session; nil if the session is not current, or the worker has no identity.
    public func identity(of session: SessionID) -> WorkerID? { identity(of: workers.index(ofSession: session)) }

    /// The queue of the unfinished operations that an address denotes; nil for a job, and if there are none.
    public func queue(of address: Address) -> String? {
        let node: NodeIndex? =
            switch address {
            case .job, .operations: nil
            case .operation(let id): graph.node(for: id)
            case .named(let number, let name): anyNode(named: name, in: number)
            }
        return node.map { queues[graph[$0].queue].name }
    }

    private func anyNode(named name: String, in number: JobNumber) -> NodeIndex? {
        guard let job = graph.job(number), let entry = graph[job].entry(named: name) else { return nil }
        let live = graph[job].entries[entry]
        guard let array = live.array else { return live.node }
        return graph[job].arrays[array.offset].blocks.first ?? graph[job].arrays[array.offset].elements.values.first
    }

    /// Whether a job's number has been given: no later job gets it.
    public func hasGiven(_ job: JobNumber) -> Bool { job < recordState.nextJob }
}
