@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import BatonTestRecords
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator's process: the real decisions, with simulated time, network and disk around them.
///
/// In most runs there is one, whose record lies on a disk of its host. In a run with two, both share the record of a server.
final class CoordinatorHost {
    /// The memory of one life of the process as the leader.
    final class Life {
        let shell: CoordinatorShell
        let recorder: SteppedRecorder
        var arrived: [(peer: RoutingID, host: Int, bytes: [UInt8])] = []
        /// The recorder's letters that have reached the coordinator.
        var letters: [RecordLetter] = []
        var isRecorderDue = false
        /// The arrival of the last letters on their way.
        var lettersDue: Timestamp
        /// The number of the next turn; turns of an earlier number are void.
        var turn: UInt64 = 0
        var turnDue = Timestamp(rawValue: .max)
        /// Whether the coordinator keeps quiet, because it cannot prove its lease.
        var isSilent = false
        /// The latest end of the present wait, by the host's clock.
        var expected: Timestamp
        var turns = 0
        /// What a run with two coordinators knows of the leadership; nil in other runs.
        let term: Term?

        init(_ core: CoordinatorCore, on store: any Store, _ term: Term?, clock: Timestamp, now: Timestamp) {
            recorder = SteppedRecorder(store)
            shell = CoordinatorShell(core, lease: term?.lease, post: recorder.post)
            self.term = term
            expected = clock
            lettersDue = now
        }

        var core: CoordinatorCore { shell.core }
    }

    /// The number of the host among those of coordinators, which is the place of its address.
    let index: Int
    /// The present opening of the port, to which connections belong.
    private(set) var port = 0
    /// The server of a record that two coordinators share; nil for a record of this host.
    let server: SimulatedServer?
    /// What the process says while another one leads; nil otherwise.
    var standby: Standby?
    private(set) var disk: SimulatedDisk
    /// The number of starts.
    private(set) var life = 0
    /// The time of the last start.
    private(set) var startedAt: Timestamp
    /// Whether the process is stopped (SIGSTOP).
    private(set) var isStopped = false
    /// The longest time of a transaction now.
    var slowestCommit = Duration.milliseconds(15)
    /// The error of the host's clock, whose changes the process notices at its next turn.
    var clockError = Duration.zero
    /// The error of the clock at the start of the process, which takes the time of day then and counts on from there.
    private var startError = Duration.zero
    /// The error of the clock that the process has noticed last.
    private var noticedError = Duration.zero

    unowned let world: World
    var random: SplitMix
    private var incarnations: SplitMix
    /// The source of what is left of unsynced writes.
    private var losses: SplitMix
    /// The source of damage to the record's log.
    private var damages: SplitMix
    /// The number of lives before the first epoch of the record.
    var livesBeforeRecord: Int { disk.livesBefore }
    private(set) var current: Life?
    /// The last dispatch of each operation, for ``Fault/acceptStaleToken``.
    private var lastSent: [OperationID: (peer: RoutingID, token: AttemptToken)] = [:]
    private var sessions: [RoutingID: SessionID] = [:]
    /// What a fault about files does.
    private var fileFaults: FileFaults

    private static let options = CoordinatorOptions(
        store: .file(""),
        version: "simulated",
        logger: Logger(label: "coordinator", level: .error, descriptor: -1)
    )

    init(_ world: World, index: Int, seed: UInt64) {
        self.world = world
        self.index = index
        random = SplitMix(seed: seed)
        incarnations = SplitMix(seed: ~seed)
        losses = SplitMix(seed: seed ^ 0x1055)
        damages = SplitMix(seed: seed ^ 0xDA3A)
        server = world.server
        disk = server?.disk ?? SimulatedDisk(eventHistory: world.settings.eventHistory)
        startedAt = world.now
        fileFaults = FileFaults(world.faults)
    }

    /// Whether the process leads, as far as it knows.
    var isRunning: Bool { current != nil }

    /// Whether the process accepts connections.
    var isListening: Bool { current != nil || standby != nil }

    /// Whether the coordinator has nothing to do: all jobs are finished, and on disk.
    var isQuiet: Bool {
        guard let current, !isStopped else { return false }
        return current.arrived.isEmpty && current.letters.isEmpty && !current.isRecorderDue && disk.isEverythingFinished
    }

