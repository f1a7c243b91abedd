@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The conversation: hello, welcome, heartbeats, silence.
extension WorkerSession {
    mutating func receive(_ message: CoordinatorMessage, now: Duration, random: UInt64) {
        switch message {
        case .welcome(let welcome):
            accept(welcome, now: now, random: random)
        case .leadership(let leadership):
            receive(leadership, now: now, random: random)
        case .refused(let refusal):
            obey(refusal)
        case .superseded(let refusal, let isCopy):
            effects.append(.exit(.superseded(refusal, isCopy: isCopy)))
            connection = .over
        case .sayHello:
            // A hello is on its way: the request answers a message sent before the hello.
            if isWelcomed { greet(now: now, random: random) }
        case .challenge(let number):
            repeatHello(with: number, now: now, random: random)
        case .heartbeat(let number):
            // The number is the time at which the worker sent the answered heartbeat.
            let sentAt = min(.microseconds(number), now)
            mayStartUntil = max(mayStartUntil, sentAt + lease)
            noteAnswer(toMessageSentAt: sentAt)
            if isWelcomed { noteRoundTrip(now - sentAt, now: now) }
        case .dispatch(let batch):
            // A dispatch before the welcome belongs to an earlier session: the hello does not list its attempts as
            // held.
            if isWelcomed { accept(batch) }
        case .acknowledge(let tokens):
            for token in tokens {
                forget(token)
                startPlaces?.acknowledge(token)
            }
        case .cancel(let tokens):
            for token in tokens { cancel(token) }
            answerAtOnce()
        case .recall(let tokens):
            for token in tokens { recall(token) }
            answerAtOnce()
        case .pauses(let tokens):
            if isWelcomed { pauseOnly(tokens) }
        case .signal(let tokens, let signal):
            if isWelcomed { self.signal(tokens, signal) }
        case .stop(let isImmediate):
            guard isWelcomed else { return }
            effects.append(.noteDeparture(.requested(isImmediate: isImmediate)))
            if isImmediate { leaveNow(now: now) } else { leave(now: now) }
        case .inputs(let token, let inputs, let isLast):
            receiveInputs(token, inputs, isLast: isLast)
        case .typedInputs(let token, let first, let inputs, let isLast):
            receiveInputs(token, first: first, inputs, isLast: isLast)
        case .inputFiles(let token, let files):
            receiveInputFiles(token, files)
        case .releaseFiles(let digests):
            if isWelcomed { effects.append(.releaseFiles(digests)) }
        case .retainFiles(let digests):
            if isWelcomed { effects.append(.retainFiles(digests)) }
        case .verifyFiles(let digests):
            if isWelcomed { effects.append(.verifyFiles(digests)) }
        case .copyFiles(let files):
            if isWelcomed { effects.append(.copyFiles(files)) }
        case .readPiece, .pieceUnavailable, .directSource, .admitReader:
            // They belong to the second connection.
            break
        case .readOutput(let request, let token, let operation, let stream, let offset, let limit):
            answer(
                OutputRequest(
                    number: request,
                    token: token,
                    operation: operation,
                    stream: stream,
                    offset: offset,
                    limit: limit
                )
            )
        }
    }

    /// Says hello, as a new session.
    mutating func greet(now: Duration, random: UInt64) {
        session = SessionID(rawValue: random)
        sessionNumber += 1
        connection = .greeting(since: now)
        lastHeard = now
        farPatience = .zero
        lastReport = nil
        roundTrip = RoundTrip()
        unsent.removeAll()
        let claimed = attempts.sorted { $0.key < $1.key }.compactMap { token, attempt in
            attempt.isDiscarded ? nil : claim(of: attempt, token)
        }
        var hello = configuration.hello(
            session,
            number: sessionNumber,
            isFirst: lastContact == nil,
            attempts: claimed + inheritance.unstarted,
            timeLeft: timeLeft(at: now),
            earlierStarts: startPlaces?.earlierStarts
        )
        hello.echo = echo
        effects.append(.send(.hello(hello)))
    }

    /// Says hello again, with the number that the coordinator wants to see, and tells all that has happened since the last hello.
    ///
    /// The hello is that of a new session, as each is: a welcome thus belongs to one sent hello, from whose time on the lease counts. Later
    /// hellos over the connection have the number, too. A number that was already repeated is one of two challenges to two hellos: the
    /// answer is on its way.
    private mutating func repeatHello(with number: UInt64, now: Duration, random: UInt64) {
        guard number != echo else { return }
        switch connection {
        case .greeting, .standingBy, .welcomed:
            echo = number
            greet(now: now, random: random)
        case .away, .opening, .refused, .over:
            // The session has left the place since.
            break
        }
    }

    /// What a hello says of an attempt.
    func claim(of attempt: Attempt, _ token: AttemptToken) -> ClaimedAttempt {
        ClaimedAttempt(
            token: token,
            operation: attempt.operation,
            attempt: attempt.number,
            phase: attempt.claimedPhase,
            isHook: attempt.isHook,
            age: attempt.claimedPhase == .waiting ? 0 : moment - attempt.startedAt
        )
    }

