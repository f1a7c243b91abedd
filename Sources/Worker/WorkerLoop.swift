@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The worker's own thread, which owns the socket and carries out the session's decisions.
final class WorkerLoop {
    let options: WorkerOptions
    let name: String
    let services: AttemptServices
    let mailbox: PolledMailbox<WorkerLetter>
    let context: Context
    let poller = Poller()
    private let runner: AttemptRunner
    private let start = ContinuousClock.now
    private var random: SplitMix
    private(set) var session: WorkerSession
    var connection: CoordinatorConnection?
    /// The addresses at which the latest connections brought no welcome.
    var fruitlessPlaces: Set<String> = []
    /// The attempts of Swift operations that have started and not ended.
    private var typedAttempts: [AttemptToken: TypedAttempt] = [:]
    /// What the log has said of attempts that have not ended, and when; empty unless the log has their starts.
    var loggedAttempts: [AttemptToken: (Logger.Metadata, ContinuousClock.Instant)] = [:]
    /// No typed attempt overruns its timeout before this time; updated lazily, so possibly too early.
    private var typedDueAt: ContinuousClock.Instant?
    /// The time at which to take the progress that Swift operations have reported; nil while there is none.
    private var progressDueAt: ContinuousClock.Instant?
    /// The time before which no progress is taken.
    private var progressRestsUntil = ContinuousClock.now
    private var hasSaidGoodbye = false
    /// The time of the last log line about failing starts; nil while starts succeed.
    private var faultLoggedAt: ContinuousClock.Instant?
    /// What the log has told of the coordinator's absence.
    var absenceLog = AbsenceLog()
    /// Where commands ask for the worker's health; nil if the file system has no place for it.
    var health: (listener: HealthListener, source: Poller.Source)?
    /// The time of the last log line about keys that do not let the worker in; nil after a welcome.
    var obstacleLoggedAt: ContinuousClock.Instant?

    /// The number of messages to take before carrying out their effects.
    private static let messagesPerTurn = 256
    /// How long a goodbye may take to leave.
    private static let goodbyeLinger = Duration.seconds(1)
    /// The interval between log lines while starts fail, or while the keys do not let the worker in.
    static let faultLogInterval = Duration.seconds(60)

    init(
        _ options: WorkerOptions,
        name: String,
        budget: DescriptorBudget,
        offer: WorkerOffer,
        services: AttemptServices,
        processes: SupervisedProcesses,
        mailbox: PolledMailbox<WorkerLetter>,
        context: Context
    ) {
        self.options = options
        self.name = name
        self.services = services
        self.mailbox = mailbox
        self.context = context
        runner = AttemptRunner(services, processes: processes)
        _ = poller.add(mailbox.bell)
        _ = poller.add(fileDescriptor: runner.descriptor)
        var systemRandom = SystemRandomNumberGenerator()
        random = SplitMix(seed: systemRandom.next())
        var configuration = WorkerSession.Configuration(
            name: name,
            version: options.version,
            slots: UInt32(clamping: budget.slots),
            host: Self.hostName,
            processID: ProcessInfo.processInfo.processIdentifier,
            life: services.directory.life
        )
        configuration.id = services.directory.identity.id
        configuration.replaces = options.replaces
        configuration.types = options.types.names
        configuration.offer = offer
        configuration.hooksAtOnce = budget.hooks
        configuration.onCoordinatorLost = options.onCoordinatorLost
        configuration.drainTimeout = options.drainTimeout
        configuration.idleExit = options.idleExit
        configuration.endsAt = options.timeLimit
        configuration.inherited = Self.inheritance(in: services.directory, options.logger)
        session = WorkerSession(configuration)
        tellHealth(at: services.directory.health)
    }

