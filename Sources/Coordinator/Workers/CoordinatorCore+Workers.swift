@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Handles the messages of workers.
///
/// A message affects only the session and the attempts of its sender. Only the connection that joined a session, or another connection with
/// the same key, may send messages in the session. The scheduler looks attempts up among the attempts of the session in
/// ``Scheduler/handle(_:)``; this code does so before it keeps, answers or shows anything. The manual has the table of messages and checks.
extension CoordinatorCore {
    /// - Parameter length: the length of the message in bytes.
    func receive(_ message: WorkerMessage, length: Int, from peer: RoutingID, by requester: Requester?) {
        switch message {
        case .hello(let hello):
            guard hasUsableNames(hello, from: peer), believes(hello, from: peer) else { return }
            if counts(message, length: length, from: peer, by: requester) { join(hello, from: peer, by: requester) }
        case .inquire(let inquiry):
            noteKnown(inquiry.known)
            tellLeadership(to: peer)
        case .heartbeat(let session, let number):
            guard hear(session, from: peer, by: requester) else { return }
            apply(.workerHeard(session))
            if scheduler.isCurrent(session) { send(CoordinatorMessage.heartbeat(number: number).encoded(), to: peer) }
        case .report(let session, let report):
            if hear(session, from: peer, by: requester) { receive(report, in: session) }
        case .fetchInputs(let session, let token, let operation):
            guard hear(session, from: peer, by: requester) else { return }
            apply(.workerHeard(session))
            let form = UnsentInputs.Form.files(scheduler.inputNaming(of: operation))
            var wanted = UnsentInputs(operation: operation, token: token, session: session, form: form)
            wanted.knowsFiles = knowsFiles(session)
            openInputs(wanted)
        case .fetchTypedInputs(let session, let token, let operation):
            guard hear(session, from: peer, by: requester) else { return }
            apply(.workerHeard(session))
            openInputs(UnsentInputs(operation: operation, token: token, session: session, form: .typed))
        case .progress(let session, let progress):
            if hear(session, from: peer, by: requester) { apply(.attemptsProgressed(session, progress)) }
        case .stops(let session, let stops):
            guard hear(session, from: peer, by: requester) else { return }
            apply(.workerHeard(session))
            guard scheduler.isCurrent(session) else { return }
            let own = stops.filter { stop in
                possession(of: stop.token, stop.operation, in: session) != .none
                    || scheduler.hasHook(stop.token, of: stop.operation, in: session)
            }
            workers.note(own, in: session, at: now)
        case .output(let request, let chunk):
            receiveOutput(request, chunk, from: peer)
        case .health(let session, let fault):
            guard hear(session, from: peer, by: requester) else { return }
            apply(.workerHeard(session))
            guard scheduler.isCurrent(session), counts(message, length: length, from: peer, by: requester) else {
                return
            }
            apply(.workerHealth(session, fault: fault))
        case .distance(let session, let roundTrip):
            guard hear(session, from: peer, by: requester) else { return }
            apply(.workerDistance(session, roundTrip: Int64(clamping: roundTrip)))
        case .filesHeld(let session, let digests, let isFirst):
            if hear(session, from: peer, by: requester) { apply(.filesHeld(session, digests, isFirst: isFirst)) }
        case .filesDropped(let session, let digests, let areDamaged):
            if hear(session, from: peer, by: requester) { filesDropped(session, digests, areDamaged: areDamaged) }
        case .filesMissing(let session, let token, let digests):
            if hear(session, from: peer, by: requester) { filesMissing(session, token, digests) }
        case .filesNotCopied(let session, let digests, let hasRoom):
            if hear(session, from: peer, by: requester) { filesNotCopied(session, digests, hasRoom: hasRoom) }
        case .fetchProgress(let session, let fetches):
            if hear(session, from: peer, by: requester) { apply(.fetchesProgressed(session, fetches)) }
        case .fileConnection(let session):
            openFileConnection(session, over: peer, by: requester)
        case .fetchPiece(let session, let number, let token, let digest, let offset, let limit):
            fetchPiece(session, number: number, token, digest, offset: offset, limit: limit, from: peer)
        case .dataAddress(let session, let address):
            noteDataAddress(address, of: session, from: peer)
        case .directBytes(let session, let count):
            if fileConnections.session(of: peer) == session { pieces.noteDirect(count) }
        case .leaving(let session):
            if hear(session, from: peer, by: requester) { apply(.workerLeaving(session)) }
        case .goodbye(let session):
            guard isSender(peer, requester, of: session) else { return refuseSession(session, to: peer) }
            appearances.forget(session, of: peer)
            leave(session)
            // The worker does not wait for an answer: a coordinator that is killed now would wait for the worker after its restart.
            commits.hurry()
        }
    }

