import Operations

/// Taking over what ran before a restart.
extension Scheduler {
    /// Opens the window in which workers are waited for.
    ///
    /// - Parameter workers: those that had a session when the record ended.
    mutating func openReconcileWindow(for workers: Set<String>) {
        reconciliation.expected = workers
        reconciliation.isOpen = true
        reconciliation.firstNewJob = nextJob
        timers.insert(Timer(deadline: now + configuration.reconcileWindow, purpose: .reconcileWindow))
    }

    /// Whether there is nothing left that workers could tell.
    ///
    /// What a worker executes as far as the record goes, and has come back without, is executed by nobody. A claim that does
    /// not hold yet waits for a completion, which follows the hello of the worker that keeps it.
    var isReconciled: Bool {
        reconciliation.expected.isEmpty && reconciliation.earlyClaims.isEmpty || jobs.count == 0 && hooks.places.isEmpty
    }

    /// Finds the operation that a returning worker holds a recorded, valid attempt of.
    ///
    /// - Parameter unclaimed: the attempts of the worker's earlier session that it did not name yet.
    mutating func takeBack(
        _ held: HeldAttempt,
        from unclaimed: inout [AttemptToken: Int32]
    ) -> Int32? {
        guard let node = unclaimed[held.token] ?? reconciliation.orphans[held.token],
            id(of: nodes[node]) == held.operation
        else { return nil }
        unclaimed[held.token] = nil
        reconciliation.orphans[held.token] = nil
        nodes[node].isWithheld = false
        return node
    }

    /// Takes over an attempt whose dispatch is missing in the record.
    ///
    /// - Returns: whether the worker may go on with it.
    mutating func adopt(_ held: HeldAttempt, of worker: Int32) -> Bool {
        guard reconciliation.isOpen, held.token.epoch < epoch, held.operation.job < reconciliation.firstNewJob,
            let whole = node(for: held.operation), isPlausible(held.attempt, of: nodes[whole])
        else { return false }
        var claims = reconciliation.earlyClaims[held.operation] ?? []
        let position = claims.firstIndex { $0.attempt >= held.attempt } ?? claims.endIndex
        if position < claims.endIndex, claims[position].attempt == held.attempt {
            guard claims[position].token == held.token else { return false }
            claims.remove(at: position)
        } else {
            guard reconciliation.knownTokens.insert(held.token).inserted else { return false }
        }
        let claim = Reconciliation.EarlyClaim(
            session: workers[worker].introduction.session,
            token: held.token,
            attempt: held.attempt,
            startedAt: held.phase == .waiting ? nil : now.before(microseconds: held.age)
        )
        claims.insert(claim, at: position)
        let node = isolate(held.operation, in: whole)
        reconciliation.earlyClaims[held.operation] = claims
        if held.attempt - 1 == nodes[node].attempt, nodes[node].stage == .sent, nodes[node].worker < 0,
            let recorded = token(of: nodes[node]), recorded < held.token
        {
            // It was given back and sent anew, and the crash came before that was on disk: the newer attempt counts.
            advance(node, on: .returned)
        } else {
            honourClaim(on: node)
        }
        return true
    }

    /// Whether an operation can have come as far as this attempt since the record was written.
    private func isPlausible(_ attempt: UInt32, of node: OperationNode) -> Bool {
        let entry = jobs[node.job].entries[Int(node.entry)]
        let retries = jobs[node.job].templates[Int(entry.template)].retries
        let lead = Int(attempt) - Int(node.attempt)
        return lead > 0 && lead <= 1 + Int(retries) + Int(configuration.maximumLosses)
    }

