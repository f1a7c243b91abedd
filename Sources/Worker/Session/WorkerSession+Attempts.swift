import BatonOperations
import BatonWire

/// What becomes of attempts.
extension WorkerSession {
    /// An attempt from its dispatch until its end is acknowledged.
    struct Attempt: Sendable {
        /// Large payloads are indirect: the table of attempts is read and grown all the time, and copies what it holds.
        enum Phase: Sendable {
            /// Nothing of it has run. One that awaits inputs is passed over until they are here (DE20): no slot waits for
            /// the network.
            indirect case waiting(Assignment, awaitsInputs: Bool)
            /// It was started, and is not over.
            case running
            /// It lies in the outbox.
            indirect case finished(AttemptResult)
        }

        let operation: OperationID
        let number: UInt32
        let isHook: Bool
        /// Where it stands among those that wait.
        let place: WaitingLine.Place
        var phase: Phase
        /// It was put before others in the line: somebody may wait to put more there.
        var isOvertaking = false
        /// When it was started, in microseconds; 0 while it waits.
        var startedAt: Int64 = 0
        /// When the last of its code was over, in microseconds; 0 before.
        var endedAt: Int64 = 0
        /// It counts against the bound of its lane.
        var holdsPlace = false
        /// Nobody wants its result any more.
        var isDiscarded = false
        /// Its end was asked for.
        var isEnding = false
        /// It is of a record that is not the coordinator's: nobody there wants to know of it.
        var isForeign = false

        var isFinished: Bool {
            if case .finished = phase { true } else { false }
        }

        /// What it is held as.
        var heldPhase: HeldAttempt.Phase {
            switch phase {
            case .waiting: .waiting
            case .running: .running
            case .finished: .finished
            }
        }

        /// Gives it its place.
        mutating func start(at moment: Int64) {
            phase = .running
            startedAt = moment
            holdsPlace = true
        }

        /// Takes its place from it.
        ///
        /// - Returns: whether it had one.
        mutating func leavePlace(at moment: Int64) -> Bool {
            guard holdsPlace else { return false }
            holdsPlace = false
            endedAt = moment
            return true
        }

        /// Keeps what it leaves, with the time for which it had its place.
        mutating func finish(with result: AttemptResult) {
            var result = result
            result.microseconds = endedAt - startedAt
            phase = .finished(result)
        }
    }

    /// The most completion hooks that run at once, beside the attempts that need slots.
    static let hooksAtOnce = 4

    /// Whether the coordinator has been told, or is just being told, what is held.
    private var hasSaidHello: Bool {
        switch connection {
        case .greeting, .welcomed: true
        case .away, .opening, .over: false
        }
    }

    private mutating func withLane(ofHooks: Bool, _ body: (inout Lane) -> Void) {
        if ofHooks { body(&hooks) } else { body(&slots) }
    }
}

// MARK: - Before the start

extension WorkerSession {
    mutating func take(_ batch: DispatchBatch) {
        for item in batch.items {
            guard attempts[item.token] == nil, !settled.contains(item.token),
                batch.works.indices.contains(Int(item.work)), batch.queues.indices.contains(Int(item.queue))
            else { continue }
            take(Assignment(item: item, work: batch.works[Int(item.work)], queue: batch.queues[Int(item.queue)]))
        }
    }

    private mutating func take(_ assignment: Assignment) {
        let item = assignment.item
        guard leaving == .no else { return giveBack(item.token) }
        let place = WaitingLine.Place(turn: item.turn, arrival: nextArrival)
        attempts[item.token] = Attempt(
            operation: item.operation,
            number: item.attempt,
            isHook: assignment.isHook,
            place: place,
            phase: .waiting(assignment, awaitsInputs: assignment.hasInputs)
        )
        if assignment.hasInputs {
            effects.append(.send(.fetchInputs(session, item.token, item.operation)))
        } else {
            line(item.token, at: place, isHook: assignment.isHook)
        }
        nextArrival += 1
    }

    mutating func takeInputs(_ token: AttemptToken, _ inputs: [Input], isLast: Bool) {
        guard let attempt = attempts[token], case .waiting(let assignment, awaitsInputs: true) = attempt.phase
        else { return }
        if !inputs.isEmpty { effects.append(.storeInputs(token, inputs)) }
        guard isLast else { return }
        attempts[token]?.phase = .waiting(assignment, awaitsInputs: false)
        line(token, at: attempt.place, isHook: false)
    }

