import BatonOperations

/// Taking back what was sent and has not started, and keeping clients waiting until that is known (SU8, CA15, D5).
extension Scheduler {
    /// Asks a worker to give an operation back that it was sent and may not have started.
    ///
    /// The request that is being handled waits for the answer.
    mutating func recall(_ place: Int32) {
        let node = nodes[place]
        guard node.stage == .sent, let token = token(of: node) else { return }
        noteRecall(of: token, node)
        guard !node.isRecalled else { return }
        markRecalled(place)
        // What was withheld is back as soon as it would have been sent.
        if node.worker >= 0, !workers[node.worker].isAbsent, !node.isWithheld {
            recallMessages[node.worker, default: []].append(token)
        }
    }

    /// Asks a worker to end an operation's attempt, or to give it back where it has not started it.
    mutating func askWorkerToEnd(_ place: Int32) {
        let node = nodes[place]
        guard let token = token(of: node) else { return }
        if node.stage == .sent {
            noteRecall(of: token, node)
            if !node.isRecalled { markRecalled(place) }
        }
        // Whoever is not back is told when it is.
        if node.worker >= 0, !workers[node.worker].isAbsent, !node.isWithheld {
            emit(.endAttempts(workers[node.worker].introduction.session, [token]))
        }
    }

    private mutating func noteRecall(of token: AttemptToken, _ node: OperationNode) {
        recalls[token] = workerName(of: node)
    }

    /// The name of the worker that has a node's attempt.
    func workerName(of node: OperationNode) -> String {
        node.worker >= 0 ? workers[node.worker].introduction.name : ""
    }

    private mutating func markRecalled(_ place: Int32) {
        nodes[place].isRecalled = true
        if nodes[place].worker >= 0 { changeWorker(nodes[place].worker) { $0.recalledCount += 1 } }
    }

    /// Asks back all that was sent of a queue's operations and has not started.
    mutating func recallAll(ofQueue place: Int32) {
        for last in queues[Int(place)].sent {
            var next = last
            while next >= 0 {
                recall(next)
                next = nodes[next].previousSent
            }
        }
    }

    /// Sends the recalls of the event: behind the dispatches that they may be about.
    mutating func sendRecalls() {
        recalls = [:]
        guard !recallMessages.isEmpty else { return }
        for (worker, tokens) in recallMessages.sorted(by: { $0.key < $1.key }) {
            emit(.recallAttempts(workers[worker].introduction.session, tokens))
        }
        recallMessages = [:]
    }

    // MARK: - Requests that wait

    /// Answers a client, once all is known that it has asked back.
    mutating func answer(_ request: RequestID, _ answer: Answer) {
        if recalls.isEmpty {
            emit(.answer(request, answer))
        } else {
            hold(request, until: .answer(answer))
        }
    }

    /// Puts a request off that is about operations of which it is not known whether they have started.
    ///
    /// None of them is sent before it is carried out: it would never find all of them known while others flow.
    ///
    /// - Returns: whether it was put off; else all is known, and it is to be carried out now.
    mutating func putOff(_ event: Event, _ request: RequestID, for places: [Int32]) -> Bool {
        // Where the time is up, what is not known by now is left as it is.
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

    /// Notes that it is known of an attempt whether it has started, or that nobody has it any more.
    mutating func resolve(_ token: AttemptToken) {
        // Usually nobody waits for anything, and this is asked of every attempt.
        guard !awaiting.isEmpty, let numbers = awaiting.removeValue(forKey: token) else { return }
        for number in numbers {
            heldRequests[number]?.awaited[token] = nil
            guard heldRequests[number]?.awaited.isEmpty == true else { continue }
            dueRequests.append(number)
            noteStaleTimer()
        }
    }

    /// Notes who has an attempt that requests wait for: its worker may have come back under a name since they were asked.
    mutating func reassign(_ token: AttemptToken, to worker: String) {
        for number in awaiting[token] ?? [] { heldRequests[number]?.awaited[token] = worker }
    }

    /// Whether there is any request that was put off.
    var isAnyRequestWaiting: Bool { !heldRequests.isEmpty || !reconciliation.postponed.isEmpty }

    /// Tells the requests that were put off what has become of something that they may name (DE6).
    mutating func tellHeldRequests(of fate: SettledDependency, _ isMeant: (Address) -> Bool) {
        for (number, held) in heldRequests {
            guard case .event(var event) = held.continuation, event.learn(fate, ofTargets: isMeant) else { continue }
            heldRequests[number]?.continuation = .event(event)
        }
        for position in reconciliation.postponed.indices {
            _ = reconciliation.postponed[position].learn(fate, ofTargets: isMeant)
        }
    }

    /// Goes on with the requests of which all has become known, and with those of which that becomes known by it.
    mutating func resumeDueRequests() {
        while !dueRequests.isEmpty {
            resume(dueRequests.removeFirst())
            settle()
        }
    }

    /// Goes on with a request of which all is known.
    private mutating func resume(_ number: UInt64) {
        guard let held = heldRequests.removeValue(forKey: number) else { return }
        // What others have asked back by this event is no matter of its.
        recalls = [:]
        switch held.continuation {
        case .answer(let answer): emit(.answer(held.request, answer))
        case .event(let event): handle(event)
        }
        release(held.reserved)
    }

    /// Answers a request whose time is up: it is said which workers have not answered.
    mutating func giveUp(_ number: UInt64) {
        guard let held = heldRequests.removeValue(forKey: number) else { return }
        for token in held.awaited.keys {
            awaiting[token]?.removeAll { $0 == number }
            if awaiting[token]?.isEmpty == true { awaiting[token] = nil }
        }
        let silent = Set(held.awaited.values).sorted()
        switch held.continuation {
        case .answer(.changed(var report)):
            // Those that it had been given up for before stay named.
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

    /// Lets nodes be sent again that were kept for a request.
    private mutating func release(_ reserved: [Slab<OperationNode>.Reference]) {
        for reference in reserved {
            guard let place = nodes.resolve(reference) else { continue }
            nodes[place].reservations -= 1
            if nodes[place].stage == .ready { putInLine(place) }
        }
    }

    /// Keeps the rest of a block for the requests that the block is kept for.
    mutating func shareReservations(of block: Int32, with rest: Int32) {
        let (reference, other) = (nodes.reference(to: block), nodes.reference(to: rest))
        for number in heldRequests.keys where heldRequests[number]?.reserved.contains(reference) == true {
            heldRequests[number]?.reserved.append(other)
        }
    }
}

extension Event {
    /// Takes in what has become of some that a request may want to make dependencies.
    ///
    /// - Returns: whether it names any of them.
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

    /// Whether it can be carried out for some of the operations that it is about.
    fileprivate var isAboutMany: Bool {
        switch self {
        case .hold, .setPriority: true
        default: false
        }
    }
}