    /// The time of day as the process counts it.
    var clock: Timestamp { world.now + startError }

    // MARK: - Lives

    func start() {
        guard !isListening else { return }
        if server == nil { lead(nil) } else { standBy() }
    }

    /// Opens the record, and leads.
    ///
    /// - Parameter session: the session with the server that has the record; nil for a record of this host.
    func lead(_ session: SimulatedServer.Session?) {
        var incarnation = Incarnation.random(using: &incarnations)
        if world.faults.contains(.keepIncarnation) { incarnation = Incarnation(rawValue: 1) }
        let store: SQLStore
        var state: StoredState
        do throws(StoreError) {
            (store, state) = try disk.open(as: incarnation)
        } catch {
            return startFailed(error)
        }
        world.history.report(disk.ledger.check(store, state))
        world.history.report(disk.ledger.violations(of: state.totals))
        if disk.incarnations.isEmpty {
            disk.livesBefore = (world.coordinators.map(\.life).max() ?? 0) + 1 - Int(state.epoch)
        }
        life = livesBeforeRecord + Int(state.epoch)
        if session == nil { port = life }
        spoil(&state)
        disk.incarnations.insert(incarnation)
        startedAt = world.now
        startError = clockError
        noticedError = clockError
        world.tell("\(name): started, life \(life)")
        var options = Self.options
        options.configuration = world.settings.configuration
        if world.faults.contains(.skipReconciliation) { options.configuration.reconcileWindow = .zero }
        if world.faults.contains(.loseEarly), life > 1 {
            options.configuration.lostAfter = options.configuration.reconcileWindow
        }
        options.heartbeatInterval = world.settings.heartbeatInterval
        (options.leastRowsInParts, options.rowsOfPart) = world.settings.parts
        if session != nil { setLease(of: &options) }
        let core = CoordinatorCore(options, state: state, endpoint: "simulated", seed: random.next(), at: clock)
        var kept: any Store = world.faults.contains(.loseParts) ? PartLosingStore(store) : store
        let rank = LeaderRank(record: state.record, epoch: state.epoch, incarnation: incarnation)
        let term = session.map { Term($0, of: rank, in: self) }
        if let server, let session {
            server.lead(session, as: state.epoch)
            kept = FencedStore(store, at: server, by: session)
        }
        current = Life(core, on: kept, term, clock: clock, now: world.now)
        endTurn()
        world.network.release()
    }

    /// The name of the process in the trace.
    var name: String { server == nil ? "coordinator" : "c\(index + 1)" }

    /// Opens the port, or opens it again.
    func openPort() {
        port = world.nextPort()
        world.network.release()
    }

    /// Ends a process that could not open the record because of its disk; another one is started soon.
    private func startFailed(_ error: StoreError) {
        guard error.code == .full || error.code == .notAccessible else {
            return world.history.report("the record could not be opened: \(error)")
        }
        world.tell("coordinator: not started, \(error)")
        disk.endProcess(losingUnsynced: disk.hasLostPower ? losses.next() : nil)
        world.schedule(at: world.now + .seconds(1), actor: World.coordinatorActor) { [self] in start() }
    }

    /// Lets the power fail at the end of a run, and checks the record that a next process would find.
    func checkLastRecord() {
        for coordinator in world.coordinators { coordinator.current = nil }
        disk.endProcess(losingUnsynced: losses.next())
        do throws(StoreError) {
            let (store, state) = try disk.open(as: .random(using: &incarnations))
            world.history.report(disk.ledger.check(store, state))
        } catch {
            world.history.report("the record could not be opened at the end: \(error)")
        }
    }

    /// Replaces the present record, and kills the process, which forgets the earlier one.
    func replaceRecord(by replacement: SimulatedDisk) {
        kill()
        disk = replacement
        slowestCommit = .milliseconds(15)
    }

    /// Whether the attempt was made by a coordinator of the present record.
    func hasMade(_ token: AttemptToken) -> Bool { disk.incarnations.contains(token.incarnation) }

    /// Notes which attempts the record knows, whose ends are not acknowledged.
    func noteRecorded() {
        for process in world.history.processes where !world.history.acknowledgedTokens.contains(process.token) {
            process.isRecorded = disk.knows(process.token, of: process.operation)
        }
    }