    /// Whether a message counts now by which a worker appears or breaks; otherwise it counts later.
    private func counts(
        _ message: WorkerMessage,
        length: Int,
        from peer: RoutingID,
        by requester: Requester?
    ) -> Bool {
        let arrival = Appearances.Arrival(message: message, length: length, peer: peer, requester: requester)
        let workersOfKey = arrival.key.map { scheduler.workerCount(withKey: $0) } ?? 0
        guard !appearances.counts(arrival, workersOfKey: workersOfKey, at: now) else { return true }
        if appearances.isNews(ofKey: arrival.key, at: now) {
            logger.notice(
                "a worker says hello, or reports its health, too often: the coordinator answers later",
                metadata: ["key": "\(requester?.recordName ?? "")", "peer": "\(peer)"]
            )
        }
        return false
    }

    /// Handles the messages that came too often, when their time has come.
    func serveWaitingAppearances() {
        for (arrival, isCounted) in appearances.takeDue(at: now) {
            let (peer, requester) = (arrival.peer, arrival.requester)
            switch arrival.message {
            case .hello(let hello) where isCounted: join(hello, from: peer, by: requester)
            case .health(let session, let fault):
                if isSender(peer, requester, of: session) { apply(.workerHealth(session, fault: fault)) }
            default: receive(arrival.message, length: arrival.length, from: peer, by: requester)
            }
        }
    }

    /// Takes a worker off the list that leaves in order.
    private func leave(_ session: SessionID) {
        if let view = scheduler.worker(of: session).flatMap({ scheduler.worker(named: $0) }) {
            histories.leave(view, at: now)
        }
        apply(.workerLeft(session))
        workers.forget(session)
    }

    /// Takes the worker off the list that a connection spoke for before it said hello under another name.
    ///
    /// A connection speaks for one worker. A peer would otherwise fill the list, and what workers may tell, by itself.
    private func leaveEarlierWorker(of peer: RoutingID, for name: String) {
        guard let session = workers.session(joinedOver: peer), let earlier = scheduler.worker(of: session),
            earlier != name
        else { return }
        leave(session)
    }

    /// Notes the sender of a session's message; a sender with another key than the session's is told to say hello.
    ///
    /// - Returns: whether the message counts.
    private func hear(_ session: SessionID, from peer: RoutingID, by requester: Requester?) -> Bool {
        guard isSender(peer, requester, of: session) else {
            refuseSession(session, to: peer)
            return false
        }
        workers.hear(session, from: peer)
        return true
    }

    /// Whether a peer may speak for a session: it joined the session or has its key, or the session is unknown.
    private func isSender(_ peer: RoutingID, _ requester: Requester?, of session: SessionID) -> Bool {
        workers[session] == peer || mayUse(session, withKey: requester?.number.rawValue)
    }

    /// Answers a message in a session that belongs to another key; the session goes on.
    private func refuseSession(_ session: SessionID, to peer: RoutingID) {
        logger.debug("a message in the session of another key is ignored", metadata: ["peer": "\(peer)"])
        send(CoordinatorMessage.sayHello.encoded(), to: peer)
    }

    private func receive(_ report: AttemptReport, in session: SessionID) {
        // Ignore reports from unknown sessions; `workerHeard` makes the scheduler answer the sender.
        guard let reporter = reporter(in: session) else { return apply(.workerHeard(session)) }
        // The run of a completion hook is no attempt of an operation.
        var attempts =
            reporter.hasHooks
            ? report.completions.filter { !scheduler.isHook($0.token, of: session) } : report.completions
        var events: [Event] = []
        events.reserveCapacity(report.completions.count + 2)
        if !report.returned.isEmpty { events.append(.attemptsReturned(session, report.returned)) }
        for completion in report.completions {
            let (token, operation, result) = (completion.token, completion.operation, completion.result)
            let age = completion.age
            events.append(.attemptEnded(session, token, operation, result, age: age, seed: seed()))
        }
        // An attempt that started in a freed slot comes after the completion that freed the slot.
        if !report.started.isEmpty { events.append(.attemptsStarted(session, report.started)) }
        // An empty report is a sign of life too, and an unknown session gets its answer.
        if events.isEmpty { events.append(.workerHeard(session)) }
        if !staleEnds.isEmpty { staleEnds = [] }
        apply(events)
        // The history keeps ends of the worker's own attempts alone, each once.
        if !staleEnds.isEmpty {
            attempts.removeAll { staleEnds.contains(StaleEnd(session: session, token: $0.token)) }
            staleEnds = []
        }
        // An end may never count whose claim is not decided; only attempts from before a restart are claimed.
        if attempts.contains(where: { isUndecided($0, in: session) }) {
            attempts.removeAll { isUndecided($0, in: session) }
        }
        let lasts = attempts.filter { attempt in
            guard attempt.result.end == .stopped else { return false }
            return scheduler.record(of: attempt.operation)?.state ?? .finished == .finished
        }
        histories.note(attempts, of: reporter.name, at: now, lasts: Set(lasts.map(\.token)))
    }

