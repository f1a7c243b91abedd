@_spi(Baton) package import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire

/// Carries out the decisions of a worker's session, in any surroundings, and tells the log of them.
///
/// Owns the session, and the attempts of Swift operations that run. The worker's process, the test cluster and the simulation differ
/// in their surroundings alone. The methods are specialised for the process, whose surroundings are in this module.
package final class WorkerShell {
    /// An attempt of a Swift operation.
    private struct Function {
        let attempt: TypedAttempt
        /// When its timeout is over; nil without a timeout, or after its end.
        var deadline: Duration?
    }

    /// The decisions.
    package private(set) var session: WorkerSession
    /// Whether the coordinator was told that the worker is gone.
    private(set) var hasSaidGoodbye = false
    private let types: OperationTypes
    private var log: WorkerLog
    /// The attempts of Swift operations that have started and not ended.
    private var functions: [AttemptToken: Function] = [:]
    /// No Swift operation overruns its timeout before this time; updated lazily, so possibly too early.
    private var functionDueAt: Duration?

    /// Makes a shell around a new session.
    package init(_ configuration: WorkerSession.Configuration, types: OperationTypes, logger: Logger) {
        session = WorkerSession(configuration)
        self.types = types
        log = WorkerLog(logger, for: configuration)
    }

    /// The number of Swift operations that have started and not ended.
    var functionCount: Int { functions.count }

    /// Whether attempts wait for a slot.
    var hasAttemptsInLine: Bool { inPlace { !$0.slots.line.isEmpty } }

    /// Whether an attempt is that of a Swift operation that has not ended.
    func runsFunction(of token: AttemptToken) -> Bool { functions[token] != nil }

    /// When a turn is due if no event comes before; nil if none is due.
    package var nextDeadline: Duration? {
        .least(inPlace { $0.nextTick }, functionDueAt)
    }

    /// Has something done with the session where it is: a question through the property would copy the whole session first, and each
    /// use of the property is checked for others at the same time.
    private func inPlace<Answer>(_ body: (inout WorkerSession) -> Answer) -> Answer { body(&session) }

    // MARK: - What comes in

    /// Takes in an event; the consequences come with ``endTurn(in:)``.
    package func handle(_ event: WorkerSession.Event, in surroundings: some WorkerSurroundings) {
        switch event {
        case .attemptFinished(let token, let result):
            if !functions.isEmpty { functions[token] = nil }
            log.noteEnd(of: token, result)
        case .startFailed(let why):
            log.noteFault(why, at: surroundings.now)
        case .startSucceeded:
            guard log.noteEndOfFault() else { return }
        case .stopRequested:
            log.noteStop("stopping", running: session.runningCount)
        case .finishRequested:
            log.noteFinish(running: session.runningCount)
        default: break
        }
        let (now, random) = (surroundings.now, surroundings.randomNumber())
        inPlace { session in
            session.handle(event, now: now, random: random)
            guard !session.isOver else { return }
            // A turn may have several events: a coordinator that is lost in the turn of its welcome is told, too.
            log.noteChanges(
                isWelcomed: session.isWelcomed,
                isRefused: session.isRefused,
                isOutdated: session.isOutdated,
                hasGivenUp: session.hasGivenUpCoordinator
            )
        }
    }

    /// Ends everything that runs at once.
    func killEverything(in surroundings: some WorkerSurroundings) {
        surroundings.killCommands()
        endFunctions(in: surroundings)
        handle(.everythingKilled, in: surroundings)
    }

    /// Has all Swift operations end.
    package func endFunctions(in surroundings: some WorkerSurroundings) {
        for token in functions.keys.sorted() {
            if let function = functions[token] { surroundings.end(function.attempt, for: .asked(.leaving)) }
        }
    }

    // MARK: - What goes out

    /// Ends a turn of events: does what is due by the clock, and carries out what the session decides, until nothing is left.
    ///
    /// - Parameters:
    ///   - surroundings: where the decisions take effect.
    ///   - holdsReports: whether an attempt whose place is free already ends in the next turn, before any report.
    /// - Returns: why the worker ends; nil if it goes on.
    /// - Throws: the failure of the surroundings to send.
    package func endTurn<Surroundings: WorkerSurroundings>(
        in surroundings: Surroundings,
        holdsReports: Bool = false
    ) throws(Surroundings.Failure) -> WorkerSession.ExitReason? {
        let now = surroundings.now
        if let due = functionDueAt, due <= now { endLateFunctions(at: now, in: surroundings) }
        if inPlace({ $0.isLookDue(at: now) }) {
            let (sign, roundTrip) = surroundings.lookAtConnection()
            handle(.connectionSeen(signAt: sign, roundTrip: roundTrip), in: surroundings)
        }
        handle(.tick, in: surroundings)
        while case let effects = session.finishTurn(now: surroundings.now, holdsReports: holdsReports),
            !effects.isEmpty
        {
            for effect in effects {
                if case .exit(let reason) = effect { return reason }
                try carryOut(effect, in: surroundings)
            }
        }
        return nil
    }

    private func carryOut<Surroundings: WorkerSurroundings>(
        _ effect: WorkerSession.Effect,
        in surroundings: Surroundings
    ) throws(Surroundings.Failure) {
        switch effect {
        case .openConnection(let place): surroundings.openConnection(at: place)
        case .openInquiries: surroundings.openInquiries()
        case .keepRanks(let ranks): surroundings.keepRanks(ranks)
        case .closeConnection: surroundings.closeConnection()
        case .send(let message):
            if case .goodbye = message { hasSaidGoodbye = true }
            // The session sends lost reports again: the worker forgets no attempt before its acknowledgement.
            try surroundings.send(message)
        case .eraseStarts(let places): surroundings.eraseStarts(at: places)
        case .forgetEarlierLives: surroundings.forgetEarlierLives()
        case .startAttempt(let assigned): start(assigned, in: surroundings)
        case .storeInputs(let token, let inputs): surroundings.storeInputs(inputs, of: token)
        case .discardInputs(let token): surroundings.discardInputs(of: token)
        case .fetchFiles(let token, let files): surroundings.fetchFiles(files, of: token)
        case .dropFetch(let token): surroundings.dropFetch(of: token)
        case .releaseFiles(let digests): surroundings.releaseFiles(digests)
        case .retainFiles(let digests): surroundings.retainFiles(digests)
        case .verifyFiles(let digests): surroundings.verifyFiles(digests)
        case .copyFiles(let files): surroundings.copyFiles(files)
        case .endAttempt(let token, let cause):
            if let function = functions[token] {
                surroundings.end(function.attempt, for: .asked(cause))
            } else {
                surroundings.endCommands(of: token, for: cause)
            }
        case .pauseAttempt(let token): surroundings.pauseCommands(of: token)
        case .resumeAttempt(let token): surroundings.resumeCommands(of: token)
        case .signalAttempt(let token, let signal): surroundings.signalCommands(of: token, signal)
        case .readOutput(let request, let isOver): surroundings.readOutput(request, isOver: isOver)
        case .keepAttempts(let attempts): surroundings.keep(attempts)
        case .discardKeptAttempts: surroundings.discardKeptAttempts()
        case .killEverything: killEverything(in: surroundings)
        case .noteLeader(let news): log.note(news, at: surroundings.now)
        case .noteDeparture(let departure): log.note(departure, running: session.runningCount)
        // The owner of the surroundings ends them.
        case .exit: break
        }
    }

    // MARK: - Attempts

    private func start(_ assigned: AssignedWork, in surroundings: some WorkerSurroundings) {
        log.noteStart(of: assigned)
        if let place = assigned.startPlace { surroundings.noteStart(StartedAttempt(assigned.assignment), at: place) }
        guard case .typed(let type, let argument) = assigned.work.kind else {
            return surroundings.startCommands(of: assigned)
        }
        let token = assigned.assignment.token
        guard let function = types.function(of: type) else {
            let sentence =
                "The worker \(session.configuration.name.asShown) runs no operations of type \(type.asShown)."
            return handle(.attemptFinished(token, AttemptResult(end: .notStarted(sentence))), in: surroundings)
        }
        do throws(ThreadFailure) {
            let attempt = try surroundings.start(function, argument: argument, of: assigned)
            let deadline = assigned.work.timeout.map { surroundings.now + $0 }
            functions[token] = Function(attempt: attempt, deadline: deadline)
            note(due: deadline)
            handle(.startSucceeded, in: surroundings)
        } catch {
            let sentence = "The operation was not started: \(error)."
            handle(.startFailed(sentence), in: surroundings)
            let end = AttemptEnd.workerFault(sentence, hasRun: false)
            handle(.attemptFinished(token, AttemptResult(end: end)), in: surroundings)
        }
    }

    /// Ends Swift operations whose timeouts are over.
    private func endLateFunctions(at now: Duration, in surroundings: some WorkerSurroundings) {
        functionDueAt = nil
        for token in functions.keys.sorted() {
            guard let function = functions[token], let deadline = function.deadline else { continue }
            guard deadline <= now else {
                note(due: deadline)
                continue
            }
            functions[token]?.deadline = nil
            surroundings.end(function.attempt, for: .timeout)
        }
    }

    private func note(due: Duration?) {
        if let due { functionDueAt = min(functionDueAt ?? due, due) }
    }
}

extension StartedAttempt {
    fileprivate init(_ assignment: Assignment) {
        self.init(token: assignment.token, operation: assignment.operation, attempt: assignment.attempt)
    }
}
