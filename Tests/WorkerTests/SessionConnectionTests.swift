@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Connections of a session")
struct SessionConnectionTests {
    @Test("A session opens a connection at its first tick, and begins with a hello without attempts")
    func firstHello() throws {
        var driver = SessionDriver()
        #expect(driver.turn(.tick) == [.openConnection(at: 0)])
        let effects = driver.turn(.connectionOpened)
        let hello = try #require(effects.hellos.first)
        #expect(effects.count == 1)
        #expect(hello.name == "w1")
        #expect(hello.slots == 2)
        #expect(hello.attempts.isEmpty)
        #expect(!driver.session.isWelcomed)
        driver.welcome()
        #expect(driver.session.isWelcomed)
    }

    @Test("A welcome for another session is ignored")
    func foreignWelcome() {
        var driver = SessionDriver()
        driver.connect()
        let foreign = Welcome(
            protocolVersion: 1,
            session: SessionID(rawValue: driver.session.session.rawValue &+ 1),
            epoch: 1,
            heartbeatInterval: .seconds(1),
            lease: .seconds(45),
            staleAttempts: [],
            recalledAttempts: []
        )
        driver.receive(.welcome(foreign))
        #expect(!driver.session.isWelcomed)
    }

    @Test("A session sends heartbeats at the interval of the welcome, with the time of sending")
    func heartbeats() {
        var driver = SessionDriver.welcomed()
        driver.now += .milliseconds(900)
        driver.dispatch(1)
        #expect(driver.turn(.attemptFinished(token(1), result()), .tick).messages.count == 1)
        driver.now += .milliseconds(100)
        #expect(driver.turn(.tick) == [.send(.heartbeat(driver.session.session, number: 1_000_000))])
        #expect(driver.turn(.tick).isEmpty)
    }

    @Test("D5 A session starts attempts only while its lease lasts, which answers to old heartbeats do not renew")
    func lease() {
        var driver = SessionDriver.welcomed()
        let lease = driver.session.lease
        let sent = driver.session.mayStartUntil - lease
        driver.now = sent + lease
        #expect(driver.dispatch(1).started.isEmpty)
        // An answer to an old heartbeat changes nothing.
        #expect(driver.receive(.heartbeat(number: UInt64(sent.components.seconds * 1_000_000))).started.isEmpty)
        #expect(driver.receive(.heartbeat(number: .max)).started == [token(1)])
        driver.now += lease - .milliseconds(1)
        #expect(driver.dispatch(2).started == [token(2)])
    }

