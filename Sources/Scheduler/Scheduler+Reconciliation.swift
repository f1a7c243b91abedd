import BatonOperations

/// Taking over what ran before a restart.
extension Scheduler {
    /// Opens the window in which workers are waited for.
    ///
    /// - Parameter workers: those that had a session when the record ended.
    mutating func openReconcileWindow(for workers: [String: WorkerRecord]) {
        reconciliation.expected = workers
        reconciliation.isOpen = true
        reconciliation.firstNewJob = nextJob
        // The record may lack that a worker gave an attempt back and that another worker was sent the operation.
        for node in nodes.places where nodes[node].stage != .executing {
            queues[Int(nodes[node].queue)].isGated = true
        }
        timers.insert(Timer(deadline: now + configuration.reconcileTime, purpose: .reconcileWindow))
    }

    /// Whether there is nothing left that workers could tell.
    ///
    /// What a worker executes as far as the record goes, and has come back without, is executed by nobody. A claim that does
    /// not hold yet waits for a completion, which follows the hello of the worker that keeps it.
    var isReconciled: Bool {
        reconciliation.expected.isEmpty && reconciliation.earlyClaims.isEmpty || jobs.count == 0 && hooks.places.isEmpty
    }

    /// Gives a worker a place that had a session or attempts when the record ended: it is waited for like one that is silent
    /// since the restart.
    ///
    /// - Returns: its place.
    mutating func seatAbsent(_ name: String, _ known: WorkerRecord) -> Int32 {
        let introduction = WorkerIntroduction(
            name: name,
            session: SessionID(rawValue: 0),
            slots: 0,
            id: known.id,
            life: known.life
        )
        var worker = WorkerState(introduction: introduction, lastHeard: now, lastActive: now)
        worker.isAbsent = true
        worker.condition = .suspect
        introductionBytes += introduction.heldBytes
        let place = workers.insert(worker)
        types.seat(place, types: [])
        workerPlaces[name] = place
        changeWorker(place) { _ in }
        watch(place, until: now + configuration.lostAfter)
        return place
    }

    /// Notes that a worker of before the restart has come back, or that another process has its place.
    mutating func noteReturn(of introduction: WorkerIntroduction) {
        let name = introduction.name
        guard reconciliation.isOpen,
            let known = reconciliation.expected.removeValue(forKey: name) ?? reconciliation.returned[name]
        else { return }
        reconciliation.returned[name] = known
        guard known.id != introduction.id || known.life != introduction.life, !reconciliation.isAnyoneReplaced else {
            return
        }
        reconciliation.isAnyoneReplaced = true
        // With the worker's new life, and not only at the end of the window: the next coordinator takes it for one that was there.
        noteMissingAttempts()
    }

    /// Finds the operation that a returning worker holds a valid attempt of.
    ///
    /// - Parameter unclaimed: the attempts of the worker's earlier session that it did not name yet.
    mutating func takeBack(
        _ held: HeldAttempt,
        from unclaimed: inout [AttemptToken: Int32]
    ) -> Int32? {
        guard let node = unclaimed[held.token], id(of: nodes[node]) == held.operation else { return nil }
        unclaimed[held.token] = nil
        nodes[node].isWithheld = false
        return node
    }

    /// Whether the start that a held attempt's token names knew the attempt's job.
    ///
    /// Job numbers repeat after an older copy of the record was put back: an attempt of the discarded state may name a number
    /// that a new job has since (D12).
    func couldMake(_ held: HeldAttempt) -> Bool {
        guard held.token.epoch < epoch, let next = starts[held.token.epoch + 1] else { return false }
        return held.operation.job < min(next.firstJob, reconciliation.firstNewJob)
    }

