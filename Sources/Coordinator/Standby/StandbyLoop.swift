@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Why a coordinator has stopped standing by.
enum StandbyEnd {
    /// It leads, with this record.
    case elected(OpenedRecord)
    /// It was asked to stop.
    case stopped
}

/// The loop of a coordinator that stands by: answers peers that this coordinator stands by, until the coordinator is elected.
final class StandbyLoop {
    private let port: CoordinatorPort
    private let logger: Logger
    private let letters: PolledMailbox<LoopEvent>
    private let inProcessPeers: InProcessPeers
    /// Whether the process is starting: a permanent obstacle then ends the process.
    private let isStart: Bool
    private let onReady: () -> Void
    private let clock = Clock()
    private let poller = Poller()
    private var answers = StandbyAnswers()
    private var peers = StandbyPeers()
    /// Whether the election has told anything.
    private var hasNews = false
    private var end: StandbyEnd?

    /// The most messages that one turn receives, so that news of the election do not wait.
    private static let messagesPerTurn = 256

    /// - Parameters:
    ///   - isStart: whether the process starts with it, and no term was before.
    ///   - onReady: called once it is known that another coordinator leads, or that the server of the record cannot be reached.
    init(
        _ port: CoordinatorPort,
        _ logger: Logger,
        letters: PolledMailbox<LoopEvent>,
        _ inProcessPeers: InProcessPeers,
        isStart: Bool,
        onReady: @escaping () -> Void
    ) {
        self.port = port
        self.logger = logger
        self.letters = letters
        self.inProcessPeers = inProcessPeers
        self.isStart = isStart
        self.onReady = onReady
    }

    /// Stands by until an election is won, or until the `stop` event.
    ///
    /// - Throws: ``CoordinatorError`` if the socket fails, if the first look at the record meets an obstacle that does not pass, or if the
    ///   leader, or the last one, has another key.
    func run(until election: ElectionThread) throws(CoordinatorError) -> StandbyEnd {
        let incoming = poller.add(port.socket)
        let wake = poller.add(letters.bell)
        let arrivals = poller.add(port.doorkeeper.watch)
        let handshakes = port.gate.map { poller.add($0.authenticator) }
        let questions = port.health.map { poller.add(fileDescriptor: $0.descriptor) }
        var keys = PolledKeys(of: port.gate, in: poller)
        while end == nil {
            do throws(ZeroMQError) {
                let deadline = port.gate?.deadline.map { max(.zero, $0 - clock.now) }
                try poller.poll(timeout: deadline)
                if poller.isReadable(arrivals) { try port.doorkeeper.turnAway(at: clock.now) }
                if let gate = port.gate {
                    if keys.isLookDue(gate, at: clock.now) {
                        revoke(gate)
                        keys.follow(gate)
                    }
                    if let handshakes, poller.isReadable(handshakes) { try gate.answerHandshakes(at: clock.now) }
                    gate.endConnections(with: port.doorkeeper.watch, at: clock.now)
                }
                if let health = port.health, let questions, poller.isReadable(questions) { health.answer(healthReport) }
                if poller.isReadable(incoming) { try receiveMessages() }
            } catch {
                throw CoordinatorError(.other, "The coordinator's socket failed: \(error).")
            }
            if poller.isReadable(wake) { try openLetters(of: election) }
        }
        return end ?? .stopped
    }

    /// Takes the peers that wait for a leader.
    func takePeers() -> [StandbyPeers.Peer] { peers.takeAll() }

    private var healthReport: HealthDocument.Process {
        var report = answers.health(at: port.endpoint)
        if let notice = port.healthNotice, notice.from <= clock.timeOfDay { report.message += " \(notice.sentence)" }
        return report
    }

    private func openLetters(of election: ElectionThread) throws(CoordinatorError) {
        for letter in letters.takeAll() {
            switch letter {
            case .electionChanged:
                if let news = election.take() { try take(news) }
            case .asked(_, let peer, _):
                if let number = peer.inProcessNumber { inProcessPeers.deliver(.refused(answers.refusal), to: number) }
            case .noticed(let notice): port.healthNotice = notice
            case .reload:
                port.gate?.lookNow(at: clock.now)
                logger.notice("reloaded", metadata: ["logLevel": "\(logger.level.rawValue)"])
            case .stop:
                if case .elected(let record)? = end { record.store.close() }
                end = .stopped
                logger.notice("stopped")
            case .record, .read, .left, .freed: break
            }
        }
    }

