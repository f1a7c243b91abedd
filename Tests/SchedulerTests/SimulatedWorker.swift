@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// A worker process with an unreliable connection: messages are delayed, stay in order, and are lost with the
/// connection.
struct SimulatedWorker {
    /// A message of the coordinator.
    enum Message {
        case welcome(SessionID, stale: [AttemptToken], recalled: [AttemptToken])
        case sayHello(SessionID)
        case dispatch(Dispatch)
        case recall(SessionID, [AttemptToken])
        case cancel(SessionID, [AttemptToken])
        case acknowledge(SessionID, AttemptToken)
    }

    let name: String
    let slots: Int
    let types: [String]
    /// The process ID, different from the previous process's.
    let processID: Int32
    /// The present session; nil without a connection.
    var session: SessionID?
    /// Whether the worker does nothing at all, like a process that was stopped by a signal.
    var isStopped = false
    var isLeaving = false
    /// The coordinator's messages that the worker has not received.
    var inbox: [Message] = []
    /// The worker's messages that the coordinator has not received.
    var outbox: [Event] = []

    var waiting: [Dispatch] = []
    var running: [Dispatch] = []
    /// The finished attempts without an acknowledgement.
    var finished: [(attempt: Dispatch, result: AttemptResult)] = []
    var hooks: [Dispatch] = []
    var ending: Set<AttemptToken> = []
    /// The returned attempts, which must never start.
    var returned: Set<AttemptToken> = []

    /// All attempts that the worker names in its hello.
    var claimed: [ClaimedAttempt] {
        waiting.map { ClaimedAttempt($0, .waiting) } + (running + hooks).map { ClaimedAttempt($0, .running) }
            + finished.map { ClaimedAttempt($0.attempt, .finished) }
    }

    /// Says hello in a new session; messages on their way are lost.
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
                    attempts: claimed,
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

    /// Receives the next message, and starts operations in free slots.
    ///
    /// - Returns: the attempts that start after the message.
    mutating func receive() -> [Dispatch] {
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
            // The driver connects the worker again.
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

    /// Starts attempts in free slots, and reports the starts before an attempt runs.
    mutating func fill() -> [Dispatch] {
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
    /// - Returns: the attempts that start after the end.
    mutating func finish(_ attempt: Dispatch, _ result: AttemptResult) -> [Dispatch] {
        running.removeAll { $0.token == attempt.token }
        hooks.removeAll { $0.token == attempt.token }
        ending.remove(attempt.token)
        finished.append((attempt, result))
        // The start of the next attempt in the slot may be reported before or after the end.
        let starts = isLeaving || result.microseconds > 500_000 ? [] : fill()
        report(attempt, result)
        return starts + (isLeaving ? [] : fill())
    }

    private mutating func report(_ attempt: Dispatch, _ result: AttemptResult) {
        guard let session else { return }
        let seed = attempt.token.inRecord.rawValue
        outbox.append(.attemptEnded(session, attempt.token, attempt.operation, result, seed: seed))
    }

    /// Ends the running attempts and gives back the waiting ones; then the worker says goodbye.
    mutating func leave() {
        guard let session, !isLeaving else { return }
        isLeaving = true
        outbox.append(.workerLeaving(session))
        giveBack(waiting.map(\.token))
        waiting = []
        for attempt in running + hooks { _ = finish(attempt, AttemptResult(end: .stopped)) }
        outbox.append(.workerLeft(session))
    }
}