    /// Gives an operation whose turn could come to the worker that already holds its attempt.
    mutating func honourClaim(on place: Int32) {
        guard reconciliation.isOpen, nodes[place].stage == .ready, isFirst(nodes[place]) else { return }
        let node = nodes[place]
        guard var claims = reconciliation.earlyClaims[id(of: node)], let claim = claims.first,
            claim.attempt > node.attempt, let worker = sessions[claim.session]
        else { return }
        if claim.attempt - 1 > node.attempt {
            guard reconciliation.isEverybodyHeard else { return }
            countMissingAttempts(of: place, upTo: claim.attempt - 1)
        }
        claims.removeFirst()
        reconciliation.earlyClaims[id(of: node)] = claims.isEmpty ? nil : claims
        let hadTurn = node.hasTurn
        advance(place, on: .sent, Circumstances(worker: worker, token: claim.token))
        if hadTurn { noteStaleEntry(of: node) }
        if let start = claim.startedAt {
            advance(place, on: .started, Circumstances(startedAt: start))
        } else {
            recall(place)
        }
        if let end = claim.end { reconciliation.ends.append(end) }
    }

    /// Counts attempts that are over and of which nobody has told an end: as losses, as far as there can have been so many.
    private mutating func countMissingAttempts(of place: Int32, upTo attempt: UInt32) {
        let missing = attempt - nodes[place].attempt
        let possible = configuration.maximumLosses - min(configuration.maximumLosses, nodes[place].losses)
        let losses = min(missing, possible)
        nodes[place].attempt = attempt
        nodes[place].losses += losses
        nodes[place].failures += missing - losses
    }

    /// Keeps the end of an attempt whose claim may yet come to hold.
    ///
    /// - Returns: false where there is no such claim.
    mutating func holdBack(_ end: Reconciliation.HeldEnd) -> Bool {
        let claims = reconciliation.earlyClaims[end.operation] ?? []
        guard let position = claims.firstIndex(where: { $0.token == end.token && $0.session == end.session }) else {
            return false
        }
        reconciliation.earlyClaims[end.operation]?[position].end = end
        return true
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

    /// Gives up the claims on an operation that was finished by other means.
    mutating func dismissClaims(on operation: OperationID) {
        for claim in reconciliation.earlyClaims.removeValue(forKey: operation) ?? [] { dismiss(claim) }
    }

    /// Ends the wait once there is nothing left to be told, or the time is up.
    mutating func closeReconcileWindowIfDue() {
        guard reconciliation.isOpen, reconciliation.isTimeUp || isReconciled else { return }
        if !reconciliation.isTimeUp { noteStaleTimer() }
        closeReconcileWindow()
        settle()
    }

    /// What nobody claimed is lost, what could not have started is to be ended, and the requests that waited are carried out.
    private mutating func closeReconcileWindow() {
        // As long as the window is open, what is lost may find a claim on its next attempt.
        for (_, node) in reconciliation.orphans.sorted(by: { $0.key < $1.key }) {
            lose(node, with: "of before the restart")
        }
        // Where that was the end of something, what it let go on may be claimed too.
        settle()
        honourClaimsWithGaps()
        resumeDueRequests()
        carryOutPostponed()
        let claims = reconciliation.earlyClaims.sorted { $0.key < $1.key }
        reconciliation.isOpen = false
        reconciliation.isEverybodyHeard = false
        // Whoever comes later comes as a new one: what it holds does not count any more, and it starts nothing of that, because
        // the lease that it has of the coordinator of before is over.
        for name in reconciliation.expected.sorted() { emit(.keep(.worker(name, hasSession: false))) }
        reconciliation.expected = []
        reconciliation.knownTokens = []
        reconciliation.earlyClaims = [:]
        for (operation, claim) in claims.flatMap({ operation, claims in claims.map { (operation, $0) } }) {
            dismiss(claim)
            guard claim.startedAt != nil, let place = node(for: operation), nodes[place].state != .executing,
                nodes[place].attempt < claim.attempt
            else { continue }
            // It did run: the next attempt is another one (D3).
            countMissingAttempts(of: place, upTo: claim.attempt)
            emit(.keep(.operation(record(at: place))))
        }
    }

    /// Honours the claims on attempts whose predecessors are in no record, and that nobody has come with.
    ///
    /// They were lost, and nobody could write that down any more: the disk was full, say. From now on, such a claim also holds
    /// for what has its turn only because of another.
    private mutating func honourClaimsWithGaps() {
        reconciliation.isEverybodyHeard = true
        for operation in reconciliation.earlyClaims.keys.sorted() {
            if let place = node(for: operation) { honourClaim(on: place) }
            settle()
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
