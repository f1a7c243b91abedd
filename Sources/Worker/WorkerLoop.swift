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

/// The worker's own thread, which owns the socket and the processes, and surrounds the session of a worker's process.
final class WorkerLoop {
    let options: WorkerOptions
    let name: String
    let services: AttemptServices
    /// Moves files between this worker and others.
    let transfers: FileThread
    let mailbox: PolledMailbox<WorkerLetter>
    let context: Context
    let poller = Poller()
    let runner: AttemptRunner
    private let start = ContinuousClock.now
    private var random: SplitMix
    /// The session, and what carries out its decisions.
    let shell: WorkerShell
    /// The addresses at which a coordinator may lead.
    let places: [String]
    /// The number of the address of the present or latest connection.
    var place = 0
    /// The number of the latest search for a coordinator, so that what an earlier one finds does not count.
    var searchNumber: UInt64 = 0
    /// The questions who leads; nil with a single address.
    var inquiries: LeaderInquiries?
    var connection: CoordinatorConnection?
    /// The addresses at which the latest connections brought no welcome.
    var fruitlessPlaces: Set<String> = []
    /// The time at which to take the progress that Swift operations have reported; nil while there is none.
    private var progressDueAt: ContinuousClock.Instant?
    /// The time before which no progress is taken.
    private var progressRestsUntil = ContinuousClock.now
    /// What the log has told of the coordinator's absence.
    var absenceLog = AbsenceLog()
    /// The ledger of the directory; nil if the file system has no place for it.
    let ledger: StartLedger?
    /// Where commands ask for the worker's health; nil if the file system has no place for it.
    var health: (listener: HealthListener, source: Poller.Source)?
    /// Whether the worker was asked to end once all attempts have ended by themselves, and nothing else since.
    private var isFinishing = false
    /// The time of the last log line about keys that do not let the worker in; nil after a welcome.
    var obstacleLoggedAt: ContinuousClock.Instant?

    /// The number of messages to take before carrying out their effects.
    private static let messagesPerTurn = 256

    init(
        _ options: WorkerOptions,
        name: String,
        budget: DescriptorBudget,
        offer: WorkerOffer,
        services: AttemptServices,
        transfers: FileThread,
        processes: SupervisedProcesses,
        mailbox: PolledMailbox<WorkerLetter>,
        context: Context
    ) {
        self.options = options
        self.name = name
        self.services = services
        self.transfers = transfers
        self.mailbox = mailbox
        self.context = context
        places = EndpointList(options.coordinator)?.endpoints ?? [options.coordinator]
        runner = AttemptRunner(
            services,
            processes: processes,
            memoryWithoutRequest: options.resources.memoryLimitWithoutRequest(slots: budget.slots),
            shell: options.resources.shell
        )
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
        configuration.hooksAtOnce = options.keeper == nil ? budget.hooks : 0
        configuration.keeper = options.keeper?.claim
        configuration.places = places.count
        if places.count > 1 { configuration.knownRanks = services.directory.knownRanks }
        configuration.patience = options.patience
        configuration.onCoordinatorLost = options.onCoordinatorLost
        configuration.drainTimeout = options.drainTimeout
        configuration.idleExit = options.idleExit
        configuration.endsAt = options.timeLimit
        configuration.heldFiles = services.store.all
        configuration.filesLimit = services.store.limit
        configuration.inherited = Self.inheritance(in: services.directory, options.logger)
        ledger = Self.ledger(in: services.directory, options.logger)
        configuration.leftStarts = ledger?.left
        shell = WorkerShell(configuration, types: options.types, logger: options.logger)
        // The coordinator tells of its own health.
        if options.keeper == nil { tellHealth(at: services.directory.health) }
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
        defer {
            runner.shutDown()
            ledger?.close()
            inquiries?.close()
        }
        let reason: WorkerSession.ExitReason
        do throws(ZeroMQError) {
            reason = try work()
        } catch {
            connection?.close()
            throw WorkerError(.system, error.description)
        }
        connection?.close(lingering: shell.hasSaidGoodbye ? options.patience.goodbye : .zero)
        switch reason {
        case .stopped:
            // Whoever finds no socket knows that the worker shall not be started again.
            if !isFinishing { unlink(services.directory.health) }
            options.logger.notice("stopped")
        case .refused(let refusal):
            throw WorkerError(refusal.code == .unavailable ? .unavailable : .refused, refusal)
        case .notAdmitted(let obstacle):
            throw WorkerError(obstacle, endpoint: address)
        case .superseded(let refusal, let isCopy):
            // This worker holds the lock of its directory, so the other worker has a copy of the directory.
            if isCopy { services.directory.forgetIdentity() }
            throw WorkerError(isCopy ? .copied : .superseded, refusal)
        }
    }

