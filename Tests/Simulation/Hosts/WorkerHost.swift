@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// A worker's process: the real session, with simulated time, network and processes around it.
final class WorkerHost {
    let index: Int
    let name: String
    /// The number of starts.
    private(set) var life = 0
    /// The processes of all lives of the worker.
    private(set) var processes: [AttemptToken: SimulatedProcess] = [:]
    /// The time of the last message that reached the coordinator, with the coordinator's life.
    var lastContact: (time: Timestamp, life: Int)? { didSet { isGivenUp = false } }
    /// Whether the coordinator may have declared the worker lost since the last contact.
    private(set) var isGivenUp = false
    private(set) var isStopped = false
    /// Whether the host can start no process.
    var isBroken = false
    /// Whether the last start failed.
    private var isFailing = false
    /// The last moment at which the coordinator may have taken the worker for lost, and its files with it.
    private(set) var lastDoubt: Timestamp
    /// The files that the worker keeps and fetches; used in runs with files alone.
    private(set) lazy var files = FileHost(world, of: self, seed: fileSeed)
    /// The second address, with coordinators that were replaced; nil in a run with one address.
    private lazy var second = SecondAddress(world, of: self, seed: fileSeed ^ 0x2ADD)
    /// The questions to two coordinators who leads; nil in a run with one.
    private lazy var lines = LeaderLines(world, of: self, seed: fileSeed ^ 0x11E5)
    /// The epoch in the welcome over the present connection; nil before.
    private var welcomeEpoch: UInt32?
    /// The highest epoch of a coordinator that the worker has obeyed, in all of its lives.
    private var highestEpoch: UInt32 = 0

    private unowned let world: World
    private static let logger = Logger(label: "worker", level: .critical, descriptor: -1)
    let slots: UInt32
    private let fileSeed: UInt64
    private var random: SplitMix
    private var shell: WorkerShell?
    private var link: Link?
    private var events: [WorkerSession.Event] = []
    /// Attempts that ended in an earlier session, for ``Fault/dropOutbox``.
    private var lostResults: Set<AttemptToken> = []
    private var unacknowledged: Set<AttemptToken> = []
    /// What an earlier life has left on the disk.
    private var kept: KeptAttempts?
    /// The lives in the ledger of the worker's directory, and the starts of theirs that it has.
    private var ledger = LeftStarts()
    private var turn: UInt64 = 0
    private var turnDue = Timestamp(rawValue: .max)

    init(_ world: World, index: Int, slots: UInt32, seed: UInt64) {
        self.world = world
        self.index = index
        self.slots = slots
        name = "w\(index + 1)"
        random = SplitMix(seed: seed)
        fileSeed = seed ^ 0xF11E
        lastDoubt = world.now
    }

    /// Whether the worker's process exists.
    var isRunning: Bool { shell != nil }

    /// Whether nothing about the host keeps an attempt from its start.
    var canStart: Bool { isRunning && !isStopped && !isBroken && !isFailing }

    // MARK: - Lives

    func start() {
        guard shell == nil else { return }
        life += 1
        lastDoubt = world.now
        world.tell("\(name): started, life \(life)")
        let processID = world.settings.reusesProcessIDs ? 1 : Int32(100 * (index + 1) + life)
        var configuration = WorkerSession.Configuration(
            name: name,
            version: "simulated",
            slots: slots,
            host: "host\(index + 1)",
            processID: processID,
            life: WorkerLife(
                directory: UInt32(index),
                start: UInt32(life),
                random: UInt16(truncatingIfNeeded: random.next())
            )
        )
        configuration.id = WorkerID(rawValue: UInt64(index) + 1)
        configuration.drainTimeout = world.administration?.drainTimeout() ?? .zero
        configuration.inherited = kept?.attempts(at: world.now) ?? []
        if world.hasFiles {
            files.begin()
            configuration.heldFiles = files.store.digests
        }
        if let second {
            configuration.places = 2
            if !world.faults.contains(.forgetRanks) { configuration.knownRanks = second.ranks }
        }
        if let lines {
            configuration.places = lines.places
            configuration.knownRanks = lines.ranks
        }
        // Now and then the host itself has crashed.
        if life % 4 == 0 { ledger = LeftStarts() }
        configuration.leftStarts = ledger
        ledger.lives = (ledger.lives + [configuration.life]).suffix(EarlierStarts.maximumLives)
        shell = WorkerShell(configuration, types: OperationTypes(), logger: Self.logger)
        turnDue = Timestamp(rawValue: .max)
        isFailing = false
        wake(at: world.now)
    }

