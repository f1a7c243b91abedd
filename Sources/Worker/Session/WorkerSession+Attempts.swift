@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The life of attempts, from dispatch to acknowledgement.
extension WorkerSession {
    /// An attempt, from its dispatch until the acknowledgement of its end.
    struct Attempt: Sendable {
        /// The phase of an attempt.
        ///
        /// Large payloads are indirect: reads and growth of the table of attempts copy its elements.
        enum Phase: Sendable {
            /// No part of the attempt has run.
            ///
            /// An attempt that awaits inputs joins the ready queue only after their arrival (DE20), so no slot waits for the
            /// network.
            indirect case waiting(AssignedWork, awaitsInputs: Bool)
            /// The attempt was started and has not ended.
            case running
            /// The result lies in the outbox.
            indirect case finished(AttemptResult)
        }

        let operation: OperationID
        let number: UInt32
        let isHook: Bool
        /// The attempt's place in the worker's ready queue.
        let place: WaitingLine.Place
        var phase: Phase
        /// The inputs of a waiting Swift operation that have arrived.
        var typedInputs: [TypedInput] = []
        /// Whether the attempt overtook waiting attempts.
        ///
        /// Reports about such an attempt are urgent, since the coordinator may have more attempts for the front of the
        /// ready queue.
        var isOvertaking = false
        /// The place in the ledger of the directory; nil before the start, and for what needs no place.
        var startPlace: Int32?
        /// The time of the start, in microseconds; 0 while the attempt waits.
        var startedAt: Int64 = 0
        /// The time at which the last code of the attempt ended, in microseconds; 0 before.
        var endedAt: Int64 = 0
        /// Whether the attempt counts against the bound of its lane.
        var occupiesPlace = false
        /// Whether the coordinator no longer wants the attempt's result.
        var isDiscarded = false
        /// Whether the session has requested the attempt's end.
        var isEnding = false
        /// Whether the attempt belongs to a record other than the coordinator's, so that no report about it is
        /// expected.
        var isForeign = false

        var isFinished: Bool {
            if case .finished = phase { true } else { false }
        }

        /// The phase that a hello reports for the attempt.
        var claimedPhase: ClaimedAttempt.Phase {
            switch phase {
            case .waiting: .waiting
            case .running: .running
            case .finished: .finished
            }
        }

        /// Marks the attempt as running, with a place in its lane.
        mutating func start(at moment: Int64) {
            invariant(claimedPhase == .waiting, "An attempt starts a second time.")
            invariant(!occupiesPlace, "An attempt starts in a place that it has already.")
            phase = .running
            startedAt = moment
            occupiesPlace = true
        }

        /// Takes the attempt's place away.
        ///
        /// - Returns: whether the attempt had a place.
        mutating func leavePlace(at moment: Int64) -> Bool {
            guard occupiesPlace else { return false }
            occupiesPlace = false
            endedAt = moment
            return true
        }

        /// Stores the result, with the time for which the attempt had its place.
        mutating func finish(with result: AttemptResult) {
            invariant(!occupiesPlace, "An attempt that has ended has a place.")
            invariant(claimedPhase == .running, "An attempt ends that does not run.")
            invariant(endedAt >= startedAt, "An attempt ends before it starts.")
            var result = result
            result.microseconds = endedAt - startedAt
            phase = .finished(result)
        }
    }

    /// The maximum number of completion hooks that run at once, in addition to the attempts in slots.
    static let hooksAtOnce = 4

    /// Whether a hello of this session, answered or not, claims the attempts.
    private var hasSaidHello: Bool {
        switch connection {
        case .greeting, .welcomed: true
        // The next hello in the same connection is that of another session.
        case .away, .opening, .standingBy, .refused, .over: false
        }
    }

    mutating func withLane(ofHooks: Bool, _ body: (inout Lane) -> Void) {
        if ofHooks { body(&hooks) } else { body(&slots) }
    }
}

// MARK: - Before the start

extension WorkerSession {
    mutating func accept(_ batch: DispatchBatch) {
        for item in batch.items {
            let token = item.assignment.token
            guard attempts[token] == nil, !forgotten.contains(token),
                batch.works.indices.contains(Int(item.work)), batch.queues.indices.contains(Int(item.queue))
            else { continue }
            let work = batch.works[Int(item.work)]
            accept(AssignedWork(assignment: item.assignment, work: work, queue: batch.queues[Int(item.queue)]))
        }
    }

    private mutating func accept(_ assigned: AssignedWork) {
        let assignment = assigned.assignment
        guard leaving == .no else { return giveBack(assignment.token) }
        let place = WaitingLine.Place(turn: assignment.turn, arrival: nextArrival)
        let awaitsInputs = assigned.hasInputs || assigned.hasTypedInputs
        attempts[assignment.token] = Attempt(
            operation: assignment.operation,
            number: assignment.attempt,
            isHook: assignment.isHook,
            place: place,
            phase: .waiting(assigned, awaitsInputs: awaitsInputs)
        )
        if awaitsInputs {
            inputs.add(assignment.token, at: place)
        } else {
            line(assignment.token, at: place, isHook: assignment.isHook)
        }
        nextArrival += 1
    }