    private func work() throws(ZeroMQError) -> WorkerSession.ExitReason {
        while true {
            if let reason = try shell.endTurn(in: self, holdsReports: runner.hasUncollected) { return reason }
            let hasStarted = runner.startNext()
            // After the start: the next attempt runs while the files of the last one are collected.
            let collected = runner.collect()
            for event in collected { pass(event) }
            try poller.poll(timeout: collected.isEmpty || hasStarted ? patience : .zero)
            // Read the socket before the clock: a worker that was late itself has not lost the coordinator.
            try receive()
            if let inquiries { receive(inquiries.receive()) }
            if let health, poller.isReadable(health.source) { health.listener.answer(healthReport) }
            for letter in mailbox.takeAll() { open(letter) }
            for event in runner.takeEvents(startsNext: shell.hasAttemptsInLine) { pass(event) }
            if let due = progressDueAt, due <= .now { takeProgress() }
        }
    }

    var now: Duration { ContinuousClock.now - start }

    /// The time until the next action if no event comes before; nil without such an action.
    private var patience: Duration? {
        let untilTurn = shell.nextDeadline.map { max($0 - now, .zero) }
        let untilProgress = progressDueAt.map { max(ContinuousClock.now.duration(to: $0), .zero) }
        let due = Optional.least(.least(untilTurn, runner.timeUntilDue), untilProgress)
        guard let inquiries else { return due }
        return .least(due, inquiries.timeUntilDue)
    }

