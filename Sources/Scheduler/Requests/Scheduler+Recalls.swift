@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Recalls of unstarted attempts, and client requests that wait for the workers' answers (SU8, CA15, D5).
extension Scheduler {
    /// Asks a worker to return a sent attempt, unless the worker has started the attempt.
    ///
    /// The current request waits for the answer.
    mutating func recall(_ place: NodeIndex) {
        let node = graph[place]
        guard node.stage == .sent, let token = token(of: node) else { return }
        noteRecall(of: token, node)
        guard !node.isRecalled else { return }
        markRecalled(place)
        // A withheld attempt needs no message: the attempt returns as soon as it would have been sent.
        if let worker = node.worker, !workers[worker].isAbsent, !node.isWithheld {
            requests.addMessage(to: worker, recalling: token)
        }
    }

    /// Asks a worker to end an operation's attempt, or to return the attempt if unstarted.
    mutating func askWorkerToEnd(_ place: NodeIndex) {
        let node = graph[place]
        guard let token = token(of: node) else { failInvariant("No worker has the operation that is to be ended.") }
        if node.stage == .sent {
            noteRecall(of: token, node)
            if !node.isRecalled { markRecalled(place) }
        }
        // The worker continues what it ends.
        if !graph.pauses.isEmpty, endPause(of: place) { claimResources(of: place) }
        // An absent worker is told on its return.
        if let worker = node.worker, !workers[worker].isAbsent, !node.isWithheld {
            emit(.endAttempts(workers[worker].introduction.session, [token]))
        }
    }

    /// Makes a change whose recalls the current request does not wait for.
    mutating func withoutWaiting(_ change: (inout Scheduler) -> Void) {
        let awaited = requests.takeRecalls()
        change(&self)
        requests.putBackRecalls(awaited)
    }

    private mutating func noteRecall(of token: AttemptToken, _ node: OperationNode) {
        requests.noteRecall(of: token, at: workerName(of: node))
    }

    /// The name of the worker that holds a node's attempt; empty without a worker.
    func workerName(of node: OperationNode) -> String {
        node.worker.map { workers[$0].introduction.name } ?? ""
    }

    private mutating func markRecalled(_ place: NodeIndex) {
        graph[place].isRecalled = true
        if let worker = graph[place].worker { workers.change(worker) { $0.recalledCount += 1 } }
    }

    /// Recalls all unstarted attempts of a queue's operations from workers.
    mutating func recallAll(ofQueue queue: QueueIndex) {
        for last in queues[queue].sent {
            var next = last
            while let node = next {
                recall(node)
                next = graph[node].previousSent
            }
        }
    }

    /// Sends the recalls of the event, after the dispatches that the recalls may concern.
    mutating func sendRecalls() {
        // No request waits for the recalls of a dispatch.
        requests.forgetRecalls()
        for (worker, tokens) in requests.takeMessages() {
            emit(.recallAttempts(workers[worker].introduction.session, tokens))
        }
    }

    // MARK: - Requests that wait

    /// Answers a client, once workers have answered all recalls of the request.
    mutating func answer(_ request: RequestID, _ answer: Answer) {
        if requests.awaitsRecalls {
            wait(request, until: .answer(answer))
        } else {
            emit(.answer(request, answer))
        }
    }

    /// Puts a request off if its operations may have started, until workers have answered.
    ///
    /// The operations are not sent to workers before the request is handled. Otherwise new dispatches could put the request
    /// off for ever.
    ///
    /// - Returns: whether the request was put off; if not, the caller handles the request now.
    mutating func deferRequest(_ event: Event, _ request: RequestID, for places: [NodeIndex]) -> Bool {
        // After the deadline, operations with unanswered recalls are left unchanged.
        guard !current.isGivingUp else { return false }
        for place in places { recall(place) }
        guard requests.awaitsRecalls else { return false }
        for place in places { reserve(place) }
        wait(request, until: .event(event), reserving: places.map { graph.reference(to: $0) })
        return true
    }