    /// Takes over an attempt whose dispatch is missing in the record.
    ///
    /// That can only be a first one, and of an operation of which the record has none: others are on disk before they are sent.
    ///
    /// - Returns: whether the worker may go on with it.
    mutating func adopt(_ held: HeldAttempt, of worker: Int32) -> Bool {
        guard reconciliation.isOpen, couldMake(held), held.attempt == 1, let whole = node(for: held.operation),
            nodes[whole].attempt == 0
        else { return false }
        if let claim = reconciliation.earlyClaims[held.operation] {
            guard claim.token == held.token else { return false }
        } else {
            guard reconciliation.knownTokens.insert(held.token).inserted else { return false }
        }
        let node = isolate(held.operation, in: whole)
        reconciliation.earlyClaims[held.operation] = Reconciliation.EarlyClaim(
            session: workers[worker].introduction.session,
            token: held.token,
            startedAt: held.phase == .waiting ? nil : now.before(microseconds: held.age)
        )
        if nodes[node].notBefore != nil {
            // The earlier coordinator saw the end of the delay. The record's clock, which a full disk did not take, is behind.
            endDelay(of: node)
            noteStaleTimer()
        }
        if nodes[node].stage == .sent, nodes[node].worker >= 0, workers[nodes[node].worker].isAbsent,
            let recorded = token(of: nodes[node]), recorded < held.token
        {
            // It was given back and sent anew, and the crash came before that was on disk: the newer attempt counts.
            advance(node, on: .returned)
        } else {
            honourClaim(on: node)
        }
        return true
    }

    /// Gives an operation whose turn could come to the worker that already holds its attempt.
    mutating func honourClaim(on place: Int32) {
        guard reconciliation.isOpen else { return }
        let node = nodes[place]
        guard node.stage == .ready, node.attempt == 0, !node.isCancelled, isFirst(node) else { return }
        guard let claim = reconciliation.earlyClaims[id(of: node)], let worker = sessions[claim.session] else { return }
        reconciliation.earlyClaims[id(of: node)] = nil
        let hadTurn = node.hasTurn
        advance(place, on: .sent, TransitionContext(worker: worker, token: claim.token))
        if hadTurn { noteStaleEntry(of: node) }
        if let start = claim.startedAt {
            advance(place, on: .started, TransitionContext(startedAt: start))
        } else {
            recall(place)
        }
        if let end = claim.end { reconciliation.ends.append(end) }
    }

    /// Keeps the end of an attempt whose claim may yet come to hold.
    ///
    /// - Returns: false where there is no such claim.
    mutating func holdBack(_ end: Reconciliation.HeldEnd) -> Bool {
        guard let claim = reconciliation.earlyClaims[end.operation], claim.token == end.token,
            claim.session == end.session
        else { return false }
        reconciliation.earlyClaims[end.operation]?.end = end
        // What is over has started, whether or not that was said, unless its worker could not start it.
        if case .workerFault(_, hasRun: false) = end.result.end { return true }
        if claim.startedAt == nil { reconciliation.earlyClaims[end.operation]?.startedAt = end.startedAt }
        return true
    }

    /// Notes that attempts have started whose claims do not hold yet.
    mutating func noteStartedClaims(_ session: SessionID, _ starts: [AttemptStart]) {
        let ages = Dictionary(starts.lazy.map { ($0.token, $0.age) }, uniquingKeysWith: { first, _ in first })
        for (operation, claim) in reconciliation.earlyClaims where claim.session == session && claim.startedAt == nil {
            guard let age = ages[claim.token] else { continue }
            reconciliation.earlyClaims[operation]?.startedAt = now.before(microseconds: age)
        }
    }

    /// Handles the ends of attempts whose claims have come to hold: a loop, however many depend on one another.
    mutating func endHeldAttempts() {
        var next = 0
        while next < reconciliation.ends.count {
            let end = reconciliation.ends[next]
            next += 1
            // It was said some time ago, and is no sign of life now.
            if let worker = sessions[end.session] { take(end, from: worker) }
            finishSkipped()
        }
        reconciliation.ends.removeAll()
    }

    /// Gives up the claim on an operation that was finished by other means.
    mutating func dismissClaim(on operation: OperationID) {
        if let claim = reconciliation.earlyClaims.removeValue(forKey: operation) { dismiss(claim) }
    }

    /// Ends the wait once there is nothing left to be told, or the time is up.
    mutating func closeReconcileWindowIfDue() {
        guard reconciliation.isOpen, reconciliation.isTimeUp || isReconciled else { return }
        if !reconciliation.isTimeUp { noteStaleTimer() }
        closeReconcileWindow()
        settle()
    }