    /// Kills the worker and all its processes.
    func kill() {
        guard shell != nil else { return }
        excuseEverything()
        if !world.faults.contains(.leaveChildren) {
            for process in liveProcesses { process.endedAt = world.now }
            processes = [:]
        }
        end()
    }

    /// Asks the worker to leave, as SIGTERM does, and in every other life once its attempts have ended, as SIGUSR1 does.
    func leave() {
        guard shell != nil else { return }
        lastDoubt = world.now
        post(life.isMultiple(of: 2) ? .finishRequested : .stopRequested)
    }

    /// Refuses the worker as a coordinator of another version does; the next life takes over the attempts of this life.
    func refuse() {
        guard shell != nil else { return }
        post(.message(.refused(Refusal(.incompatible, "The worker has another version."))))
    }

    /// Notes that running and unreported attempts may run again elsewhere.
    func excuseEverything() {
        isGivenUp = true
        lastDoubt = world.now
        noteDoubleFault()
        for process in liveProcesses { process.isExcused = true }
        world.history.excuse(unacknowledged)
    }

    /// Notes that attempts may run again elsewhere after a long loss of contact: unrecorded attempts sooner than
    /// recorded attempts.
    func excuseWhatMayBeGivenUp() {
        guard world.isOutOfContact(self, isRecorded: false) else { return }
        isGivenUp = true
        lastDoubt = world.now
        noteDoubleFault()
        for process in liveProcesses where world.isOutOfContact(process) { process.isExcused = true }
        world.history.excuse(unacknowledged) { [unowned world] in world.isOutOfContact($0) }
    }

    /// The session of the last hello.
    var currentSession: SessionID? { world.history.session(ofWorker: index) }

    /// Notes that the coordinator may have taken the files of the worker for lost, for another reason.
    func noteDoubt() { lastDoubt = world.now }

    private func noteDoubleFault() {
        let coordinator = world.coordinator
        if !coordinator.isRunning {
            world.history.doubleFault(atLife: coordinator.life + 1)
        } else if coordinator.life > 1,
            world.now <= coordinator.startedAt + world.settings.configuration.reconcileWindow + world.settings.lease
                + .seconds(1)
        {
            world.history.doubleFault(atLife: coordinator.life)
        }
        // Ended attempts are lost with the worker, unless the coordinator commits them before a kill.
        if !unacknowledged.isEmpty { world.history.doubleFault(atLife: coordinator.life + 1) }
    }

    func stop() {
        if shell != nil { isStopped = true }
    }

    func resume() {
        guard isStopped else { return }
        isStopped = false
        world.tell("\(name): goes on")
        turnDue = Timestamp(rawValue: .max)
        wake(at: world.now)
        if world.hasFiles { files.goOn() }
    }

    private func end() {
        world.tell("\(name): ended")
        shell = nil
        isStopped = false
        events = []
        unacknowledged = []
        lostResults = []
        if world.hasFiles { files.end() }
        second?.end()
        lines?.end()
        if let link { world.network.close(link) }
        link = nil
        turn += 1
    }

    private var liveProcesses: [SimulatedProcess] { processes.values.sorted { $0.token < $1.token } }

    // MARK: - Turns

    func post(_ event: WorkerSession.Event) {
        guard shell != nil else { return }
        events.append(event)
        wake(at: world.now + random.time(.microseconds(10), .milliseconds(1)))
    }

    private func wake(at time: Timestamp) {
        guard shell != nil, time < turnDue else { return }
        turn += 1
        turnDue = time
        let turn = turn
        world.schedule(at: time, actor: actor) { [self] in
            guard self.turn == turn, !isStopped else { return }
            takeTurn()
        }
    }

    private var actor: Int { 10 + index }

