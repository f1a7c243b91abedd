@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Sessions that drain or reach a limit")
struct SessionDrainTests {
    /// A welcomed session with limits.
    private func driver(
        slots: UInt32 = 1,
        drainTimeout: Duration = .zero,
        idleExit: Duration? = nil,
        endsAt: Duration? = nil
    ) -> SessionDriver {
        var driver = SessionDriver(slots: slots) { configuration in
            configuration.drainTimeout = drainTimeout
            configuration.idleExit = idleExit
            configuration.endsAt = endsAt
        }
        driver.connect()
        Self.welcome(&driver)
        return driver
    }

    /// Answers a hello; without heartbeats, only the limits matter.
    @discardableResult
    private static func welcome(_ driver: inout SessionDriver) -> [WorkerSession.Effect] {
        let long = Duration.seconds(10_000_000)
        return driver.welcome(heartbeatInterval: long, lease: long)
    }

    @Test("A draining session returns what has not started, and says goodbye once what runs has ended by itself")
    func drains() {
        var driver = driver(drainTimeout: .seconds(8))
        let session = driver.session.session
        driver.dispatch(1, 2)
        #expect(
            driver.turn(.stopRequested) == [
                .send(.leaving(session)), .send(.report(session, AttemptReport(returned: [token(2)]))),
            ]
        )
        #expect(driver.turn(.stopRequested).isEmpty, "a second request changes nothing")
        #expect(driver.dispatch(3).returned == [token(3)])
        #expect(driver.turn(.attemptFinished(token(1), result()), after: .seconds(7)).completions.count == 1)
        #expect(driver.receive(.acknowledge([token(1)])) == [.send(.goodbye(session)), .exit(.stopped)])
    }

    @Test("What runs longer than the drain timeout is ended then, and its end counts as no loss")
    func timeout() {
        var driver = driver(drainTimeout: .seconds(8))
        driver.dispatch(1)
        driver.turn(.stopRequested)
        #expect(driver.turn(.tick, after: .milliseconds(7999)).ended.isEmpty)
        #expect(driver.session.nextTick.map { $0 <= driver.now + .milliseconds(1) } == true)
        #expect(driver.turn(.tick, after: .milliseconds(1)) == [.endAttempt(token(1), .leaving)])
        #expect(WorkerSession.EndCause.leaving.interruption == .stopped)
        let effects = driver.turn(.attemptFinished(token(1), AttemptResult(end: .stopped)))
        #expect(effects.completions.map(\.result.end) == [.stopped])
    }

    @Test(
        "A session that drains without its coordinator goes on until the drain timeout, and reports to it if it is back"
    )
    func away() {
        var driver = driver(drainTimeout: .seconds(8))
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.turn(.stopRequested)
        driver.connect()
        #expect(Self.welcome(&driver).messages.contains(.leaving(driver.session.session)))
        #expect(!driver.isOver)
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.receive(.acknowledge([token(1)])).last == .exit(.stopped))
    }

    @Test("A session that finishes returns what has not started, and waits without a limit for what runs")
    func finishes() {
        var driver = driver(drainTimeout: .seconds(8))
        let session = driver.session.session
        driver.dispatch(1, 2)
        #expect(
            driver.turn(.finishRequested) == [
                .send(.leaving(session)), .send(.report(session, AttemptReport(returned: [token(2)]))),
            ]
        )
        #expect(driver.turn(.finishRequested).isEmpty, "a second request changes nothing")
        #expect(driver.turn(.tick, after: .seconds(100_000)).ended.isEmpty)
        #expect(driver.dispatch(3).returned == [token(3)])
        #expect(driver.turn(.attemptFinished(token(1), result())).completions.count == 1)
        #expect(driver.receive(.acknowledge([token(1)])) == [.send(.goodbye(session)), .exit(.stopped)])
    }

    @Test("A stop gives a session that finishes the drain timeout, without another word to the coordinator")
    func stopsWhileFinishing() {
        var driver = driver(drainTimeout: .seconds(8))
        driver.dispatch(1)
        driver.turn(.finishRequested)
        let messages = driver.turn(.stopRequested, after: .seconds(100)).messages
        #expect(!messages.contains(.leaving(driver.session.session)))
        #expect(driver.turn(.tick, after: .milliseconds(7999)).ended.isEmpty)
        #expect(driver.turn(.tick, after: .milliseconds(1)).ended == [token(1)])
        var immediate = self.driver()
        immediate.dispatch(1)
        immediate.turn(.finishRequested)
        #expect(immediate.turn(.stopRequested).ended == [token(1)])
    }

    @Test("At its time limit, a session that finishes drains")
    func timeLimitWhileFinishing() {
        var driver = driver(drainTimeout: .seconds(8), endsAt: .seconds(100))
        driver.dispatch(1)
        driver.turn(.finishRequested)
        #expect(driver.turn(.tick, after: .seconds(100) - driver.now).contains(.noteDeparture(.timeLimit)))
        #expect(driver.turn(.tick, after: .seconds(8)).ended == [token(1)])
    }

    @Test("A client's request to stop drains; one to stop now ends what runs, and a repeated one kills it")
    func requested() {
        var driver = driver(drainTimeout: .seconds(8))
        let session = driver.session.session
        driver.dispatch(1)
        #expect(
            driver.receive(.stop(isImmediate: false)) == [
                .noteDeparture(.requested(isImmediate: false)), .send(.leaving(session)),
            ]
        )
        #expect(driver.receive(.stop(isImmediate: true)).ended == [token(1)])
        #expect(driver.receive(.stop(isImmediate: true)).contains(.killEverything))
        #expect(driver.turn(.everythingKilled) == [.send(.goodbye(session)), .exit(.stopped)])
    }

    @Test("A request to stop an idle session ends it at once, and a request of an earlier connection does nothing")
    func requestedWhileIdle() {
        var driver = driver(drainTimeout: .seconds(8))
        driver.turn(.connectionLost)
        #expect(driver.receive(.stop(isImmediate: false)).isEmpty)
        driver.connect()
        Self.welcome(&driver)
        #expect(driver.receive(.stop(isImmediate: false)).last == .exit(.stopped))
    }

    @Test("An idle session leaves after the idle exit; attempts, hooks and unacknowledged results keep it")
    func idle() {
        var driver = driver(slots: 2, idleExit: .seconds(300))
        driver.turn(.tick, after: .seconds(299))
        driver.dispatch(1)
        driver.dispatch(2, hookOutcome: .succeeded)
        driver.turn(.tick, after: .seconds(1000))
        driver.turn(.attemptFinished(token(1), result()))
        driver.receive(.acknowledge([token(1)]))
        driver.turn(.tick, after: .seconds(1000))
        driver.turn(.attemptFinished(token(2), result()))
        driver.turn(.tick, after: .seconds(1))
        #expect(!driver.isOver)
        driver.receive(.acknowledge([token(2)]))
        let busyUntil = driver.now
        driver.turn(.tick, after: .seconds(299))
        #expect(!driver.isOver)
        while !driver.isOver { driver.passTime() }
        #expect(driver.now - busyUntil == .seconds(300))
    }

    @Test("A session that never finds its coordinator leaves after the idle exit too")
    func idleAlone() {
        var driver = SessionDriver { $0.idleExit = .seconds(5) }
        while !driver.isOver { driver.passTime() }
        #expect(driver.now == .seconds(5))
    }

    @Test("At its time limit a session drains, and each hello says how much time is left")
    func timeLimit() {
        var driver = SessionDriver { configuration in
            configuration.endsAt = .seconds(100)
            configuration.drainTimeout = .seconds(8)
        }
        #expect(driver.connect().hellos.map(\.timeLeft) == [.seconds(100) - driver.now])
        Self.welcome(&driver)
        driver.dispatch(1)
        #expect(driver.turn(.tick, after: .seconds(99) - driver.now).returned.isEmpty)
        let effects = driver.turn(.tick, after: .seconds(1))
        #expect(
            effects.contains(.noteDeparture(.timeLimit)) && effects.contains(.send(.leaving(driver.session.session)))
        )
        #expect(driver.turn(.tick, after: .seconds(8)).ended == [token(1)])
    }

    @Test("Without limits a session states no time, and stays")
    func unlimited() {
        var driver = SessionDriver()
        #expect(driver.connect().hellos.map(\.timeLeft) == [nil])
        Self.welcome(&driver)
        driver.turn(.tick, after: .seconds(1_000_000))
        #expect(!driver.isOver)
    }
}