    /// Lets the power of the host fail in one of the next writes, at the latest after half a second; it returns some time later.
    func losePower(after writes: Int) {
        guard let current else { return }
        disk.losePower(after: writes)
        world.schedule(at: world.now + .milliseconds(500), actor: World.recorderActor) { [self] in
            if self.current === current, disk.isLosingPower { endWithoutPower() }
        }
    }

    private func endWithoutPower() {
        world.tell("the host of the coordinator has lost its power")
        kill(losingUnsynced: losses.next())
        world.schedule(at: world.now + losses.time(.milliseconds(5), .seconds(4)), actor: World.coordinatorActor) {
            [self] in start()
        }
    }

    /// Kills the process: changes that are not on disk are lost.
    ///
    /// - Parameter seed: the choice among the unsynced writes if the host has lost its power.
    func kill(losingUnsynced seed: UInt64? = nil) {
        guard server == nil else { return end() }
        guard current != nil else { return }
        world.tell("coordinator: killed")
        // The coordinator may have declared workers lost, with the losses on disk.
        for worker in world.workers { worker.excuseWhatMayBeGivenUp() }
        current = nil
        disk.endProcess(losingUnsynced: seed)
        if damages.chance(25) {
            world.history.note(.logDamaged)
            world.tell("trouble: logDamaged")
            disk.damageLog(using: &damages, acceptsLoss: world.faults.contains(.ignoreTally))
        }
        noteRecorded()
        forget()
        world.network.coordinatorEnded(port: port)
    }

    /// Forgets what the process had in memory.
    func forget() {
        current = nil
        isStopped = false
        lastSent = [:]
        sessions = [:]
    }

    /// Stops the process until it is continued.
    func stop() {
        if isListening { isStopped = true }
    }

    func resume() {
        guard isStopped else { return }
        isStopped = false
        world.tell("\(name): goes on")
        standby?.goOn()
        current?.turnDue = Timestamp(rawValue: .max)
        wake(at: world.now)
        scheduleRecorder()
    }

    // MARK: - Turns

    func receive(_ bytes: [UInt8], from peer: RoutingID, ofHost host: Int) {
        guard let current else {
            standby?.receive(bytes, from: peer)
            return
        }
        current.arrived.append((peer, host, bytes))
        wake(at: world.now + random.time(.microseconds(10), .milliseconds(1)))
    }

    func wake(at time: Timestamp) {
        guard let current, time < current.turnDue else { return }
        current.turn += 1
        current.turnDue = time
        let turn = current.turn
        world.schedule(at: time, actor: World.coordinatorActor) { [self] in
            guard let now = self.current, now === current, now.turn == turn, !isStopped else { return }
            takeTurn()
        }
    }

    private func takeTurn() {
        guard let current else { return }
        current.turnDue = Timestamp(rawValue: .max)
        current.turns += 1
        current.core.wokeUp(at: clock, expected: current.expected)
        if clockError != noticedError {
            noticedError = clockError
            current.core.hostClockStepped(to: clockError - startError, at: clock)
        }
        let letters = current.letters
        current.letters = []
        for letter in letters { open(letter, in: current) }
        guard self.current === current else { return }
        // The letters with the proof come before the messages of peers.
        if current.term != nil {
            current.isSilent = !current.shell.mayReceive(at: leaseTime)
            current.core.setSilent(current.isSilent, at: clock)
        }
        let arrived = current.isSilent ? [] : current.arrived
        if !current.isSilent { current.arrived = [] }
        for (peer, host, bytes) in arrived {
            if let intrusion = world.intrusion {
                intrusion.overhear(bytes, fromHost: host)
                if intrusion.isUnderFreeName(bytes, fromHost: host, at: current.core) { continue }
            }
            let bytes = world.faults.isEmpty ? bytes : spoiled(bytes, from: peer, ofHost: host)
            world.tell(Trace.arrival(bytes, from: peer))
            let message = bytes.withUnsafeBytes { ReceivedMessage(decoding: $0) }
            current.core.receive(message, from: peer, by: world.intrusion?.requester(ofHost: host), at: clock)
            if world.hasFiles, !world.faults.isEmpty { believe(behind: bytes, from: peer, ofHost: host) }
        }
        endTurn()
        if current.turns % 32 == 0 { world.history.report(current.core.violations) }
    }

