@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The coordinator's thread, which owns the socket, and surrounds the core of a server.
final class CoordinatorLoop {
    /// What a reader of the log wants to know once the coordinator is ready.
    let readiness: Logger.Metadata

    private let shell: CoordinatorShell
    private let logger: Logger
    private let letters: PolledMailbox<LoopEvent>
    /// Posts letters that are for this term alone, and that may arrive after its end.
    private let term: TermLetters
    private let inProcessPeers: InProcessPeers
    private let recorder: Recorder
    private var clock: Clock
    private let port: CoordinatorPort
    private let socket: Socket
    private var poller = Poller()
    private let largeRequests: LargeRequests
    private let outbox: Outbox
    private let relay: PieceRelay
    private let doorkeeper: Doorkeeper
    /// Nil for a coordinator without keys.
    private let gate: Gate?
    /// Nil for a record in a file, and without keys.
    private let keyTable: KeyTableKeeper?
    /// What parts of this process have said while the lease was unproven.
    private var unheard: [LoopEvent] = []
    private var isStopping = false

    /// The most messages that one turn receives, so that the actions of a turn are not delayed.
    private static let messagesPerTurn = 256
    /// The most bytes that one turn receives.
    private static let bytesPerTurn = 1 << 20
    /// How long one turn receives messages: a single message may take as long as thousands of small messages.
    private static let receivingTime = Duration.milliseconds(100)

    /// Begins a term: leads with an opened record.
    ///
    /// - Parameters:
    ///   - port: where the coordinator listens.
    ///   - record: the record; the loop is its only user from now on.
    ///   - handshakes: who answers handshakes meanwhile; nil if nobody does. The gate is the loop's own afterwards.
    init(
        _ port: CoordinatorPort,
        _ record: OpenedRecord,
        _ options: CoordinatorOptions,
        letters: PolledMailbox<LoopEvent>,
        _ inProcessPeers: InProcessPeers,
        _ handshakes: HandshakeThread?
    ) throws(CoordinatorError) {
        var options = options
        self.port = port
        self.letters = letters
        self.inProcessPeers = inProcessPeers
        logger = options.logger
        clock = record.clock
        socket = port.socket
        doorkeeper = port.doorkeeper
        gate = port.gate
        largeRequests = LargeRequests(decode: options.decodeLarge)
        options.configuration.leaderLease = options.lease ?? .zero
        let term = TermLetters(letters)
        self.term = term
        let state = record.state
        let lease = record.lease
        do throws(StoreError) {
            recorder = try Recorder(
                store: record.store,
                onFailure: { letters.post(.record(.failed($0))) },
                onRecovery: { letters.post(.record(.recovered)) },
                onProof: { letters.post(.record(.proven($0))) },
                onDeposed: { letters.post(.record(.deposed($0))) }
            )
        } catch {
            throw CoordinatorError(error)
        }
        if case .server = options.store, gate != nil {
            keyTable = KeyTableKeeper(recorder, options.logger)
        } else {
            keyTable = nil
        }
        // The lock of a record's file keeps others from listening there.
        port.listenForHealth(at: options.healthPath, logger)
        var random = SystemRandomNumberGenerator()
        let core = CoordinatorCore(
            options,
            state: state,
            endpoint: port.endpoint,
            operationKeys: gate?.operationKeys,
            seed: random.next(),
            at: clock.now
        )
        handshakes?.end()
        gate?.compare(with: state)
        // Workers whose keys were revoked while the coordinator was away are not waited for.
        if let gate { core.expelWorkers(of: gate.revokedKeys, at: clock.now) }
        if let gate, let keyTable { keyTable.keep(gate.sealedTable) }
        inProcessPeers.note(newestEvent: core.newestEvent)
        shell =
            if let lease {
                // What the store of sent files finds out may come after the term.
                CoordinatorShell(core, lease: lease) { term.post(.record($0)) }
            } else {
                CoordinatorShell(core) { letters.post(.record($0)) }
            }
        outbox = Outbox(socket, core, letters, inProcessPeers, options.logger)
        relay = PieceRelay(core, outbox, options.logger)
        if gate == nil {
            logger.warning(
                "no keys: everybody who reaches the address can run commands",
                metadata: ["address": "\(port.endpoint)"]
            )
        }
        readiness = [
            "address": "\(port.endpoint)", "store": "\(options.storeText)", "epoch": "\(state.epoch)",
            "unfinishedJobs": "\(state.jobs.count)",
        ]
    }

    /// Tells the peers that asked before the term that this coordinator leads; call before ``run()``.
    func tell(_ peers: [StandbyPeers.Peer]) {
        for peer in peers { core.tellLeadership(to: peer) }
    }

    private var core: CoordinatorCore { shell.core }