    /// Lets a request wait for its recalls.
    ///
    /// - Returns: the number of the wait.
    @discardableResult
    mutating func wait(
        _ request: RequestID,
        until continuation: DeferredRequest.Continuation,
        reserving reserved: [SlabReference<OperationNode>] = []
    ) -> UInt64 {
        let deadline = now + configuration.recallPatience
        let number = requests.put(request, until: continuation, reserving: reserved, deadline: deadline)
        timers.insert(Timer(deadline: deadline, purpose: .deferredRequest(number)))
        return number
    }

    /// Notes that an attempt is known to have started, or that no worker holds the attempt any more.
    mutating func resolve(_ token: AttemptToken) {
        noteStaleTimers(requests.resolve(token))
    }

    /// Whether any request waits for workers, for the end of the reconcile window or for the end of a large change.
    // In line, as what it asks: each end asks, and a call would copy the whole scheduler.
    @inline(__always) var isAnyRequestWaiting: Bool {
        !requests.isEmpty || reconciliation.hasPostponed || changes.hasWaiting
    }

    /// Passes the end of an operation, array or job to waiting requests that may name it (DE6); all other addresses have none.
    mutating func informDeferredRequests(_ end: (Address) -> DependencyEnd?) {
        requests.learn(end)
        reconciliation.learn(end)
        changes.learn(end)
    }

    /// Resumes the requests whose recalls are all answered, including requests that become due meanwhile.
    mutating func resumeDueRequests() {
        while let deferred = requests.takeDue() {
            resume(deferred)
            finishDeferredWork()
        }
    }

    /// Resumes a request whose recalls are all answered.
    private mutating func resume(_ deferred: DeferredRequest) {
        switch deferred.continuation {
        case .answer(let answer): emit(.answer(deferred.request, answer))
        case .event(let event): handle(event)
        case .turns: changes.endWait(of: deferred.request, silent: [])
        }
        for reference in deferred.reserved { unreserve(reference) }
    }

    /// Ends the wait of a request at its deadline; the answer names the workers that have not answered.
    mutating func expire(_ number: UInt64) {
        guard let deferred = requests.take(number) else { return }
        let silent = Set(deferred.awaited.values).sorted()
        switch deferred.continuation {
        case .answer(.changed(var report)):
            // Workers that an earlier deadline reported as silent stay named.
            report.unanswered = Set(report.unanswered + silent).sorted()
            emit(.answer(deferred.request, .changed(report)))
        case .answer(let answer):
            emit(.answer(deferred.request, answer))
        case .event(let event) where event.isAboutMany:
            current.isGivingUp = true
            handle(event)
            current.isGivingUp = false
        case .event:
            emit(.answer(deferred.request, .refused(.unanswered(by: silent))))
        case .turns: changes.endWait(of: deferred.request, silent: silent)
        }
        for reference in deferred.reserved { unreserve(reference) }
    }

    // MARK: - Reservations

    /// Keeps a node from being sent.
    mutating func reserve(_ place: NodeIndex) {
        if graph[place].hasTurn {
            graph[place].reservations = 1
            noteStaleEntry(of: graph[place])
        } else {
            graph[place].reservations += 1
        }
    }

    /// Lets a node be sent again that was reserved for a request.
    mutating func unreserve(_ reserved: SlabReference<OperationNode>) {
        guard let place = graph.resolve(reserved) else { return }
        graph[place].reservations -= 1
        invariant(graph[place].reservations >= 0, "An operation is reserved fewer than no times.")
        if graph[place].stage == .ready { enqueue(place) }
    }
}

extension Event {
    /// Stores the ends of finished targets that a request may want to add as dependencies; all others have none.
    ///
    /// - Returns: whether the request names any of the targets.
    mutating func learn(_ end: (Address) -> DependencyEnd?) -> Bool {
        guard case .depend(let operation, let dependencies, var ends, let request) = self else { return false }
        var isAnyMeant = false
        for case .existing(let address) in dependencies.lazy.map(\.target) {
            guard let end = end(address) else { continue }
            ends[address] = end
            isAnyMeant = true
        }
        if isAnyMeant { self = .depend(operation, dependencies, ends: ends, request: request) }
        return isAnyMeant
    }

    /// Whether the event can be handled for only a part of its operations.
    fileprivate var isAboutMany: Bool {
        switch self {
        case .hold, .setPriority: true
        default: false
        }
    }
}