    private mutating func accept(_ welcome: Welcome, now: Duration, random: UInt64) {
        guard case .greeting(let since) = connection, welcome.session == session,
            obeys(welcome, now: now, random: random)
        else { return }
        // A zero interval would keep both sides busy with heartbeats alone.
        let interval = max(welcome.heartbeatInterval, .milliseconds(10))
        connection = .welcomed(
            HeartbeatTimes(interval: interval, silentIntervals: configuration.silentIntervals)
        )
        fruitlessConnections = 0
        refusedSince = nil
        lastHeartbeat = now
        lease = welcome.lease
        protocolVersion = welcome.protocolVersion
        mayStartUntil = since + lease
        hasGivenUpCoordinator = false
        noteRoundTrip(now - since, now: now)
        if let fault { effects.append(.send(.health(session, fault: fault))) }
        if leaving != .no { sayLeaving() }
        returnInherited(except: Set(welcome.staleAttempts + welcome.foreignAttempts), now: now)
        for token in welcome.staleAttempts { discard(token) }
        for token in welcome.recalledAttempts { recall(token) }
        pauseOnly(welcome.pausedAttempts)
        disown(Set(welcome.foreignAttempts), now: now)
        if startPlaces?.forgetLives(ifAnyHas: welcome.foreignAttempts) ?? false { effects.append(.forgetEarlierLives) }
        if !welcome.recalledAttempts.isEmpty { answerAtOnce() }
        repeatProgress()
        hasUntoldStops = !stops.isEmpty
        files.tellAll()
        // The coordinator knows no request of an earlier session.
        inputs = InputWindow(slots: Int(configuration.slots))
        for token in attempts.keys.sorted() {
            guard let attempt = attempts[token] else { continue }
            switch attempt.phase {
            case .finished where attempt.isForeign: break
            case .finished(let result): unsent.append(token, with: result)
            // All inputs of an attempt that fetches files have arrived.
            case .waiting(_, awaitsInputs: true) where files.isFetching(for: token): break
            case .waiting(_, awaitsInputs: true): awaitInputsAnew(of: token, at: attempt.place)
            case .waiting, .running: break
            }
        }
        // The results may take long, and the coordinator trusts the bytes of a connection only after a message of the session. A far
        // worker has sent one already, to measure.
        if roundTrip.isNear, !unsent.finished.isEmpty { sendHeartbeat(now: now) }
    }

    /// Carries out the work that is due by the clock.
    mutating func watch(now: Duration, random: UInt64) {
        switch connection {
        case .away(let until):
            guard until <= now else { return }
            openNext()
        case .opening, .refused, .over:
            break
        case .greeting:
            if lastHeard + welcomePatience <= now { loseSilentConnection(now: now, random: random) }
        case .standingBy(let since):
            if since + Self.standbyPatience <= now { greet(now: now, random: random) }
        case .welcomed(let times):
            if lastHeard + times.longestSilence <= now {
                loseSilentConnection(now: now, random: random)
                return
            }
            // Without an answer to the request for a look, the next request comes in its turn all the same.
            if let lookDueAt, lookDueAt <= now { lastLook = now }
            if lastHeartbeat + times.interval <= now { sendHeartbeat(now: now) }
        }
    }

    private mutating func sendHeartbeat(now: Duration) {
        lastHeartbeat = now
        effects.append(.send(.heartbeat(session, number: UInt64(max(0, now.microseconds)))))
    }

    /// Notes the time between a message and its answer, and tells the coordinator how far away it is.
    ///
    /// A far worker measures a few times at once, so that the coordinator soon knows the distance.
    private mutating func noteRoundTrip(_ time: Duration, now: Duration) {
        roundTrip.add(time)
        if let news = roundTrip.takeNews() {
            effects.append(.send(.distance(session, roundTrip: UInt64(max(0, news.microseconds)))))
        }
        if roundTrip.needsMeasurement { sendHeartbeat(now: now) }
    }

    /// Gives up a connection, with its waiting messages, which belong to an ended session.
    mutating func loseConnection(now: Duration, random: UInt64) {
        switch connection {
        case .greeting, .standingBy, .welcomed:
            effects.append(.closeConnection)
            reopenLater(now: now, random: random)
        case .away, .opening, .refused, .over:
            break
        }
    }

    /// Schedules a new connection after a pause.
    ///
    /// The pause doubles each time, and is shortened at random by up to half, so that many workers do not reconnect at
    /// once.
    mutating func reopenLater(now: Duration, random: UInt64) {
        let doubled = configuration.firstPause * (1 << min(fruitlessConnections, 16))
        let pause = min(doubled, configuration.longestPause)
        fruitlessConnections += 1
        connection = .away(until: now + pause / 2 + pause * Int(random % 1024) / 2048)
        unsent.removeAll()
    }
}