    private func takeTurn() {
        guard let shell else { return }
        turnDue = Timestamp(rawValue: .max)
        let events = events
        self.events = []
        for event in events { shell.handle(event, in: self) }
        if let reason = shell.endTurn(in: self) { return exit(because: reason) }
        if let second, second.isConnected, shell.session.isWelcomed {
            world.history.report("\(name) obeys a coordinator that was replaced")
        }
        if world.hasStandby, shell.session.isWelcomed, let welcomeEpoch {
            if isBelowHighest(welcomeEpoch) {
                world.history.report("\(name) obeys epoch \(welcomeEpoch) after epoch \(highestEpoch)")
            }
            highestEpoch = max(highestEpoch, welcomeEpoch)
        }
        // A moment later: the session's times are finer than the world's.
        if let next = shell.nextDeadline {
            wake(at: max(Timestamp(rawValue: 0) + next, world.now) + .microseconds(1))
        }
        if !self.events.isEmpty { wake(at: world.now + .microseconds(10)) }
    }

    /// Whether the worker has obeyed a coordinator of a higher epoch.
    func isBelowHighest(_ epoch: UInt32?) -> Bool { epoch.map { $0 < highestEpoch } ?? false }

    private func exit(because reason: WorkerSession.ExitReason) {
        switch reason {
        case .stopped: break
        case .refused(let refusal) where refusal.code == .incompatible: break
        case .refused(let refusal), .superseded(let refusal, _):
            world.history.report("\(name) was refused: \(refusal.message)")
        case .notAdmitted(let obstacle):
            world.history.report("\(name) was not admitted: \(obstacle)")
        }
        excuseEverything()
        end()
        world.schedule(at: world.now + random.time(.milliseconds(10), .seconds(2)), actor: actor) { [self] in
            start()
        }
    }

    private func receive(_ message: CoordinatorMessage) {
        world.tell("\(name): is told \(Trace.brief(message))")
        if world.hasFiles { noteFiles(message) }
        switch message {
        case .acknowledge(let tokens):
            unacknowledged.subtract(tokens)
            world.history.acknowledged(tokens)
        case .recall(let tokens) where world.faults.contains(.forgetRecall),
            .cancel(let tokens) where world.faults.contains(.forgetRecall):
            let waiting = tokens.filter { processes[$0] == nil && !world.history.hasStarted($0) }
            if let link, let session = world.history.session(ofWorker: index) {
                let report = AttemptReport(returned: waiting)
                world.network.sendUp(WorkerMessage.report(session, report).encoded(), over: link)
            }
            let rest = tokens.filter { !waiting.contains($0) }
            if case .cancel = message { post(.message(.cancel(rest))) }
            return
        case .welcome(var welcome) where world.faults.contains(.keepStaleAttempts):
            welcome.staleAttempts = []
            post(.message(.welcome(welcome)))
            return
        case .welcome(var welcome) where world.hasStandby:
            welcomeEpoch = welcome.epoch
            // A rank without its record cannot be compared with other ranks.
            if world.faults.contains(.obeyLowerEpoch), isBelowHighest(welcome.epoch) { welcome.record = .unknown }
            post(.message(.welcome(welcome)))
            return
        default: break
        }
        post(.message(message))
    }

    // MARK: - Processes

    func startCommands(of assigned: AssignedWork) {
        let assignment = assigned.assignment
        guard case .commands(let commands) = assigned.work.kind, let command = commands.first else { return }
        // Now and then a part of the commands has run before the rest cannot start.
        let isPartial = isBroken && !assignment.isHook && random.chance(10)
        if isBroken, !isPartial { return failToStart(assignment.token) }
        if !isBroken, isFailing {
            isFailing = false
            post(.startSucceeded)
        }
        let wanted = SimulatedProcess.Item(
            token: assignment.token,
            operation: assignment.operation,
            attempt: assignment.attempt,
            queue: assigned.queue,
            hookOutcome: assignment.hookOutcome,
            command: command,
            timeout: assigned.work.timeout,
            outputs: assigned.work.outputs
        )
        let process = SimulatedProcess(wanted, worker: index, life: life, at: world.now)
        if !world.coordinator.isRunning || world.isOfEarlierLeader(process.token) {
            process.isRecorded = world.coordinator.disk.knows(assignment.token, of: assignment.operation)
        }
        process.isExcused = isGivenUp || world.isOutOfContact(process)
        processes[assignment.token] = process
        world.tell(
            "\(name): \(process.operation) starts in \(assigned.queue), attempt \(process.attempt), \(process.token)"
        )
        if world.hasFiles { world.fileWatch?.started(process, with: files.takeFetched(process.token)) }
        if world.coordinator.hasMade(process.token) { world.history.started(process, in: world) }
        let running = processes.values.count { $0.hookOutcome == nil && $0.life == life }
        if running > Int(slots) { world.history.report("\(name) has \(slots) slots and runs \(running) attempts") }
        if isPartial {
            return world.schedule(at: world.now + random.time(.microseconds(20), .milliseconds(3)), actor: actor) {
                [self] in
                if process.life == life { startFailed() }
                finish(process, with: .workerFault("broken", hasRun: true))
            }
        }
        let behaviour = Behaviour(wanted)
        world.schedule(at: world.now + behaviour.duration, actor: actor) { [self] in
            guard !process.isPaused else {
                process.endWhenContinued = behaviour.end
                return
            }
            finish(process, with: behaviour.end)
        }
    }