    mutating func receiveInputs(_ token: AttemptToken, _ inputs: [Input], isLast: Bool) {
        guard let attempt = attempts[token], case .waiting(let assigned, awaitsInputs: true) = attempt.phase,
            assigned.hasInputs
        else { return }
        self.inputs.receive(inputs.reduce(0) { $0 + $1.bytes.count }, of: token, isLast: isLast)
        if !inputs.isEmpty { effects.append(.storeInputs(token, inputs)) }
        if isLast, !fetchFiles(for: token) { lineWithInputs(token, attempt.place, assigned) }
    }

    mutating func receiveInputs(_ token: AttemptToken, first: UInt32, _ inputs: [TypedInput], isLast: Bool) {
        guard let attempt = attempts[token], case .waiting(var assigned, awaitsInputs: true) = attempt.phase,
            assigned.hasTypedInputs, Int(first) == attempt.typedInputs.count
        else { return }
        self.inputs.receive(inputs.reduce(0) { $0 + ($1.result?.count ?? 0) }, of: token, isLast: isLast)
        attempts[token]?.typedInputs += inputs
        guard isLast else { return }
        assigned.inputs = attempts[token]?.typedInputs ?? []
        attempts[token]?.typedInputs = []
        lineWithInputs(token, attempt.place, assigned)
    }

    /// Inserts an attempt whose inputs have arrived into the ready queue.
    mutating func lineWithInputs(_ token: AttemptToken, _ place: WaitingLine.Place, _ assigned: AssignedWork) {
        attempts[token]?.phase = .waiting(assigned, awaitsInputs: false)
        line(token, at: place, isHook: false)
    }

    /// Asks anew for the inputs of a waiting attempt, in a new session; what has arrived of them is dropped.
    mutating func awaitInputsAnew(of token: AttemptToken, at place: WaitingLine.Place) {
        attempts[token]?.typedInputs = []
        files.forgetFetch(for: token)
        inputs.add(token, at: place)
    }

    /// Requests the inputs of the next attempts, as far as the window has room.
    mutating func requestInputs() {
        guard isWelcomed else { return }
        while let token = inputs.takeNext() {
            guard let attempt = attempts[token], case .waiting(let assigned, _) = attempt.phase else { continue }
            effects.append(
                .send(
                    assigned.hasTypedInputs
                        ? .fetchTypedInputs(session, token, attempt.operation)
                        : .fetchInputs(session, token, attempt.operation)
                )
            )
        }
    }

    /// Inserts an attempt into the ready queue of its lane.
    private mutating func line(_ token: AttemptToken, at place: WaitingLine.Place, isHook: Bool) {
        var isOvertaking = false
        withLane(ofHooks: isHook) { isOvertaking = $0.line.insert(token, at: place) }
        if isOvertaking { attempts[token]?.isOvertaking = true }
    }

    /// Returns an unstarted attempt to the coordinator, so that the attempt never starts here (D5).
    ///
    /// A started attempt is left alone. An unknown token is returned too, since its dispatch may arrive late.
    mutating func recall(_ token: AttemptToken) {
        guard attempts[token] == nil ? !forgotten.contains(token) : drop(token) else {
            if attempts[token]?.claimedPhase == .running { unsent.tellsAllStarts = true }
            return
        }
        giveBack(token)
    }

    mutating func giveBack(_ token: AttemptToken) {
        forgotten.insert(token)
        // Without a hello, no message is necessary: the next hello does not list the attempt.
        if hasSaidHello { unsent.returned.append(token) }
    }

    /// Forgets a waiting attempt, and ensures that it never starts.
    ///
    /// - Returns: whether the attempt was waiting.
    mutating func drop(_ token: AttemptToken) -> Bool {
        guard let attempt = attempts[token], case .waiting(let assigned, let awaitsInputs) = attempt.phase
        else { return false }
        if !awaitsInputs { withLane(ofHooks: attempt.isHook) { $0.line.remove(at: attempt.place) } }
        if assigned.hasInputs || assigned.hasTypedInputs { inputs.remove(token, at: attempt.place) }
        if assigned.hasInputs {
            if files.forgetFetch(for: token) { effects.append(.dropFetch(token)) }
            effects.append(.discardInputs(token))
        }
        attempts[token] = nil
        forgotten.insert(token)
        return true
    }