    func handle(_ event: WorkerSession.Event) { shell.handle(event, in: self) }
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
                handle(.message(message))
                switch message {
                case .welcome(let welcome): noteWelcome(welcome)
                case .leadership, .challenge: self.connection?.hasAnswered = true
                default: break
                }
            } catch {
                options.logger.warning("dropped a message of the coordinator", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func open(_ letter: WorkerLetter) {
        switch letter {
        case .found(let finding, let number):
            connect(to: finding, search: number)
        case .attemptPrepared(let token, let result):
            runner.prepared(token, result)
        case .attemptEnded(let token, let result):
            // The last report counts, however short before the end it came.
            if shell.runsFunction(of: token), services.progress.hasReport(of: token) { takeProgress() }
            handle(.attemptFinished(token, result))
        case .attemptsProgressed:
            progressDueAt = max(.now, progressRestsUntil)
        case .outputRead(let request, let chunk):
            handle(.outputRead(request: request, chunk))
        case .filesFetched(let token):
            handle(.filesFetched(token))
        case .filesUnavailable(let token, let digests):
            handle(.filesUnavailable(token, digests))
        case .fetchFailed(let token, let failure):
            guard shell.session.isFetchingFiles(for: token) else { return }
            if let lack = failure.lack {
                // Other attempts may need less room, or none: the session tells the coordinator that there is no room for this attempt.
                handle(.noRoomForFiles(token, lack))
            } else {
                // The session returns what waits, as if this host could start nothing.
                runner.fail(because: failure.description)
            }
        case .filesChanged(let held, let dropped):
            handle(.filesChanged(held: held, dropped: dropped))
            if !held.isEmpty { transfers.filesKept() }
        case .fileLost(let digest, let isDamaged):
            handle(.fileLost(digest, isDamaged: isDamaged))
        case .filesArriving(let bytes):
            handle(.filesArriving(bytes))
        case .filesVerified(let digests):
            handle(.filesVerified(digests))
        case .filesNotCopied(let session, let digests, let hasRoom):
            handle(.filesNotCopied(session, digests, hasRoom: hasRoom))
        case .outputTrimmed(let token):
            runner.outputTrimmed(of: token)
        case .directoriesRestored:
            options.logger.warning(
                "the worker's directory was removed or changed by another program; it was created again",
                metadata: ["directory": "\(services.directory.path)"]
            )
            runner.restoreGroupFile()
            if options.keeper == nil { tellHealth(at: services.directory.health) }
        case .stop:
            isFinishing = false
            handle(.stopRequested)
        case .finish:
            isFinishing = true
            handle(.finishRequested)
        case .stopNow:
            isFinishing = false
            shell.killEverything(in: self)
        }
    }

    private func pass(_ event: AttemptRunner.Event) {
        switch event {
        case .slotFreed(let token): handle(.slotFreed(token))
        case .ended(let token, let result): handle(.attemptFinished(token, result))
        case .stopped(let signals): handle(.attemptsStopped(signals))
        case .startFailed(let why): handle(.startFailed(why))
        case .startSucceeded: handle(.startSucceeded)
        }
    }

    /// Takes the latest progress of Swift operations, and lets the next reports gather for a while.
    private func takeProgress() {
        progressDueAt = nil
        progressRestsUntil = .now + ProgressBoard.interval
        handle(.attemptsProgressed(services.progress.takeAll()))
    }
}

// MARK: - What goes out

extension WorkerLoop: WorkerSurroundings {
    typealias Failure = ZeroMQError

    func randomNumber() -> UInt64 { random.next() }

    func send(_ message: WorkerMessage) throws(ZeroMQError) {
        _ = try connection?.socket.send(message.encoded())
    }

    func startCommands(of assigned: AssignedWork) { runner.start(assigned) }

    func endCommands(of token: AttemptToken, for cause: WorkerSession.EndCause) { runner.end(token, for: cause) }

    func pauseCommands(of token: AttemptToken) { runner.pause(token) }

    func resumeCommands(of token: AttemptToken) { runner.resume(token) }

    func signalCommands(of token: AttemptToken, _ signal: OperationSignal) { runner.signal(token, signal) }

    func killCommands() { runner.shutDown() }

    func start(
        _ function: @escaping OperationTypes.Function,
        argument: [UInt8],
        of assigned: AssignedWork
    ) throws(ThreadFailure) -> TypedAttempt {
        try services.typedThreads.provide(for: shell.functionCount + 1)
        let attempt = TypedAttempt(assigned, host: services.typedAttemptHost)
        let claim = assigned.assignment.claim(on: services.directory.identity.id)
        attempt.start(
            function,
            argument: argument,
            worker: name,
            token: runner.issuer.map { $0.token(for: claim) },
            trace: assigned.traceContext(in: runner.record)
        )
        return attempt
    }

    func end(_ attempt: TypedAttempt, for cause: TypedAttempt.Cause) { attempt.end(for: cause) }

    func storeInputs(_ inputs: [Input], of token: AttemptToken) { services.storeInputs(inputs, of: token) }

    func discardInputs(of token: AttemptToken) { services.discardInputs(of: token) }

    func fetchFiles(_ files: [InputFile], of token: AttemptToken) { transfers.fetch(files, of: token) }

    func dropFetch(of token: AttemptToken) { transfers.drop(token) }

    func releaseFiles(_ digests: [ContentDigest]) {
        services.store.release(digests)
        transfers.released(digests)
    }

    func retainFiles(_ digests: [ContentDigest]) { services.store.retain(digests) }

    func verifyFiles(_ digests: [ContentDigest]) { services.verifyFiles(digests) }

    func copyFiles(_ files: [KeptFile]) { transfers.copy(files) }

    func readOutput(_ request: OutputRequest, isOver: Bool) {
        services.archive.expectReader(of: OutputOwner(request.token, of: request.operation))
        services.files.async { [services, mailbox] in
            let chunk = services.archive.read(request, isOver: isOver)
            mailbox.post(.outputRead(request: request.number, chunk))
        }
    }

    func noteStart(_ start: StartedAttempt, at place: Int32) { ledger?.note(start, at: Int(place)) }

    func eraseStarts(at places: [Int32]) {
        for place in places { ledger?.erase(Int(place)) }
    }

    func forgetEarlierLives() { ledger?.forgetEarlierLives() }

    func discardKeptAttempts() { services.directory.kept.remove() }
}