    /// The host's name as the kernel has it; Foundation would ask the network.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "localhost" }
    }

    /// Runs until the worker is stopped or refused.
    ///
    /// Afterwards no process of the worker runs any more.
    ///
    /// - Throws: `WorkerError` if the coordinator refuses the worker, or the socket fails.
    func run() throws(WorkerError) {
        defer { runner.shutDown() }
        let reason: WorkerSession.ExitReason
        do throws(ZeroMQError) {
            reason = try work()
        } catch {
            connection?.close()
            throw WorkerError(.system, error.description)
        }
        connection?.close(lingering: hasSaidGoodbye ? Self.goodbyeLinger : .zero)
        switch reason {
        case .stopped: options.logger.notice("stopped")
        case .refused(let refusal):
            throw WorkerError(refusal.code == .unavailable ? .unavailable : .refused, refusal)
        case .notAdmitted(let obstacle):
            throw WorkerError(obstacle, endpoint: options.coordinator)
        case .superseded(let refusal, let isCopy):
            // This worker holds the lock of its directory, so the other worker has a copy of the directory.
            if isCopy { services.directory.forgetIdentity() }
            throw WorkerError(isCopy ? .copied : .superseded, refusal)
        }
    }

    private func work() throws(ZeroMQError) -> WorkerSession.ExitReason {
        var wasWelcomed = false
        var wasRefused = false
        var hadGivenUp = false
        while true {
            if session.isLookDue(at: now) { lookAtConnection() }
            handle(.tick)
            if let reason = try carryOutEffects() { return reason }
            if !wasRefused, session.isRefused {
                reportRefusal()
            } else if wasWelcomed, !session.isWelcomed {
                options.logger.warning("lost the coordinator; executing operations continue")
            }
            if !hadGivenUp, session.hasGivenUpCoordinator { reportGivingUp() }
            (wasWelcomed, wasRefused) = (session.isWelcomed, session.isRefused)
            hadGivenUp = session.hasGivenUpCoordinator
            runner.startNext()
            try poller.poll(timeout: patience)
            // Read the socket before the clock: a worker that was late itself has not lost the coordinator.
            try receive()
            if let health, poller.isReadable(health.source) { health.listener.answer(healthReport) }
            for letter in mailbox.takeAll() { open(letter) }
            for event in runner.takeEvents() { pass(event) }
            if let due = typedDueAt, due <= .now { endLateTypedAttempts() }
            if let due = progressDueAt, due <= .now { takeProgress() }
        }
    }

    private func reportGivingUp() {
        guard let deadline = options.onCoordinatorLost.deadline else { return }
        var consequence = "no operation is started until it is back"
        if case .kill = options.onCoordinatorLost { consequence += ", and executing operations are ended" }
        options.logger.warning(
            "the coordinator has been away for too long; \(consequence)",
            metadata: ["deadline": "\(deadline.text)"]
        )
    }

    var now: Duration { ContinuousClock.now - start }

    /// The time until the next action if no event comes before; nil without such an action.
    private var patience: Duration? {
        let untilTick = session.nextTick.map { max($0 - now, .zero) }
        let untilTyped = typedDueAt.map { max(ContinuousClock.now.duration(to: $0), .zero) }
        let untilProgress = progressDueAt.map { max(ContinuousClock.now.duration(to: $0), .zero) }
        return [untilTick, runner.timeUntilDue, untilTyped, untilProgress].lazy.compactMap { $0 }.min()
    }

    func handle(_ event: WorkerSession.Event) {
        session.handle(event, now: now, random: random.next())
    }
}

// MARK: - What comes in

extension WorkerLoop {
    private func receive() throws(ZeroMQError) {
        guard let connection else { return }
        if connection.hasMessages { try receiveMessages(over: connection, atMost: Self.messagesPerTurn) }
        guard connection.hasEvents else { return }
        while let event = try connection.monitor.next() {
            // A message from before the disconnection still counts: it may be a refusal.
            if event.kind == .disconnected { try receiveMessages(over: connection, atMost: .max) }
            note(event)
        }
    }