    private func endTurn() {
        guard let current else { return }
        current.core.endTurn(at: clock, isDrained: !current.isSilent)
        current.shell.carryOutActions(in: self, at: clock)
        scheduleRecorder()
        current.expected = max(current.core.nextDeadline, clock)
        wake(at: max(current.core.nextDeadline + (.zero - startError), world.now + .microseconds(1)))
    }

    /// Lets the recorder do one transaction after its delay, and send the result.
    func scheduleRecorder() {
        guard let current, current.isRecorderDue, !isStopped else { return }
        current.isRecorderDue = false
        world.schedule(
            at: world.now + random.time(.microseconds(100), slowestCommit),
            actor: World.recorderActor
        ) { [self] in
            guard self.current === current else { return }
            guard !isStopped else { return current.isRecorderDue = true }
            if let term = current.term, !term.isAnswerable() { return waitForServer(in: current) }
            if current.recorder.takeStep() { current.isRecorderDue = true }
            let letters = current.recorder.takeLetters()
            if current.term?.isLatest ?? true {
                disk.ledger.noteTransaction(of: letters.count { if case .committed = $0 { true } else { false } })
            }
            guard !disk.hasLostPower else { return endWithoutPower() }
            scheduleRecorder()
            // The letters arrive in order.
            current.lettersDue = max(current.lettersDue, world.now + random.time(.microseconds(10), .milliseconds(2)))
            world.schedule(at: current.lettersDue, actor: World.recorderActor) { [self] in
                guard self.current === current else { return }
                current.letters += letters
                wake(at: world.now)
            }
        }
    }
}

extension CoordinatorHost: CoordinatorSurroundings {
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
        current?.core.delivered(bytes.count, to: peer)
        world.intrusion?.overhear(answer: bytes)
        if let term = current?.term, !term.isProven {
            world.history.report("\(name) has answered, and has not proven that it leads")
        }
        world.network.sendDown(world.faults.isEmpty ? bytes : spoiledAnswer(bytes, to: peer), to: peer, from: self)
        if world.hasFiles { noteFiles(of: bytes, to: peer) }
    }

    func handOver(_ page: HistoryPage, to peer: RoutingID) {
        preconditionFailure("The simulated coordinator has no parts that ask it without messages.")
    }

    func record(_ work: RecorderInbox.Item) {
        guard let current else { return }
        current.isRecorderDue = true
        guard case .append(let changes, let completion) = work else { return current.recorder.put(work) }
        let kept = world.faults.isEmpty ? changes : spoiled(changes)
        if current.term?.isLatest ?? true { disk.ledger.begin(kept) }
        guard world.faults.contains(.acknowledgeBeforeCommit) else {
            return current.recorder.put(.append(kept, completion: completion))
        }
        // The core is told once, and in the order of the batches.
        current.recorder.put(.append(kept) { _ in })
        completion(.success(()))
        current.letters += current.recorder.takeLetters()
        wake(at: world.now)
    }

    // A disk in memory keeps its files in their place.
    func checkRecord() {}

    func retryRecord() {
        current?.isRecorderDue = true
        current?.recorder.retry()
    }
}

// MARK: - Faults on purpose

extension CoordinatorHost {
    /// Alters the state that a faulty coordinator begins with.
    private func spoil(_ state: inout StoredState) {
        let faults = world.faults
        if faults.contains(.keepEpoch) { state.epoch = 1 }
        if faults.contains(.trustClock) { state.clock = nil }
        if faults.contains(.forgetQueues) { state.queues = [:] }
        if faults.contains(.forgetLimits) { state.limits = state.limits.mapValues { _ in 1000 } }
        if faults.contains(.forgetDrains) { state.drains = [:] }
        if faults.contains(.forgetWorkers) { state.workers = [:] }
        guard faults.contains(.forgetHolds) else { return }
        for job in state.jobs.indices {
            for record in state.jobs[job].records.indices { state.jobs[job].records[record].isHeld = false }
            for entry in state.jobs[job].job.submission.entries.indices {
                state.jobs[job].job.submission.entries[entry].isHeld = false
            }
        }
    }