    private func startFailed() {
        isFailing = true
        post(.startFailed("broken"))
    }

    private func failToStart(_ token: AttemptToken) {
        world.tell("\(name): \(token) cannot be started")
        let life = life
        world.schedule(at: world.now + random.time(.microseconds(20), .milliseconds(3)), actor: actor) { [self] in
            guard self.life == life else { return }
            guard !world.faults.contains(.failWhatCannotStart) else {
                return post(.attemptFinished(token, AttemptResult(end: .notStarted("broken"))))
            }
            startFailed()
            post(.attemptFinished(token, AttemptResult(end: .workerFault("broken", hasRun: false))))
        }
    }

    func endCommands(of token: AttemptToken, for cause: WorkerSession.EndCause) {
        guard let process = processes[token], !process.isEnding else { return }
        process.isEnding = true
        process.isPaused = false
        // The worker leaves: the operation runs again elsewhere.
        if cause != .cancelled { process.isExcused = true }
        if world.faults.contains(.freeSlotEarly) { post(.slotFreed(token)) }
        let end: AttemptEnd =
            cause.interruption
            ?? (random.chance(60) ? .cancelled(exitStatus: nil, signal: 15) : .cancelled(exitStatus: 0, signal: nil))
        world.schedule(at: world.now + random.time(.milliseconds(1), .seconds(2)), actor: actor) { [self] in
            finish(process, with: end)
        }
    }

    func pauseCommands(of token: AttemptToken) {
        guard let process = processes[token], !process.isEnding else { return }
        process.isPaused = true
    }

    func resumeCommands(of token: AttemptToken) {
        guard let process = processes[token], process.isPaused else { return }
        process.isPaused = false
        if let end = process.endWhenContinued { finish(process, with: end) }
    }

    /// Signals change nothing about simulated commands.
    func signalCommands(of token: AttemptToken, _ signal: OperationSignal) {}

    private func finish(_ process: SimulatedProcess, with end: AttemptEnd) {
        guard processes[process.token] === process else { return }
        processes[process.token] = nil
        process.endedAt = world.now
        process.end = end
        world.tell("\(name): \(process.operation) ends, attempt \(process.attempt), \(end)")
        guard process.life == life, shell != nil else { return }
        unacknowledged.insert(process.token)
        post(.slotFreed(process.token))
        let life = life
        world.schedule(at: world.now + random.time(.microseconds(20), .milliseconds(3)), actor: actor) { [self] in
            guard self.life == life else { return }
            if world.hasFiles { files.keepOutputs(of: process) }
            post(.attemptFinished(process.token, process.result(of: end)))
        }
    }

    /// The message that a faulty worker sends instead.
    private func spoiled(_ message: WorkerMessage) -> WorkerMessage {
        if world.hasFiles { noteLeaving(message) }
        switch message {
        case .hello(var hello):
            world.history.greeted(worker: index, hello.session)
            guard world.faults.contains(.dropOutbox) else { return message }
            hello.attempts.removeAll { $0.isFinished }
            return .hello(hello)
        case .report(let session, var report) where world.faults.contains(.dropOutbox):
            report.completions.removeAll { lostResults.contains($0.token) }
            return .report(session, report)
        default:
            return message
        }
    }
}