    /// Serves until the `stop` event, or until another coordinator leads on the record; the record is closed then, and the port is not.
    ///
    /// - Throws: ``CoordinatorError`` if the socket fails.
    func run() throws(CoordinatorError) -> TermEnd {
        defer { term.end() }
        var incoming = poller.add(socket)
        let wake = poller.add(letters.bell)
        let arrivals = poller.add(doorkeeper.watch)
        let handshakes = gate.map { poller.add($0.authenticator) }
        let questions = port.health.map { poller.add(fileDescriptor: $0.descriptor) }
        var keys = PolledKeys(of: gate, in: poller)
        core.endTurn(at: clock.now, isDrained: true)
        shell.carryOutActions(in: self, at: clock.now)
        do throws(ZeroMQError) {
            while !isStopping, shell.silence?.deposition == nil {
                let start = clock.now
                let deadline = max(core.nextDeadline, start)
                let end = [outbox.nextTry, gate?.deadline].reduce(deadline) { min($0, max($1 ?? $0, start)) }
                _ = try poller.poll(timeout: end - start)
                let turnStart = clock.now
                core.wokeUp(at: turnStart, expected: end)
                if let step = clock.takeStep() {
                    core.hostClockStepped(to: step.ahead, suspended: step.suspended, at: clock.now)
                }
                if poller.isReadable(arrivals) { try doorkeeper.turnAway(at: clock.now) }
                if let gate {
                    // The keys come first, so that no message of a revoked key is read after its revocation.
                    if keys.isLookDue(gate, at: clock.now) {
                        revoke(gate)
                        keys.follow(gate)
                    }
                    if let handshakes, poller.isReadable(handshakes) { try gate.answerHandshakes(at: clock.now) }
                    gate.endConnections(with: doorkeeper.watch, at: clock.now)
                }
                if let questions, poller.isReadable(questions), let health = port.health { health.answer(healthReport) }
                // Before the socket: the letters may have a proof.
                if poller.isReadable(wake) { openLetters() }
                let mayHaveCome = shell.silence == nil ? poller.isReadable(incoming) : hearOrFallSilent(&incoming)
                let isDrained = mayHaveCome ? try receiveMessages() : !core.isSilent
                // The same moment for all three calls: a silence must not have consequences before the loop has looked at the silent
                // workers.
                let now = clock.now
                core.noteWork(from: turnStart, to: now)
                lookAtSilentWorkers(at: now, isDrained: isDrained)
                core.endTurn(at: now, isDrained: isDrained)
                // Before the answers of this turn: a client that gets an answer may ask for the events that the answer includes.
                inProcessPeers.note(newestEvent: core.newestEvent)
                shell.carryOutActions(in: self, at: clock.now)
                let turnEnd = clock.now
                outbox.tryAgain(at: turnEnd)
                core.noteTurn(from: turnStart, to: turnEnd)
                if core.hasRoomForLargeSubmission {
                    largeRequests.readNext { [term] message, peer, requester in
                        term.post(.read(message, from: peer, by: requester))
                    }
                }
            }
        } catch {
            recorder.shutDown()
            throw CoordinatorError(.other, "The coordinator's socket failed: \(error).")
        }
        if let deposition = shell.silence?.deposition {
            // What is not in the record yet never happened for the next leader: nothing of it is recorded or told.
            recorder.shutDown()
            logger.warning("was deposed: another coordinator leads", metadata: ["reason": "\(deposition)"])
            return .deposed(deposition)
        }
        // Commit all accepted changes, and send the replies that wait for the commit.
        core.commitClock()
        core.flush()
        shell.carryOutActions(in: self, at: clock.now)
        recorder.shutDown()
        for letter in letters.takeAll() {
            if case .record(let letter) = letter { shell.openLast(letter, at: clock.now) }
        }
        shell.carryOutActions(in: self, at: clock.now)
        logger.notice("stopped")
        return .stopped
    }

    private var healthReport: HealthDocument.Process {
        var report = core.health
        report.keyTable = keyTable?.fingerprint
        if let notice = port.healthNotice, notice.from <= clock.timeOfDay { report.message += " \(notice.sentence)" }
        return report
    }

    /// Has the core know whether the lease is proven, and takes messages of peers only as long as it is.
    ///
    /// A silent leader does not poll the socket, whose messages wait and would end every wait at once.
    ///
    /// - Returns: whether there may be messages to receive.
    private func hearOrFallSilent(_ incoming: inout Poller.Source) -> Bool {
        let wasSilent = core.isSilent
        core.setSilent(!shell.mayReceive(at: clock.leaseTime), at: clock.now)
        guard !core.isSilent else {
            poller.remove(incoming)
            return false
        }
        let waiting = unheard
        unheard = []
        for letter in waiting { hear(letter) }
        guard wasSilent else { return poller.isReadable(incoming) }
        incoming = poller.add(socket)
        return true
    }

    private func openLetters() {
        for letter in letters.takeAll() {
            switch letter {
            case .record(let letter): shell.open(letter, at: clock.now)
            case .read, .asked, .left:
                if shell.silence == nil || mayHear { hear(letter) } else { unheard.append(letter) }
            case .freed(let count, let peer): outbox.freed(count, of: peer, at: clock.now)
            case .noticed(let notice): port.healthNotice = notice
            case .reload:
                gate?.lookNow(at: clock.now)
                logger.notice("reloaded", metadata: ["logLevel": "\(logger.level.rawValue)"])
            case .stop: isStopping = true
            // An election ends before the term begins.
            case .electionChanged: break
            }
        }
    }