    /// The changes that a faulty coordinator keeps.
    private func spoiled(_ changes: [RecordChange]) -> [RecordChange] {
        var changes = changes
        if world.faults.contains(.tearTransaction), changes.count > 3 {
            // The last changes of a batch are the totals and the record's clock, and the next batch has both again.
            let last = changes.lastIndex {
                switch $0 {
                case .totals, .clock: false
                default: true
                }
            }
            if let last { changes.remove(at: last) }
        }
        if world.faults.contains(.forgetTotals) {
            changes.removeAll { if case .totals = $0 { true } else { false } }
        }
        if world.faults.contains(.forgetKeys) {
            changes = changes.map { change in
                guard case .job(var job) = change else { return change }
                job.submission.key = nil
                return .job(job)
            }
        }
        return changes
    }

    /// A worker's message as a faulty coordinator reads it.
    private func spoiled(_ bytes: [UInt8], from peer: RoutingID, ofHost host: Int) -> [UInt8] {
        guard case .worker(let message)? = bytes.withUnsafeBytes({ try? Incoming(decoding: $0) }) else { return bytes }
        if world.hasFiles {
            let spoiled = fileFaults.spoiled(message, from: peer, ofHost: host, life: life)
            if spoiled != message { return spoiled.encoded() }
        }
        switch message {
        case .hello(let hello):
            sessions[peer] = hello.session
        case .report(_, var report) where world.faults.contains(.acceptStaleToken):
            for (position, completion) in report.completions.enumerated() {
                guard let last = lastSent[completion.operation], last.token != completion.token,
                    let session = sessions[last.peer]
                else { continue }
                report.completions[position].token = last.token
                return WorkerMessage.report(session, report).encoded()
            }
        default: break
        }
        return bytes
    }

    /// Has a faulty coordinator believe more than a message says.
    private func believe(behind bytes: [UInt8], from peer: RoutingID, ofHost host: Int) {
        guard let current,
            case .worker(let message)? = bytes.withUnsafeBytes({ try? Incoming(decoding: $0) })
        else { return }
        for belief in fileFaults.beliefs(behind: message, from: peer, ofHost: host) {
            let message = belief.bytes.withUnsafeBytes { ReceivedMessage(decoding: $0) }
            let requester = world.intrusion?.requester(ofHost: belief.host)
            current.core.receive(message, from: belief.peer, by: requester, at: clock)
        }
    }

    /// Notes what the coordinator lets go, and has a faulty one let go more.
    private func noteFiles(of bytes: [UInt8], to peer: RoutingID) {
        world.fileWatch?.overhear(bytes)
        guard world.faults.contains(.releaseNeeded),
            case .acknowledge(let tokens)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) }),
            let digests = world.fileWatch?.digests(of: tokens), !digests.isEmpty
        else { return }
        let release = CoordinatorMessage.releaseFiles(digests).encoded()
        world.network.sendDown(release, to: peer, from: self)
        world.fileWatch?.overhear(release)
    }

    /// The message that a faulty coordinator sends instead.
    private func spoiledAnswer(_ bytes: [UInt8], to peer: RoutingID) -> [UInt8] {
        if world.faults.contains(.acceptStaleToken),
            case .dispatch(let batch)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) })
        {
            for item in batch.items { lastSent[item.assignment.operation] = (peer, item.assignment.token) }
        }
        if world.faults.contains(.forgetCopies),
            case .copyFiles(let files)? = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) })
        {
            return CoordinatorMessage.copyFiles(fileFaults.askedOnce(files)).encoded()
        }
        guard case .reply(let number, let reply)? = bytes.withUnsafeBytes({ try? ClientReply(decoding: $0) }) else {
            return bytes
        }
        switch reply {
        case .progress(var progress) where world.faults.contains(.endWaitsEarly):
            progress.isFinished = true
            return ClientReply.reply(number, .progress(progress)).encoded()
        case .events(var page) where world.faults.contains(.repeatEvents) && !page.lines.isEmpty:
            page.lines += page.lines
            return ClientReply.reply(number, .events(page)).encoded()
        default:
            return bytes
        }
    }
}