    /// What could not have started is to be ended, and the requests that waited are carried out.
    ///
    /// What the record says was dispatched stays with its worker until that is back or lost.
    private mutating func closeReconcileWindow() {
        if reconciliation.isAnyoneReplaced || !reconciliation.expected.isEmpty { noteMissingAttempts() }
        raiseFirstAttempts()
        carryOutPostponed()
        let claims = reconciliation.earlyClaims.sorted { $0.key < $1.key }
        reconciliation.isOpen = false
        // Whoever comes later starts nothing that the record does not have, because the lease that it has of the coordinator
        // of before is over; and what it has started of that does not count any more.
        for name in reconciliation.expected.keys.sorted() {
            // A worker that keeps its place stays in the record until it is lost: the next coordinator has to know its identity.
            if let place = workerPlaces[name], !workers[place].attempts.isEmpty { continue }
            emit(.keep(.worker(name, nil)))
        }
        reconciliation.expected = [:]
        reconciliation.returned = [:]
        reconciliation.knownTokens = []
        reconciliation.earlyClaims = [:]
        for (operation, claim) in claims {
            dismiss(claim)
            // It may run: the next attempt is another one (D3).
            guard let place = node(for: operation), nodes[place].attempt == 0, nodes[place].token == nil else {
                continue
            }
            nodes[place].attempt = 1
            if claim.hasRun { nodes[place].losses += 1 }
            emit(.keep(.operation(record(at: place))))
        }
        for place in workers.places
        where workers[place].isAbsent && workers[place].attempts.isEmpty {
            forget(place)
        }
        for queue in queues.indices where queues[queue].isGated {
            queues[queue].isGated = false
            serveQueue(Int32(queue))
        }
    }

    /// Passes over the number of the first attempt where one may have been made that the record does not have (D3).
    ///
    /// That is where the record has no attempt at all: a second one is on disk before it is sent. One note for each job is
    /// enough, since what never started is told by that. While the window is open the number is not passed over, also where an
    /// earlier coordinator had made the note: the worker that has the first attempt may come back with it.
    private mutating func raiseFirstAttempts() {
        for place in nodes.places where nodes[place].attempt == 0 && jobs[nodes[place].job].mayMissAttempts {
            // What a worker has is counted when that starts it, or has not; what is claimed, when that is decided.
            guard nodes[place].token == nil, reconciliation.earlyClaims[id(at: place)] == nil else { continue }
            nodes[place].attempt = 1
        }
    }

    /// Keeps of which jobs of before the restart first attempts may be missing in the record.
    private mutating func noteMissingAttempts() {
        var raised: Set<Int32> = []
        for place in nodes.places where nodes[place].attempt == 0 { raised.insert(nodes[place].job) }
        raised = raised.filter { jobs[$0].number < reconciliation.firstNewJob }
        for job in raised.sorted(by: { jobs[$0].number < jobs[$1].number }) where !jobs[job].mayMissAttempts {
            jobs[job].mayMissAttempts = true
            emit(.keep(.missingAttempts(jobs[job].number)))
        }
    }

    /// Carries out the requests that came while the window is open, as long as claims can still come to hold.
    ///
    /// An operation may have been let go by a request that the coordinator of before had neither acknowledged nor on disk. Its
    /// client asks again; then what runs because of it is rightly running, whatever the request was.
    private mutating func carryOutPostponed() {
        while !reconciliation.postponed.isEmpty {
            // What is asked back of what workers came back with is no matter of its.
            recalls = [:]
            handle(reconciliation.postponed.removeFirst())
            settle()
            resumeDueRequests()
        }
    }

    private mutating func dismiss(_ claim: Reconciliation.EarlyClaim) {
        guard sessions[claim.session] != nil else { return }
        if claim.end == nil {
            emit(.endAttempts(claim.session, [claim.token]))
        } else {
            emit(.acknowledge(claim.session, claim.token, isStale: true))
        }
    }
}