extension WorkerHost: WorkerSurroundings {
    typealias Failure = Never

    var now: Duration { world.now - Timestamp(rawValue: 0) }

    func randomNumber() -> UInt64 { random.next() }

    func openConnection(at place: Int) {
        if let second {
            second.disconnect()
            if let link { world.network.close(link) }
            link = nil
            guard place == 0 else { return second.connect() }
        }
        welcomeEpoch = nil
        let life = life
        link = world.network.connect(
            from: index,
            to: place,
            receive: { [self] bytes in
                guard self.life == life, let message = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) })
                else { return }
                receive(message)
            },
            loseConnection: { [self] in
                if self.life == life { post(.connectionLost) }
            }
        )
        post(.connectionOpened)
    }

    func closeConnection() {
        second?.disconnect()
        if world.hasFiles { files.disconnect() }
        if let link { world.network.close(link) }
        link = nil
        lostResults.formUnion(unacknowledged)
    }

    func lookAtConnection() -> (signAt: Duration?, roundTrip: Duration) { (nil, .zero) }

    func send(_ message: WorkerMessage) throws(Never) {
        // Without files, nobody waits for the report that there are none, and each message would change the history of a seed.
        if !world.hasFiles, case .filesHeld = message { return }
        if let second, second.isConnected { return second.receive(message) }
        if let link { world.network.sendUp(spoiled(message).encoded(), over: link) }
    }

    func killCommands() {
        for process in liveProcesses { process.isExcused = true }
        for process in liveProcesses { finish(process, with: .stopped) }
    }

    func start(
        _ function: @escaping OperationTypes.Function,
        argument: [UInt8],
        of assigned: AssignedWork
    ) throws(ThreadFailure) -> TypedAttempt {
        preconditionFailure("The simulated workers know no types of operations.")
    }

    func end(_ attempt: TypedAttempt, for cause: TypedAttempt.Cause) {}

    func readOutput(_ request: OutputRequest, isOver: Bool) { post(.outputRead(request: request.number, nil)) }

    func noteStart(_ start: StartedAttempt, at place: Int32) { ledger.attempts[place] = start }

    func eraseStarts(at places: [Int32]) {
        for place in places { ledger.attempts[place] = nil }
    }

    func forgetEarlierLives() { ledger.lives = ledger.lives.suffix(1) }

    func keep(_ attempts: [KeptAttempts.Attempt]) { kept = KeptAttempts(moment: world.now, attempts: attempts) }

    func discardKeptAttempts() { kept = nil }

    func openInquiries() {
        second?.inquire()
        lines?.inquire()
    }

    func keepRanks(_ ranks: KnownRanks) {
        second?.keep(ranks)
        lines?.keep(ranks)
    }

    // The inputs are not written down.
    func storeInputs(_ inputs: [Input], of token: AttemptToken) {}
    func discardInputs(of token: AttemptToken) {
        if world.hasFiles { files.drop(token) }
    }
}

/// The behaviour of an operation, derived from its command.
///
/// The command is `["work", milliseconds, exit status of the first attempt, of the second, ...]`; the last status holds
/// for all further attempts. In place of a status, `timeout` says that the attempt runs longer than it may, `unkept` that it leaves
/// no file of a declared pattern, and `crowded` that its worker has no room for its files.
struct Behaviour {
    var duration: Duration
    var end: AttemptEnd

    /// In place of a status: a declared file is missing.
    static let unkept = "unkept"
    /// In place of a status: other files take the room.
    static let crowded = "crowded"

    init(_ item: SimulatedProcess.Item) {
        let words = item.command
        duration = .milliseconds(words.count > 1 ? Int(words[1]) ?? 1 : 1)
        let ends = words.dropFirst(2).compactMap { word -> AttemptEnd? in
            if word == "timeout" { return .timedOut }
            if word == Self.unkept { return .unkeptFiles("No file matches a pattern.") }
            if word == Self.crowded { return .noRoom(RoomLack(wanted: 2, limit: 3, taken: 2), hasRun: true) }
            return Int32(word).map { AttemptEnd.exited($0) }
        }
        let position = max(0, min(Int(item.attempt) - 1, ends.count - 1))
        end = item.hookOutcome == nil && ends.indices.contains(position) ? ends[position] : .exited(0)
    }
}