    /// Whether a part of this process is heard at once.
    private var mayHear: Bool { !core.isSilent && unheard.isEmpty && shell.mayReceive(at: clock.leaseTime) }

    /// Takes in what a part of this process says, or has read.
    private func hear(_ letter: LoopEvent) {
        switch letter {
        case .read(let message, let peer, let requester):
            largeRequests.noteRead(from: peer)
            // The key may have been revoked during the decoding.
            guard requester.map({ gate?.admits($0) ?? true }) ?? true else { return }
            core.receive(message, from: peer, by: requester, at: clock.now)
        case .asked(let message, let peer, let requester):
            // The key may have been revoked since the last request.
            guard requester.map({ gate?.admits($0) ?? true }) ?? true else {
                if let number = peer.inProcessNumber { inProcessPeers.deliver(nil, to: number) }
                return
            }
            core.receive(message, from: peer, by: requester, at: clock.now)
        case .left(let peer): core.connectionEnded(peer)
        case .record, .freed, .noticed, .reload, .stop, .electionChanged: break
        }
    }

    /// Receives messages, at most one turn's share.
    ///
    /// - Returns: whether no message is left.
    private func receiveMessages() throws(ZeroMQError) -> Bool {
        var bytes = 0
        let end = clock.now + Self.receivingTime
        for _ in 0..<Self.messagesPerTurn where bytes < Self.bytesPerTurn {
            let now = clock.now
            guard now < end else { return false }
            guard let routed = try socket.receiveRouted() else { return true }
            let peer = routed.sender
            bytes += routed.message.count
            guard !routed.message.isMalformed else {
                logger.debug("dropped a message of a wrong number of frames", metadata: ["peer": "\(peer)"])
                continue
            }
            var requester: Requester?
            if let gate {
                requester = gate.sender(of: routed.message, from: peer)
                guard requester != nil else { continue }
            }
            if core.movesFiles, routed.message.withUnsafeBytes({ PieceRelay.isMeant($0) }) {
                relay.take(routed.message, from: peer, by: requester, at: now)
                continue
            }
            guard !largeRequests.accepts(routed.message, from: peer) else {
                acceptLarge(routed.message, from: peer, by: requester)
                continue
            }
            let received = routed.message.withUnsafeBytes { ReceivedMessage(decoding: $0) }
            if let gate, requester?.role == .operation,
                case .success(.hello(_, let proof)) = received.content
            {
                requester?.claim = gate.takeProof(proof, of: routed.message)
            }
            core.receive(received, from: peer, by: requester, at: now)
            if case .success(.hello(let protocols, _)) = received.content,
                let percent = largeRequests.percentRead(from: peer)
            {
                core.tellReading(percent, to: peer, speaking: protocols)
            }
            if case .success(.worker(.hello(let hello))) = received.content {
                let connection = routed.message.connectionDescriptor.flatMap { TCPConnection(descriptor: $0) }
                core.note(connection, of: hello.session, at: now)
            }
        }
        return false
    }

    /// Looks for the bytes of long messages before the silence of workers has consequences.
    private func lookAtSilentWorkers(at now: Timestamp, isDrained: Bool) {
        for (session, connection) in core.silentConnections(at: now, isDrained: isDrained) {
            guard let activity = connection.activity else { continue }
            core.bytesArrived(in: session, at: now + (.zero - activity.timeSinceArrival))
        }
    }

    private func revoke(_ gate: Gate) {
        let revoked = gate.takeRevocations(at: clock.now)
        for requester in revoked.keys {
            logger.notice("a key was revoked", metadata: ["key": "\(requester.name)", "role": "\(requester.role)"])
        }
        core.revoke(revoked, at: clock.now)
        keyTable?.keep(gate.sealedTable)
    }

    private func acceptLarge(_ message: consuming Message, from peer: RoutingID, by requester: Requester?) {
        let number = message.withUnsafeBytes { ClientMessage.requestNumber(of: $0) }
        guard !largeRequests.put(message, from: peer, by: requester), let number else { return }
        core.refuseForLackOfRoom(number, from: peer)
    }
}

extension CoordinatorLoop: CoordinatorSurroundings {
    var leaseTime: Timestamp { clock.leaseTime }

    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) { outbox.send(bytes, to: peer, at: now) }

    func sendTogether(_ messages: [[UInt8]], to peer: RoutingID, at now: Timestamp) {
        relay.send(messages, to: peer, at: now)
    }

    func handOver(_ page: HistoryPage, to peer: RoutingID) {
        if let number = peer.inProcessNumber { inProcessPeers.deliver(.history(page), to: number) }
    }

    func record(_ work: RecorderInbox.Item) { recorder.put(work) }

    func retryRecord() { recorder.retry() }

    func checkRecord() { recorder.retry() }

    func free(_ remains: Remains) {
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "freeing") { remains.free() }
        } catch {
            // Without room for a thread, everybody waits.
            remains.free()
        }
    }
}