    /// Whether an end belongs to an attempt that a session only claims so far.
    private func isUndecided(_ end: Completion, in session: SessionID) -> Bool {
        end.token.epoch < scheduler.epoch && possession(of: end.token, end.operation, in: session) == .claimed
    }

    /// Opens a worker's request for the inputs of an attempt; the inputs are read when their turn comes.
    private func openInputs(_ wanted: UnsentInputs) {
        let holding = possession(of: wanted.token, wanted.operation, in: wanted.session)
        // A worker requests inputs once for each attempt and never comes near the limit.
        guard holding != .none, inputs.open(wanted, isUndecided: holding == .claimed) else { return }
        serveInputs(of: wanted.session)
    }

    /// Whether a hello has names that can be used; if not, the hello is answered with the reason.
    private func hasUsableNames(_ hello: WorkerHello, from peer: RoutingID) -> Bool {
        if let objection = Name.objection(to: hello.name) {
            let refusal = Refusal(.invalid, "\"\(hello.name.asShown)\" is not a name for a worker: \(objection).")
            send(CoordinatorMessage.refused(refusal).encoded(), to: peer)
            return false
        }
        if let (type, objection) = hello.types.lazy.compactMap({ type in Name.objection(to: type).map { (type, $0) } })
            .first
        {
            let refusal = Refusal(.invalid, "\"\(type.asShown)\" is not a name for an operation type: \(objection).")
            send(CoordinatorMessage.refused(refusal).encoded(), to: peer)
            return false
        }
        return true
    }

    private func join(_ hello: WorkerHello, from peer: RoutingID, by requester: Requester?) {
        if let owner = scheduler.worker(of: hello.session),
            owner != hello.name || !isSender(peer, requester, of: hello.session)
        {
            // The messages of that session stay with the worker that owns the session.
            send(CoordinatorMessage.sayHello.encoded(), to: peer)
            return
        }
        if let refusal = objection(toKeeper: hello) {
            send(CoordinatorMessage.refused(refusal).encoded(), to: peer)
            return
        }
        leaveEarlierWorker(of: peer, for: hello.name)
        let version = ProtocolRange.own.agreed(with: hello.protocols)
        let introduction = WorkerIntroduction(
            name: hello.name,
            session: hello.session,
            slots: Int(hello.slots),
            host: hello.host,
            processID: hello.processID,
            id: hello.id,
            replaces: hello.replaces,
            life: hello.life,
            sessionNumber: hello.sessionNumber,
            attempts: hello.attempts,
            types: hello.types,
            optionVersion: hello.optionVersion,
            knowsPauses: version >= 2,
            knowsFiles: version >= 2,
            isKeeper: hello.keeper != nil,
            keepsAll: hello.keeper?.keepsAll ?? false,
            filesLimit: hello.filesLimit.map { Int64(clamping: $0) },
            keyNumber: requester?.number.rawValue,
            // No process lives longer, and the sum with the present moment has to fit.
            timeLeft: hello.timeLeft.map { max(.zero, min($0, .longestAllowed)) },
            offer: hello.offer,
            earlierStarts: hello.earlierStarts
        )
        if let shortage = scheduler.shortage(for: introduction) {
            send(CoordinatorMessage.refused(Refusal(shortage)).encoded(), to: peer)
            return
        }
        workers.join(hello.session, at: peer, speaking: version)
        apply(.workerJoined(introduction))
        if scheduler.worker(of: hello.session) == hello.name { histories.join(hello.name, at: now) }
    }

    /// Answers an unreadable message.
    ///
    /// A hello of an unsupported version gets a refusal with the supported versions. A request gets a refusal with the
    /// reason, since the client waits for a reply. The coordinator drops all other unreadable messages.
    func receiveUnreadable(_ error: WireError, request: UInt64?, from peer: RoutingID) {
        guard let greeting = error.greeting else {
            logger.debug("cannot read a message", metadata: ["peer": "\(peer)", "error": "\(error)"])
            guard let request else { return }
            send(ClientReply.reply(request, .refused(.unread(error))).encoded(), to: peer)
            return
        }
        let refusal = greeting.refusal(build: options.version)
        if refusedVersions.isNews(greeting, at: now) {
            logger.warning("refused a \(greeting.role) of another version", metadata: ["reason": "\(refusal)"])
        }
        switch greeting.role {
        case .worker: send(CoordinatorMessage.refused(refusal).encoded(), to: peer)
        case .client: send(ClientReply.refused(refusal).encoded(), to: peer)
        }
    }
}
