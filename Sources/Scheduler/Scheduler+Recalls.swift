import BatonOperations

/// Recalls of unstarted attempts, and client requests that wait for the workers' answers (SU8, CA15, D5).
extension Scheduler {
    /// Asks a worker to return a sent attempt, unless the worker has started the attempt.
    ///
    /// The current request waits for the answer.
    mutating func recall(_ place: Int32) {
        let node = nodes[place]
        guard node.stage == .sent, let token = token(of: node) else { return }
        noteRecall(of: token, node)
        guard !node.isRecalled else { return }
        markRecalled(place)
        // A withheld attempt needs no message: the attempt returns as soon as it would have been sent.
        if node.worker >= 0, !workers[node.worker].isAbsent, !node.isWithheld {
            recallMessages[node.worker, default: []].append(token)
        }
    }

    /// Asks a worker to end an operation's attempt, or to return the attempt if unstarted.
    mutating func askWorkerToEnd(_ place: Int32) {
        let node = nodes[place]
        guard let token = token(of: node) else { return }
        if node.stage == .sent {
            noteRecall(of: token, node)
            if !node.isRecalled { markRecalled(place) }
        }
        // An absent worker is told on its return.
        if node.worker >= 0, !workers[node.worker].isAbsent, !node.isWithheld {
            emit(.endAttempts(workers[node.worker].introduction.session, [token]))
        }
    }

    private mutating func noteRecall(of token: AttemptToken, _ node: OperationNode) {
        recalls[token] = workerName(of: node)
    }

    /// The name of the worker that holds a node's attempt; empty without a worker.
    func workerName(of node: OperationNode) -> String {
        node.worker >= 0 ? workers[node.worker].introduction.name : ""
    }

    private mutating func markRecalled(_ place: Int32) {
        nodes[place].isRecalled = true
        if nodes[place].worker >= 0 { changeWorker(nodes[place].worker) { $0.recalledCount += 1 } }
    }

    /// Recalls all unstarted attempts of a queue's operations from workers.
    mutating func recallAll(ofQueue place: Int32) {
        for last in queues[Int(place)].sent {
            var next = last
            while next >= 0 {
                recall(next)
                next = nodes[next].previousSent
            }
        }
    }

    /// Sends the recalls of the event, after the dispatches that the recalls may concern.
    mutating func sendRecalls() {
        recalls = [:]
        guard !recallMessages.isEmpty else { return }
        for (worker, tokens) in recallMessages.sorted(by: { $0.key < $1.key }) {
            emit(.recallAttempts(workers[worker].introduction.session, tokens))
        }
        recallMessages = [:]
    }

    // MARK: - Requests that wait

    /// Answers a client, once workers have answered all recalls of the request.
    mutating func answer(_ request: RequestID, _ answer: Answer) {
        if recalls.isEmpty {
            emit(.answer(request, answer))
        } else {
            hold(request, until: .answer(answer))
        }
    }

    /// Puts a request off if its operations may have started, until workers have answered.
    ///
    /// The operations are not sent to workers before the request is handled. Otherwise new dispatches could put the request
    /// off for ever.
    ///
    /// - Returns: whether the request was put off; if not, the caller handles the request now.
    mutating func putOff(_ event: Event, _ request: RequestID, for places: [Int32]) -> Bool {
        // After the deadline, operations with unanswered recalls are left unchanged.
        guard !isGivingUp else { return false }
        for place in places { recall(place) }
        guard !recalls.isEmpty else { return false }
        for place in places { reserve(place) }
        hold(request, until: .event(event), reserving: places.map { nodes.reference(to: $0) })
        return true
    }

    private mutating func hold(
        _ request: RequestID,
        until continuation: HeldRequest.Continuation,
        reserving reserved: [Slab<OperationNode>.Reference] = []
    ) {
        let number = nextHeldRequest
        nextHeldRequest += 1
        let deadline = now + configuration.recallPatience
        for token in recalls.keys { awaiting[token, default: []].append(number) }
        heldRequests[number] = HeldRequest(
            request: request,
            continuation: continuation,
            awaited: recalls,
            reserved: reserved,
            deadline: deadline
        )
        recalls = [:]
        timers.insert(Timer(deadline: deadline, purpose: .heldRequest(number)))
    }

    /// Notes that an attempt is known to have started, or that no worker holds the attempt any more.
    mutating func resolve(_ token: AttemptToken) {
        // The function is called for every attempt, and usually no request waits.
        guard !awaiting.isEmpty, let numbers = awaiting.removeValue(forKey: token) else { return }
        for number in numbers {
            heldRequests[number]?.awaited[token] = nil
            guard heldRequests[number]?.awaited.isEmpty == true else { continue }
            dueRequests.append(number)
            noteStaleTimer()
        }
    }

