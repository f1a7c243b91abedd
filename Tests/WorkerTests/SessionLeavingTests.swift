@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Leaving sessions")
struct SessionLeavingTests {
    @Test("A session without attempts says goodbye at once")
    func idle() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        #expect(driver.turn(.stopRequested) == [.send(.goodbye(session)), .exit(.stopped)])
        #expect(driver.turn(.tick).isEmpty)
    }

    @Test("A leaving session ends its attempts, and says goodbye once their completions are acknowledged")
    func sequence() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        driver.dispatch(1, 2)
        #expect(
            driver.turn(.stopRequested) == [
                .send(.leaving(session)), .endAttempt(token(1), .leaving), .endAttempt(token(2), .leaving),
            ]
        )
        #expect(driver.turn(.stopRequested).isEmpty)
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        let effects = driver.turn(.attemptFinished(token(2), AttemptResult(end: .interrupted)))
        #expect(effects.completions.map(\.token) == [token(2)])
        #expect(!driver.isOver)
        driver.receive(.acknowledge([token(1)]))
        #expect(!driver.isOver)
        #expect(driver.receive(.acknowledge([token(2)])) == [.send(.goodbye(session)), .exit(.stopped)])
    }

    @Test("A leaving session announces that it leaves, and then returns its waiting attempts")
    func waiting() {
        var driver = SessionDriver.welcomed(slots: 1)
        let session = driver.session.session
        driver.dispatch(1, 2)
        driver.dispatch(3, hasInputs: true)
        #expect(
            driver.turn(.stopRequested) == [
                .send(.leaving(session)), .endAttempt(token(1), .leaving), .discardInputs(token(3)),
                .send(.report(session, AttemptReport(returned: [token(2), token(3)]))),
            ]
        )
        #expect(driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted))).started.isEmpty)
    }

    @Test("A leaving session ends its running hooks and returns the waiting hook")
    func hooks() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, 3, 4, 5, hookOutcome: .failed)
        let effects = driver.turn(.stopRequested)
        #expect(effects.ended == [token(1), token(2), token(3), token(4)])
        #expect(effects.returned == [token(5)])
    }

    @Test("A leaving session without a welcome returns its attempts after the welcome, and then says goodbye")
    func greeting() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, hasInputs: true)
        driver.receive(.sayHello)
        #expect(driver.turn(.stopRequested) == [.discardInputs(token(1))])
        let effects = driver.welcome()
        let session = driver.session.session
        let report = AttemptReport(returned: [token(1)])
        #expect(effects == [.send(.report(session, report)), .send(.goodbye(session)), .exit(.stopped)])
    }

    @Test("An attempt that is dispatched to a leaving session is returned without a start")
    func dispatchWhileLeaving() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.stopRequested)
        let effects = driver.dispatch(2)
        let report = AttemptReport(returned: [token(2)])
        #expect(effects == [.send(.report(driver.session.session, report))])
    }

    @Test("A session announces that it leaves also while only an acknowledgement is missing")
    func onlyUnacknowledged() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        driver.dispatch(1)
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.turn(.stopRequested) == [.send(.leaving(session))])
    }

    @Test("A leaving session waits at most two seconds for an acknowledgement")
    func noAcknowledgement() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.stopRequested)
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        while !driver.isOver { driver.passTime() }
        #expect(driver.now <= .seconds(2))
    }

    @Test("A leaving session without a coordinator waits for its attempts, and then at most two seconds")
    func away() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.turn(.stopRequested)
        for _ in 0..<20 { driver.passTime() }
        #expect(!driver.isOver)
        let ended = driver.now
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        while !driver.isOver { driver.passTime() }
        #expect(driver.now - ended <= .seconds(2))
    }

    @Test("A leaving session sends its completions to a coordinator that comes back in time")
    func comesBack() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.turn(.stopRequested)
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        driver.connect()
        #expect(driver.welcome().completions.map(\.token) == [token(1)])
        #expect(driver.receive(.acknowledge([token(1)])).last == .exit(.stopped))
    }

    @Test("A coordinator that comes back while attempts are being ended is told that the session leaves")
    func comesBackEarly() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.turn(.stopRequested)
        driver.connect()
        #expect(driver.welcome() == [.send(.leaving(driver.session.session))])
    }

    @Test("A session that was never connected ends at once")
    func neverConnected() {
        var driver = SessionDriver()
        #expect(driver.turn(.stopRequested) == [.exit(.stopped)])
    }

    @Test("A killed session says goodbye and waits for nothing")
    func killed() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        driver.dispatch(1)
        #expect(driver.turn(.everythingKilled) == [.send(.goodbye(session)), .exit(.stopped)])
    }
}