    /// Lets an attempt wait for a place in its lane.
    private mutating func line(_ token: AttemptToken, at place: WaitingLine.Place, isHook: Bool) {
        var isOvertaking = false
        withLane(ofHooks: isHook) { isOvertaking = $0.line.insert(token, at: place) }
        if isOvertaking { attempts[token]?.isOvertaking = true }
    }

    /// Gives an attempt back that has not started: it never will (D5).
    ///
    /// One that has is left as it is. One that is not known is given back too, as its dispatch may come late.
    mutating func recall(_ token: AttemptToken) {
        guard attempts[token] == nil ? !settled.contains(token) : drop(token) else { return }
        giveBack(token)
    }

    private mutating func giveBack(_ token: AttemptToken) {
        settled.insert(token)
        // Nobody else needs to be told: the next hello does not list it.
        if hasSaidHello { unsent.returned.append(token) }
    }

    /// Forgets an attempt that waits, and makes sure that it never starts.
    ///
    /// - Returns: whether it waited.
    mutating func drop(_ token: AttemptToken) -> Bool {
        guard let attempt = attempts[token], case .waiting(let assignment, let awaitsInputs) = attempt.phase
        else { return false }
        if !awaitsInputs { withLane(ofHooks: attempt.isHook) { $0.line.remove(at: attempt.place) } }
        if assignment.hasInputs { effects.append(.discardInputs(token)) }
        attempts[token] = nil
        settled.insert(token)
        return true
    }

    /// Starts what there is room for.
    ///
    /// - Returns: what is to be done for it, once the coordinator has been told.
    mutating func startWaiting() -> [Effect] {
        var starts: [Effect] = []
        while let token = slots.startNext() ?? hooks.startNext() {
            guard let place = attempts.index(forKey: token),
                case .waiting(let assignment, _) = attempts.values[place].phase
            else { continue }
            attempts.values[place].start(at: moment)
            runningCount += 1
            if attempts.values[place].isOvertaking { unsent.isUrgent = true }
            switch assignment.work.kind {
            case .commands, .typed:
                if hasSaidHello, !assignment.isHook { unsent.started.append(token) }
                starts.append(.startAttempt(assignment.item, assignment.work, queue: assignment.queue))
            case .noOperation:
                // It had its slot like any other, and there is nothing to run in it.
                finish(token, with: AttemptResult(end: .exited(0)))
            }
        }
        return starts
    }
}

// MARK: - From the start to the end

extension WorkerSession {
    /// Ends an attempt that runs; another is left as it is.
    mutating func end(_ token: AttemptToken, cause: EndCause) {
        guard let attempt = attempts[token], case .running = attempt.phase, !attempt.isEnding else { return }
        attempts[token]?.isEnding = true
        effects.append(.endAttempt(token, cause))
    }

    /// Ends an attempt, or gives it back if it has not started (CA15).
    mutating func cancel(_ token: AttemptToken) {
        recall(token)
        end(token, cause: .cancelled)
    }

    /// Lets the next one start, if the attempt has not done so before.
    mutating func freePlace(of token: AttemptToken) {
        guard let place = attempts.index(forKey: token) else { return }
        freePlace(at: place)
    }

    private mutating func freePlace(at place: Dictionary<AttemptToken, Attempt>.Index) {
        guard attempts.values[place].leavePlace(at: moment) else { return }
        withLane(ofHooks: attempts.values[place].isHook) { $0.freePlace() }
    }

    /// Puts the result of an attempt into the outbox.
    mutating func finish(_ token: AttemptToken, with result: AttemptResult) {
        guard let place = attempts.index(forKey: token), case .running = attempts.values[place].phase else { return }
        freePlace(at: place)
        runningCount -= 1
        guard !attempts.values[place].isDiscarded else {
            attempts.remove(at: place)
            settled.insert(token)
            return
        }
        attempts.values[place].finish(with: result)
        if isWelcomed, !attempts.values[place].isForeign { unsent.finished.append(token) }
        if attempts.values[place].isOvertaking { unsent.isUrgent = true }
    }

    /// Forgets an attempt whose end is on the coordinator's disk.
    mutating func settle(_ token: AttemptToken) {
        guard let place = attempts.index(forKey: token), attempts.values[place].isFinished else { return }
        attempts.remove(at: place)
        settled.insert(token)
    }

    /// Drops an attempt that is no longer valid, or its result; one that runs is ended, and holds its place until it is
    /// gone (CA15).
    mutating func discard(_ token: AttemptToken) {
        if drop(token) { return }
        settle(token)
        attempts[token]?.isDiscarded = true
        end(token, cause: .cancelled)
    }
}