    private func take(_ news: ElectionNews) throws(CoordinatorError) {
        let isFirst = !hasNews
        hasNews = true
        inProcessPeers.note(leadersPage: news.leadersPage)
        switch news {
        case .elected(let record):
            if case .stopped? = end { return record.store.close() }
            end = .elected(record)
            return
        case .led(let notice):
            if let notice { try compareKeys(with: notice) }
            let isNew = isFirst || answers.failure != nil || notice?.epoch != answers.leader?.epoch
            (answers.leader, answers.failure) = (notice, nil)
            if isNew {
                logger.notice(
                    "stands by",
                    metadata: ["leader": "\(notice?.address ?? "unknown")", "epoch": "\(notice?.epoch ?? 0)"]
                )
                if let role = notice?.otherRole {
                    logger.warning(
                        "the leader has another role at the database server: if it stands still, its session cannot be ended from here",
                        metadata: ["role": "\(role)"]
                    )
                }
            }
        case .barred(let last): throw bar(after: last)
        case .failed(let error):
            // An obstacle that another start would meet too is told at once.
            if isStart, isFirst, !error.mayPass, error.code != .deposed { throw CoordinatorError(error) }
            if answers.failure == nil {
                logger.warning("stands by, and does not reach its record", metadata: ["reason": "\(error)"])
            }
            answers.failure = error
        }
        if isFirst { onReady() }
    }

    /// Refuses to stand by for a leader with another key.
    private func compareKeys(with leader: LeaderNotice) throws(CoordinatorError) {
        guard leader.key != port.gate?.fingerprint else { return }
        throw CoordinatorError(
            .keys,
            "The coordinator at \(leader.address) has another key than this one: workers would not follow. Run \"baton authorize --role "
                + "coordinator NAME\" there, and \"baton join --role coordinator -\" here, with a state directory that has no keys."
        )
    }

    /// The error of a coordinator that may not lead, because the last leader had another key.
    private func bar(after last: LeaderNotice) -> CoordinatorError {
        let difference =
            switch (last.key, port.gate) {
            case (nil, _): "had no keys, and this one has"
            case (_, nil): "had keys, and this one has none"
            default: "had another key than this one"
            }
        return CoordinatorError(
            .keys,
            "The coordinator that led last, at \(last.address), \(difference): workers would not follow. Start one with the earlier keys, "
                + "and run \"baton join --role coordinator -\" here, with a state directory that has no keys. If the keys of this "
                + "start are to count from now on, start it once without --standby."
        )
    }

    private func receiveMessages() throws(ZeroMQError) {
        for _ in 0..<Self.messagesPerTurn {
            guard let routed = try port.socket.receiveRouted() else { return }
            guard !routed.message.isMalformed else { continue }
            var requester: Requester?
            if let gate = port.gate {
                requester = gate.sender(of: routed.message, from: routed.sender)
                guard requester != nil else { continue }
            }
            // Not a request, whose decoding may take long: nothing is done with it.
            guard routed.message.withUnsafeBytes({ ClientMessage.requestNumber(of: $0) }) == nil else { continue }
            let received = routed.message.withUnsafeBytes { ReceivedMessage(decoding: $0) }
            guard let answer = answers.answer(to: received, by: requester) else { continue }
            if let kind = answer.kind { peers.note(routed.sender, kind) }
            do throws(ZeroMQError) {
                // A peer that takes no answer asks again.
                _ = try port.socket.send(answer.message, to: routed.sender)
            } catch {
                logger.debug(
                    "an answer could not be sent",
                    metadata: ["peer": "\(routed.sender)", "error": "\(error)"]
                )
            }
        }
    }

    private func revoke(_ gate: Gate) {
        for requester in gate.takeRevocations(at: clock.now).keys {
            logger.notice("a key was revoked", metadata: ["key": "\(requester.name)", "role": "\(requester.role)"])
        }
    }
}