    /// Notes the worker of an attempt that requests wait for: the worker may have returned under a name since the recalls.
    mutating func reassign(_ token: AttemptToken, to worker: String) {
        for number in awaiting[token] ?? [] { heldRequests[number]?.awaited[token] = worker }
    }

    /// Whether any request waits for workers or for the end of the reconcile window.
    var isAnyRequestWaiting: Bool { !heldRequests.isEmpty || !reconciliation.postponed.isEmpty }

    /// Passes the outcome of an operation, array or job to waiting requests that may name it (DE6).
    mutating func tellHeldRequests(of fate: SettledDependency, _ isMeant: (Address) -> Bool) {
        for (number, held) in heldRequests {
            guard case .event(var event) = held.continuation, event.learn(fate, ofTargets: isMeant) else { continue }
            heldRequests[number]?.continuation = .event(event)
        }
        for position in reconciliation.postponed.indices {
            _ = reconciliation.postponed[position].learn(fate, ofTargets: isMeant)
        }
    }

    /// Resumes the requests whose recalls are all answered, including requests that become due meanwhile.
    mutating func resumeDueRequests() {
        while !dueRequests.isEmpty {
            resume(dueRequests.removeFirst())
            settle()
        }
    }

    /// Resumes a request whose recalls are all answered.
    private mutating func resume(_ number: UInt64) {
        guard let held = heldRequests.removeValue(forKey: number) else { return }
        // The request does not wait for recalls by other requests in the same event.
        recalls = [:]
        switch held.continuation {
        case .answer(let answer): emit(.answer(held.request, answer))
        case .event(let event): handle(event)
        }
        release(held.reserved)
    }

    /// Ends the wait of a request at its deadline; the answer names the workers that have not answered.
    mutating func giveUp(_ number: UInt64) {
        guard let held = heldRequests.removeValue(forKey: number) else { return }
        for token in held.awaited.keys {
            awaiting[token]?.removeAll { $0 == number }
            if awaiting[token]?.isEmpty == true { awaiting[token] = nil }
        }
        let silent = Set(held.awaited.values).sorted()
        switch held.continuation {
        case .answer(.changed(var report)):
            // Workers that an earlier deadline reported as silent stay named.
            report.unanswered = Set(report.unanswered + silent).sorted()
            emit(.answer(held.request, .changed(report)))
        case .answer(let answer):
            emit(.answer(held.request, answer))
        case .event(let event) where event.isAboutMany:
            recalls = [:]
            isGivingUp = true
            handle(event)
            isGivingUp = false
        case .event:
            emit(.answer(held.request, .refused(.unanswered(by: silent))))
        }
        release(held.reserved)
    }

    // MARK: - Reservations

    /// Keeps a node from being sent.
    private mutating func reserve(_ place: Int32) {
        if nodes[place].hasTurn {
            nodes[place].reservations = 1
            noteStaleEntry(of: nodes[place])
        } else {
            nodes[place].reservations += 1
        }
    }

    /// Lets nodes be sent again that were reserved for a request.
    private mutating func release(_ reserved: [Slab<OperationNode>.Reference]) {
        for reference in reserved {
            guard let place = nodes.resolve(reference) else { continue }
            nodes[place].reservations -= 1
            if nodes[place].stage == .ready { putInLine(place) }
        }
    }

    /// Reserves the rest of a split block for the requests that have reserved the block.
    mutating func shareReservations(of block: Int32, with rest: Int32) {
        let (reference, other) = (nodes.reference(to: block), nodes.reference(to: rest))
        for number in heldRequests.keys where heldRequests[number]?.reserved.contains(reference) == true {
            heldRequests[number]?.reserved.append(other)
        }
    }
}

extension Event {
    /// Stores the outcome of finished targets that a request may want to add as dependencies.
    ///
    /// - Returns: whether the request names any of the targets.
    fileprivate mutating func learn(_ fate: SettledDependency, ofTargets isMeant: (Address) -> Bool) -> Bool {
        guard case .depend(let operation, let dependencies, var settled, let request) = self else { return false }
        var isAnyMeant = false
        for case .existing(let address) in dependencies.lazy.map(\.target) where isMeant(address) {
            settled[address] = fate
            isAnyMeant = true
        }
        if isAnyMeant { self = .depend(operation, dependencies, settled: settled, request: request) }
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