    /// Starts waiting attempts in all free places.
    ///
    /// The order stays: an attempt whose memory or units of resources are not free lets no later attempt start before it. What
    /// runs gives back what the attempt waits for, so that the wait ends.
    ///
    /// - Returns: the effects that start the attempts, to be carried out after the report to the coordinator.
    mutating func startWaiting() -> [Effect] {
        var starts: [Effect] = []
        var areSlotsBlocked = false
        while true {
            let isInSlot = !areSlotsBlocked && slots.next != nil
            guard let token = isInSlot ? slots.next : hooks.next else { break }
            guard let place = attempts.index(forKey: token),
                case .waiting(var assigned, _) = attempts.values[place].phase
            else {
                withLane(ofHooks: !isInSlot) { _ = $0.line.popFirst() }
                continue
            }
            var objection: String?
            if isInSlot, assigned.work.claimsResources {
                objection = resources.objection(to: assigned.work)
                if objection == nil {
                    guard let units = resources.claim(assigned.work, for: token) else {
                        areSlotsBlocked = true
                        continue
                    }
                    assigned.units = units
                }
            }
            withLane(ofHooks: !isInSlot) { $0.startNext() }
            if assigned.hasInputs || assigned.hasTypedInputs { inputs.remove(token, at: attempts.values[place].place) }
            attempts.values[place].start(at: moment)
            runningCount += 1
            if attempts.values[place].isOvertaking { unsent.isUrgent = true }
            if let objection {
                if assigned.hasInputs { effects.append(.discardInputs(token)) }
                finish(token, with: AttemptResult(end: .workerFault(objection, hasRun: false)))
                continue
            }
            switch assigned.work.kind {
            case .commands, .typed:
                if !assigned.assignment.isHook {
                    if hasSaidHello { unsent.started.append(token) }
                    assigned.startPlace = startPlaces?.take()
                    attempts.values[place].startPlace = assigned.startPlace
                }
                starts.append(.startAttempt(assigned))
            case .noOperation:
                // A no-op takes a slot like any other work, but has nothing to run, and so no place in the ledger.
                finish(token, with: AttemptResult(end: .exited(0)))
            }
        }
        return starts
    }
}

// MARK: - From the start to the end

extension WorkerSession {
    /// Ends a running attempt; has no effect on any other attempt.
    mutating func end(_ token: AttemptToken, cause: EndCause) {
        guard let attempt = attempts[token], case .running = attempt.phase, !attempt.isEnding else { return }
        attempts[token]?.isEnding = true
        if !paused.isEmpty { paused.remove(token) }
        effects.append(.endAttempt(token, cause))
    }

    /// Ends a running attempt, or returns an unstarted attempt (CA15).
    mutating func cancel(_ token: AttemptToken) {
        recall(token)
        end(token, cause: .cancelled)
    }

    /// Frees the attempt's place for the next attempt before its end, unless the place is free already.
    mutating func freePlace(of token: AttemptToken) {
        guard let place = attempts.index(forKey: token), attempts.values[place].occupiesPlace else { return }
        freePlace(at: place)
        withLane(ofHooks: attempts.values[place].isHook) { $0.beginCollecting() }
    }

    private mutating func freePlace(at place: Dictionary<AttemptToken, Attempt>.Index) {
        guard attempts.values[place].leavePlace(at: moment) else { return }
        resources.release(attempts.keys[place])
        withLane(ofHooks: attempts.values[place].isHook) { $0.freePlace() }
    }

    /// Puts the result of an attempt into the outbox.
    mutating func finish(_ token: AttemptToken, with result: AttemptResult) {
        guard let place = attempts.index(forKey: token) else { return }
        // Each read of a value of the table copies it.
        let attempt = attempts.values[place]
        guard case .running = attempt.phase else { return }
        if !unsentProgress.isEmpty { sendLastProgress(of: token) }
        if attempt.occupiesPlace {
            freePlace(at: place)
        } else {
            withLane(ofHooks: attempt.isHook) { $0.endCollecting() }
        }
        unsent.tellWithheld()
        runningCount -= 1
        if !paused.isEmpty { paused.remove(token) }
        invariant(runningCount >= 0, "More attempts have ended than have started.")
        forgetProgress(of: token)
        guard !attempt.isDiscarded else {
            giveBackStartPlace(of: attempt)
            attempts.remove(at: place)
            forgotten.insert(token)
            return
        }
        attempts.values[place].finish(with: result)
        if isWelcomed, !attempt.isForeign { unsent.append(token, with: result) }
        if attempt.isOvertaking { unsent.isUrgent = true }
    }

    /// Forgets an attempt whose end is on the coordinator's disk.
    mutating func forget(_ token: AttemptToken) {
        guard let place = attempts.index(forKey: token), attempts.values[place].isFinished else { return }
        giveBackStartPlace(of: attempts.values[place])
        attempts.remove(at: place)
        forgotten.insert(token)
        noteForgotten(token)
    }

    private mutating func giveBackStartPlace(of attempt: Attempt) {
        if let place = attempt.startPlace { startPlaces?.giveBack(place) }
    }

    /// Has the places erased that were given back, before attempts start there.
    mutating func eraseStarts() {
        if let places = startPlaces?.takeErased(), !places.isEmpty { effects.append(.eraseStarts(places)) }
    }

    /// Drops an attempt that is no longer valid, or its result.
    ///
    /// A running attempt is ended, and occupies its place until its end (CA15).
    mutating func discard(_ token: AttemptToken) {
        if drop(token) { return }
        forget(token)
        attempts[token]?.isDiscarded = true
        end(token, cause: .cancelled)
    }
}