    @Test("A call for a hello is answered on the same connection by a new session that lists all attempts")
    func sayHello() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        driver.turn(.attemptFinished(token(1), result()))
        let before = driver.session.session
        let effects = driver.receive(.sayHello)
        let hello = try #require(effects.hellos.first)
        #expect(effects.count == 1)
        #expect(hello.session != before)
        #expect(hello.attempts.map(\.token) == [token(1), token(2)])
        #expect(hello.attempts.map(\.phase) == [.finished, .running])
    }

    @Test("Repeated calls for a hello are answered with one hello")
    func sayHelloTwice() {
        var driver = SessionDriver.welcomed()
        #expect(driver.receive(.sayHello, .sayHello, .sayHello).hellos.count == 1)
    }

    @Test("A session closes a silent connection after a few intervals, and says hello as a new session")
    func silence() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        let before = driver.session.session
        var effects: [WorkerSession.Effect] = []
        while !effects.contains(.closeConnection) { effects = driver.passTime() }
        #expect(driver.now >= .seconds(4) && driver.now < .seconds(5))
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.session != before)
        #expect(hello.attempts.map(\.token) == [token(1)])
    }

    @Test("A session asks for a look at a silent connection, and keeps it as long as its bytes move")
    func movingBytes() {
        var driver = SessionDriver.welcomed()
        var looks = 0
        while driver.now < .seconds(60) {
            let effects = driver.passTime {
                looks += 1
                return .connectionSeen(signAt: $0 - .milliseconds(500))
            }
            #expect(!effects.contains(.closeConnection))
        }
        #expect((20...80).contains(looks))
        let last = driver.session.lastHeard
        while !driver.passTime({ _ in .connectionSeen(signAt: last) }).contains(.closeConnection) {}
        #expect(driver.now == last + .seconds(4))
    }

    @Test("A session asks for no look at a connection whose heartbeats are answered")
    func noLooks() {
        var driver = SessionDriver.welcomed()
        for _ in 0..<20 {
            driver.passTime { _ in
                Issue.record("a look is wanted")
                return .connectionSeen(signAt: nil)
            }
            driver.receive(.heartbeat(number: UInt64(driver.now.microseconds)), after: .milliseconds(900))
        }
    }

    @Test("A heartbeat goes ahead of an earlier session's results, so that the coordinator knows the connection")
    func heartbeatAheadOfResults() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.attemptFinished(token(1), result()))
        driver.turn(.connectionLost)
        driver.connect()
        let messages = driver.welcome().messages
        guard case .heartbeat = try #require(messages.first) else {
            Issue.record("first comes \(messages)")
            return
        }
        #expect(messages.count == 2)
    }

    @Test("A session waits for a welcome as long as the handshake gets on, and for four round trips each time")
    func farWelcome() {
        var driver = SessionDriver()
        driver.connect()
        let patience = driver.session.configuration.patience.welcome
        for step in 1...5 {
            let sign = driver.now + patience - .milliseconds(1)
            let effects = driver.passTime { _ in .connectionSeen(signAt: sign) }
            #expect(effects.isEmpty, "\(step)")
        }
        let sign = driver.session.lastHeard
        var effects = driver.passTime { _ in .connectionSeen(signAt: sign, roundTrip: .seconds(3)) }
        #expect(effects.isEmpty)
        effects = driver.passTime { _ in .connectionSeen(signAt: sign, roundTrip: .seconds(3)) }
        #expect(effects.contains(.closeConnection))
        #expect(driver.now == sign + .seconds(12))
    }

    @Test("Any message of the coordinator keeps the connection open")
    func anyMessageCounts() {
        var driver = SessionDriver.welcomed()
        for _ in 0..<20 {
            driver.now += .milliseconds(900)
            driver.receive(.acknowledge([]))
            #expect(!driver.turn(.tick).contains(.closeConnection))
        }
    }

    @Test("An unanswered hello is followed by new connections, after varying pauses that double up to two seconds")
    func backoff() {
        var driver = SessionDriver()
        driver.connect()
        var pauses: [Duration] = []
        for _ in 0..<12 {
            while !driver.passTime().contains(.closeConnection) {}
            let closed = driver.now
            driver.connect()
            pauses.append(driver.now - closed)
        }
        for (index, pause) in pauses.enumerated() {
            let most = min(Duration.milliseconds(100) * (1 << index), .seconds(2))
            #expect(pause >= most / 2 && pause <= most, "pause \(index) is \(pause)")
        }
        #expect(Set(pauses.suffix(6)).count > 1)
        driver.welcome()
        driver.turn(.connectionLost)
        let lost = driver.now
        driver.connect()
        #expect(driver.now - lost <= .milliseconds(100), "a welcome ends the doubling")
    }

    @Test("A session opens another connection if the first cannot be opened")
    func cannotOpen() {
        var driver = SessionDriver()
        #expect(driver.turn(.tick) == [.openConnection(at: 0)])
        #expect(driver.turn(.connectionLost).isEmpty)
        #expect(driver.connect().hellos.count == 1)
    }

    @Test("A refusal ends the session with the coordinator's sentence")
    func refused() {
        var driver = SessionDriver()
        driver.connect()
        let refusal = Refusal(.incompatible, "Upgrade the worker.")
        #expect(driver.receive(.refused(refusal)) == [.exit(.refused(refusal))])
        #expect(driver.session.nextTick == nil)
        #expect(driver.turn(.tick, .stopRequested).isEmpty)
    }

    @Test("A refused session ends its running attempts before it ends, and starts and sends nothing more")
    func refusedWhileRunning() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        let refusal = Refusal(.notAllowed, "The key was revoked.")
        #expect(driver.receive(.refused(refusal)) == [.closeConnection, .endAttempt(token(1), .leaving)])
        #expect(driver.session.nextTick == nil)
        #expect(driver.turn(.connectionLost, .stopRequested, .tick).isEmpty)
        #expect(driver.receive(.cancel([token(1)]), .refused(refusal)).isEmpty)
        let interrupted = AttemptResult(end: .interrupted)
        #expect(driver.turn(.attemptFinished(token(1), interrupted)) == [.exit(.refused(refusal))])
    }

    @Test("A refused session that is stopped at once ends with the refusal")
    func refusedAndKilled() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        let refusal = Refusal(.incompatible, "Upgrade the worker.")
        driver.receive(.refused(refusal))
        #expect(driver.turn(.everythingKilled) == [.exit(.refused(refusal))])
    }

    @Test("Keys that do not fit end a session before its first welcome, and no later one", arguments: [true, false])
    func notAdmitted(isWelcomed: Bool) {
        var driver = SessionDriver()
        driver.connect()
        if isWelcomed { driver.welcome() }
        let effects = driver.turn(.connectionLost, .notAdmitted(.mismatch))
        #expect(effects == (isWelcomed ? [.closeConnection] : [.closeConnection, .exit(.notAdmitted(.mismatch))]))
    }

    @Test("A key that is refused for long ends a worker without work, and no worker with work or after another word")
    func longRefusal() {
        let patience = WorkerSession.refusalPatience
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        #expect(driver.turn(.connectionLost, .notAdmitted(.refused)) == [.closeConnection])
        // A running attempt keeps the worker, and so does an unacknowledged result.
        #expect(driver.turn(.notAdmitted(.refused), after: patience).isEmpty)
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.turn(.notAdmitted(.refused), after: patience).isEmpty)

        driver = SessionDriver.welcomed()
        #expect(driver.turn(.connectionLost, .notAdmitted(.refused)) == [.closeConnection])
        #expect(driver.turn(.notAdmitted(.refused), after: patience - .seconds(1)).isEmpty)
        // Another server at the address, or a welcome, begins the time anew.
        #expect(driver.turn(.notAdmitted(.mismatch), after: .seconds(1)).isEmpty)
        #expect(driver.turn(.notAdmitted(.refused), after: .seconds(1)).isEmpty)
        driver.connect()
        driver.welcome()
        #expect(driver.turn(.connectionLost, .notAdmitted(.refused), after: patience) == [.closeConnection])
        #expect(driver.turn(.notAdmitted(.refused), after: patience - .seconds(1)).isEmpty)
        #expect(driver.turn(.notAdmitted(.refused), after: .seconds(1)) == [.exit(.notAdmitted(.refused))])
    }

    @Test("A dispatch before the welcome is ignored")
    func dispatchBeforeWelcome() {
        var driver = SessionDriver()
        driver.connect()
        #expect(driver.dispatch(1).isEmpty)
        #expect(driver.session.attemptCount == 0)
    }

    @Test("A request for output is passed on during and after the attempt, and its answer is sent")
    func output() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        let request = OutputRequest(
            number: 9,
            token: token(1),
            operation: OperationID(job: JobNumber(1), index: 1),
            stream: .standardOutput,
            offset: 3,
            limit: 10
        )
        let message = CoordinatorMessage.readOutput(
            request: 9,
            request.token,
            request.operation,
            request.stream,
            offset: 3,
            limit: 10
        )
        #expect(driver.receive(message) == [.readOutput(request, isOver: false)])
        var long = result()
        long.standardOutput = OutputTail(totalLength: 100_000, bytes: [UInt8](repeating: 1, count: 65_536))
        driver.turn(.attemptFinished(token(1), long))
        #expect(driver.receive(message) == [.readOutput(request, isOver: true)], "the outbox has the end alone")
        driver.receive(.acknowledge([token(1)]))
        #expect(driver.receive(message) == [.readOutput(request, isOver: true)])
        #expect(driver.turn(.outputRead(request: 9, nil)) == [.send(.output(request: 9, nil))])
    }

    @Test("What the result of an ended attempt has of its output is sent from the outbox until the acknowledgement")
    func outputInOutbox() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        var ended = result()
        ended.standardOutput = OutputTail(totalLength: 5, bytes: [1, 2, 3, 4, 5])
        ended.standardError = OutputTail(totalLength: 10, bytes: [8, 9, 10])
        driver.turn(.attemptFinished(token(1), ended))
        func ask(
            _ stream: BatonWire.OutputStream,
            at offset: UInt64,
            limit: UInt32 = 100,
            of index: UInt32 = 1
        ) -> [WorkerSession.Effect] {
            let operation = OperationID(job: JobNumber(1), index: index)
            return driver.receive(
                .readOutput(request: 9, token(1), operation, stream, offset: offset, limit: limit)
            )
        }
        func sent(_ bytes: [UInt8], at offset: UInt64, of length: UInt64) -> [WorkerSession.Effect] {
            let chunk = OutputChunk(offset: offset, bytes: bytes, totalLength: length, isComplete: true)
            return [.send(.output(request: 9, chunk))]
        }
        #expect(ask(.standardOutput, at: 0) == sent([1, 2, 3, 4, 5], at: 0, of: 5))
        #expect(ask(.standardOutput, at: 1, limit: 2) == sent([2, 3], at: 1, of: 5))
        #expect(ask(.standardOutput, at: 5) == sent([], at: 5, of: 5))
        #expect(ask(.standardOutput, at: .max) == sent([], at: .max, of: 5))
        #expect(ask(.standardError, at: 7) == sent([8, 9, 10], at: 7, of: 10))
        func isRead(_ effects: [WorkerSession.Effect]) -> Bool {
            if case .readOutput(_, isOver: true)? = effects.first { effects.count == 1 } else { false }
        }
        #expect(isRead(ask(.standardError, at: 6)), "the outbox has the end alone")
        #expect(isRead(ask(.standardOutput, at: 0, of: 2)), "of another operation")
        driver.receive(.acknowledge([token(1)]))
        #expect(isRead(ask(.standardOutput, at: 0)))
    }

    @Test("A request for output that comes before the welcome is not answered from the outbox")
    func outputBeforeWelcome() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.attemptFinished(token(1), result()))
        driver.turn(.connectionLost)
        driver.connect()
        let operation = OperationID(job: JobNumber(1), index: 1)
        let message = CoordinatorMessage.readOutput(
            request: 9,
            token(1),
            operation,
            .standardOutput,
            offset: 0,
            limit: 10
        )
        #expect(driver.receive(message).isEmpty)
    }
}
