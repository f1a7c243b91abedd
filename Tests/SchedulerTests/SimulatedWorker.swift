import BatonOperations

@testable import BatonScheduler

/// A worker process with an unreliable connection: messages take their time, in order, and are lost with the connection.
struct SimulatedWorker {
    /// Something that the coordinator has sent.
    enum Message {
        case welcome(SessionID, stale: [AttemptToken], recalled: [AttemptToken])
        case sayHello(SessionID)
        case dispatch(Assignment)
        case recall(SessionID, [AttemptToken])
        case cancel(SessionID, [AttemptToken])
        case acknowledge(SessionID, AttemptToken)
    }

    let name: String
    let slots: Int
    let types: [String]
    /// It differs from that of the process before it.
    let processID: Int32
    /// Its present session; nil where it has no connection.
    var session: SessionID?
    /// It does nothing at all, like a process that was stopped by a signal.
    var isStopped = false
    var isLeaving = false
    /// What the coordinator has sent and it has not received.
    var inbox: [Message] = []
    /// What it has sent and the coordinator has not received.
    var outbox: [Event] = []

    var waiting: [Assignment] = []
    var running: [Assignment] = []
    /// What is over and not acknowledged.
    var finished: [(attempt: Assignment, result: AttemptResult)] = []
    var hooks: [Assignment] = []
    var ending: Set<AttemptToken> = []
    /// What it has given back: it must never start.
    var returned: Set<AttemptToken> = []

    /// All that it names when it says hello.
    var held: [HeldAttempt] {
        waiting.map { HeldAttempt($0, .waiting) } + (running + hooks).map { HeldAttempt($0, .running) }
            + finished.map { HeldAttempt($0.attempt, .finished) }
    }

    /// Says hello in a new session; what was on its way is lost.
    mutating func connect(as newSession: SessionID) {
        session = newSession
        inbox = []
        outbox = [
            .workerJoined(
                WorkerIntroduction(
                    name: name,
                    session: newSession,
                    slots: slots,
                    processID: processID,
                    life: WorkerLife(rawValue: UInt64(processID)),
                    attempts: held,
                    types: types
                )
            )
        ]
        for (attempt, result) in finished { report(attempt, result) }
    }

    mutating func disconnect() {
        session = nil
        inbox = []
        outbox = []
    }

    /// Receives the next message, and starts what it can.
    ///
    /// - Returns: the attempts that it starts by that.
    mutating func receive() -> [Assignment] {
        guard !isStopped, !inbox.isEmpty else { return [] }
        receive(inbox.removeFirst())
        return fill()
    }

    private mutating func receive(_ message: Message) {
        switch message {
        case .welcome(session, let stale, let recalled):
            waiting.removeAll { stale.contains($0.token) }
            running.removeAll { stale.contains($0.token) }
            hooks.removeAll { stale.contains($0.token) }
            giveBack(recalled)
        case .sayHello(session):
            // The driver connects it anew.
            disconnect()
        case .dispatch(let assignment):
            guard assignment.session == session, !isLeaving else { break }
            if assignment.hookOutcome != nil { hooks.append(assignment) } else { waiting.putInTurn(assignment) }
        case .recall(session, let tokens):
            giveBack(tokens)
        case .cancel(session, let tokens):
            ending.formUnion(running.map(\.token).filter { tokens.contains($0) })
            giveBack(tokens)
        case .acknowledge(session, let token):
            finished.removeAll { $0.attempt.token == token }
        case .welcome, .sayHello, .recall, .cancel, .acknowledge:
            break
        }
    }

    private mutating func giveBack(_ tokens: [AttemptToken]) {
        let back = waiting.map(\.token).filter { tokens.contains($0) }
        waiting.removeAll { back.contains($0.token) }
        returned.formUnion(back)
        if let session, !back.isEmpty { outbox.append(.attemptsReturned(session, back)) }
    }

    /// Starts what there is a slot for, and says so before anything of it runs.
    mutating func fill() -> [Assignment] {
        let starts = Array(waiting.prefix(max(0, slots - running.count)))
        waiting.removeFirst(starts.count)
        running += starts
        if let session, !starts.isEmpty {
            outbox.append(.attemptsStarted(session, starts.map { AttemptStart($0.token) }))
        }
        return starts
    }

    /// Ends a running attempt or hook.
    ///
    /// - Returns: the attempts that it starts by that.
    mutating func finish(_ attempt: Assignment, _ result: AttemptResult) -> [Assignment] {
        running.removeAll { $0.token == attempt.token }
        hooks.removeAll { $0.token == attempt.token }
        ending.remove(attempt.token)
        finished.append((attempt, result))
        // What starts in its slot may be told before its end or behind it.
        let starts = isLeaving || result.microseconds > 500_000 ? [] : fill()
        report(attempt, result)
        return starts + (isLeaving ? [] : fill())
    }

    private mutating func report(_ attempt: Assignment, _ result: AttemptResult) {
        guard let session else { return }
        let seed = attempt.token.inRecord.rawValue
        outbox.append(.attemptEnded(session, attempt.token, attempt.operation, result, seed: seed))
    }

    /// Ends what it runs and gives back the rest; then it says goodbye.
    mutating func leave() {
        guard let session, !isLeaving else { return }
        isLeaving = true
        outbox.append(.workerLeaving(session))
        giveBack(waiting.map(\.token))
        waiting = []
        for attempt in running + hooks { _ = finish(attempt, AttemptResult(end: .interrupted)) }
        outbox.append(.workerLeft(session))
    }
}