    private func receiveMessages(over connection: CoordinatorConnection, atMost limit: Int) throws(ZeroMQError) {
        for _ in 0..<limit {
            guard let message = try connection.socket.receive() else { return }
            do {
                let message = try message.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
                if case .welcome(let welcome) = message {
                    runner.issuer = welcome.operations.flatMap { OperationIssuer(bytes: $0.bytes) }
                    runner.record = welcome.record
                    noteWelcome()
                    options.logger.notice(
                        "welcomed by the coordinator",
                        metadata: ["epoch": "\(welcome.epoch)", "incarnation": "\(welcome.incarnation)"]
                    )
                    if !welcome.foreignAttempts.isEmpty {
                        let tokens = welcome.foreignAttempts.map(\.fileName).joined(separator: ",")
                        options.logger.warning(
                            "the coordinator has another record: attempts of the earlier one are ended, their results kept",
                            metadata: ["attempts": "\(tokens)"]
                        )
                    }
                    if !welcome.staleAttempts.isEmpty {
                        let tokens = welcome.staleAttempts.map(\.description).joined(separator: ",")
                        options.logger.warning(
                            "other workers got attempts of this worker in its absence: they are ended, their results dropped",
                            metadata: ["attempts": "\(tokens)"]
                        )
                    }
                }
                handle(.message(message))
            } catch {
                options.logger.warning("dropped a message of the coordinator", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func open(_ letter: WorkerLetter) {
        switch letter {
        case .found(let finding):
            connect(to: finding)
        case .attemptPrepared(let token, let result):
            runner.prepared(token, result)
        case .attemptEnded(let token, let result):
            let isTyped = typedAttempts.removeValue(forKey: token) != nil
            logEnd(of: token, result)
            // The last report counts, however short before the end it came.
            if isTyped, services.progress.hasReport(of: token) { takeProgress() }
            handle(.attemptFinished(token, result))
        case .attemptsProgressed:
            progressDueAt = max(.now, progressRestsUntil)
        case .outputRead(let request, let chunk):
            handle(.outputRead(request: request, chunk))
        case .outputTrimmed(let token):
            runner.outputTrimmed(of: token)
        case .directoriesRestored:
            options.logger.warning(
                "the worker's directory was removed by another program; it was created again",
                metadata: ["directory": "\(services.directory.path)"]
            )
            runner.restoreGroupFile()
            tellHealth(at: services.directory.health)
        case .stop:
            logStop("stopping")
            handle(.stopRequested)
        case .stopNow:
            killEverything()
        }
    }

    private func killEverything() {
        runner.shutDown()
        for attempt in typedAttempts.values { attempt.end(for: .leaving) }
        handle(.everythingKilled)
    }

    private func logStop(_ what: Logger.Message) {
        let timeout = options.drainTimeout == .zero ? "none" : options.drainTimeout.text
        options.logger.notice(
            what,
            metadata: ["attempts": "\(runner.count + typedAttempts.count)", "drainTimeout": "\(timeout)"]
        )
    }

    private func log(_ departure: WorkerSession.Departure) {
        switch departure {
        case .requested(isImmediate: false): logStop("stopping, because a client asks for it")
        case .requested(isImmediate: true):
            options.logger.notice(
                "stopping at once, because a client asks for it",
                metadata: ["attempts": "\(runner.count + typedAttempts.count)"]
            )
        case .idle: options.logger.notice("stopping, because there was nothing to do for long enough")
        case .timeLimit: logStop("stopping, because the time limit is reached")
        }
    }

    private func pass(_ event: AttemptRunner.Event) {
        switch event {
        case .slotFreed(let token): handle(.slotFreed(token))
        case .ended(let token, let result):
            logEnd(of: token, result)
            handle(.attemptFinished(token, result))
        case .startFailed(let why): startFailed(why)
        case .startSucceeded: startSucceeded()
        }
    }

    private func startFailed(_ why: String) {
        if faultLoggedAt.map({ .now - $0 >= Self.faultLogInterval }) ?? true {
            faultLoggedAt = .now
            options.logger.error(
                "cannot start operations, and returns them to the coordinator; the coordinator tries again periodically",
                metadata: ["reason": "\(why)"]
            )
        }
        handle(.startFailed(why))
    }

    private func startSucceeded() {
        guard faultLoggedAt != nil else { return }
        faultLoggedAt = nil
        options.logger.notice("can start operations again")
        handle(.startSucceeded)
    }

    /// Ends Swift operations whose timeouts are over.
    private func endLateTypedAttempts() {
        typedDueAt = nil
        for attempt in typedAttempts.values { note(due: attempt.endIfLate()) }
    }

    /// Takes the latest progress of Swift operations, and lets the next reports gather for a while.
    private func takeProgress() {
        progressDueAt = nil
        progressRestsUntil = .now + ProgressBoard.interval
        handle(.attemptsProgressed(services.progress.takeAll()))
    }

    private func note(due: ContinuousClock.Instant?) {
        if let due { typedDueAt = min(typedDueAt ?? due, due) }
    }
}

// MARK: - What goes out

extension WorkerLoop {
    private func carryOutEffects() throws(ZeroMQError) -> WorkerSession.ExitReason? {
        while true {
            let effects = session.finishTurn(now: now)
            if effects.isEmpty { return nil }
            for effect in effects {
                if case .exit(let reason) = effect { return reason }
                try carryOut(effect)
            }
        }
    }

    private func carryOut(_ effect: WorkerSession.Effect) throws(ZeroMQError) {
        switch effect {
        case .openConnection:
            search()
        case .closeConnection:
            closeConnection()
        case .send(let message):
            if case .goodbye = message { hasSaidGoodbye = true }
            // The session sends lost reports again: the worker forgets no attempt before its acknowledgement.
            _ = try connection?.socket.send(message.encoded())
        case .startAttempt(let assigned):
            start(assigned)
        case .storeInputs(let token, let inputs):
            services.storeInputs(inputs, of: token)
        case .discardInputs(let token):
            services.discardInputs(of: token)
        case .endAttempt(let token, let cause):
            runner.end(token, for: cause)
            typedAttempts[token]?.end(for: cause)
        case .readOutput(let request, let isOver):
            services.files.async { [services, mailbox] in
                let chunk = services.archive.read(request, isOver: isOver)
                mailbox.post(.outputRead(request: request.number, chunk))
            }
        case .keepAttempts(let attempts):
            keep(attempts)
        case .discardKeptAttempts:
            services.directory.kept.remove()
        case .killEverything:
            killEverything()
        case .noteDeparture(let departure):
            log(departure)
        case .exit:
            break
        }
    }

    private func start(_ assigned: AssignedWork) {
        logStart(of: assigned)
        if case .typed(let type, let argument) = assigned.work.kind {
            start(assigned, ofType: type, argument: argument)
        } else {
            runner.start(assigned)
        }
    }

    private func start(_ assigned: AssignedWork, ofType type: String, argument: [UInt8]) {
        let token = assigned.assignment.token
        guard let function = options.types.function(of: type) else {
            let sentence = "The worker \(name.asShown) runs no operations of type \(type.asShown)."
            return services.report(token, AttemptResult(end: .notStarted(sentence)))
        }
        do {
            try services.typedThreads.provide(for: typedAttempts.count + 1)
        } catch {
            let sentence = "The operation was not started: \(error)."
            startFailed(sentence)
            return services.report(token, AttemptResult(end: .workerFault(sentence, hasRun: false)))
        }
        startSucceeded()
        let attempt = TypedAttempt(assigned, host: services.typedAttemptHost)
        typedAttempts[token] = attempt
        let claim = assigned.assignment.claim(on: services.directory.identity.id)
        note(
            due: attempt.start(
                function,
                argument: argument,
                worker: name,
                token: runner.issuer.map { $0.token(for: claim) },
                trace: assigned.traceContext(in: runner.record)
            )
        )
    }
}
