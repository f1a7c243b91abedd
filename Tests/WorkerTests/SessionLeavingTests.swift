import BatonOperations
import Testing
import BatonWire

@testable import BatonWorker

@Suite("A session that leaves")
struct SessionLeavingTests {
    @Test("With nothing to run it says goodbye at once")
    func idle() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        #expect(driver.turn(.stopRequested) == [.send(.goodbye(session)), .exit(.stopped)])
        #expect(driver.turn(.tick).isEmpty)
    }

    @Test("It ends its attempts, sends their completions, waits for the acknowledgement, and says goodbye")
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

    @Test("What waits is given back, once the coordinator knows that it need not be sent here again")
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

    @Test("Of hooks, those that run are ended and the others given back")
    func hooks() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, 3, 4, 5, hookOutcome: .failed)
        let effects = driver.turn(.stopRequested)
        #expect(effects.ended == [token(1), token(2), token(3), token(4)])
        #expect(effects.returned == [token(5)])
    }

    @Test("A coordinator that has not answered the hello is told what it gets back before the goodbye")
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

    @Test("What is dispatched while it leaves is given back, without having run")
    func dispatchWhileLeaving() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.stopRequested)
        let effects = driver.dispatch(2)
        let report = AttemptReport(returned: [token(2)])
        #expect(effects == [.send(.report(driver.session.session, report))])
    }

    @Test("It says that it leaves too where nothing runs any more and only an acknowledgement is awaited")
    func onlyUnacknowledged() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        driver.dispatch(1)
        driver.turn(.attemptFinished(token(1), result()))
        #expect(driver.turn(.stopRequested) == [.send(.leaving(session))])
    }

    @Test("An acknowledgement that does not come holds it up for a short time only")
    func noAcknowledgement() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.stopRequested)
        driver.turn(.attemptFinished(token(1), AttemptResult(end: .interrupted)))
        while !driver.isOver { driver.passTime() }
        #expect(driver.now <= .seconds(2))
    }

    @Test("Without a coordinator it waits for its attempts, and not for ever for somebody to tell")
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

    @Test("A coordinator that comes back in time is still told")
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

    @Test("A coordinator that comes back while attempts are being ended is told to send nothing new")
    func comesBackEarly() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.connectionLost)
        driver.turn(.stopRequested)
        driver.connect()
        #expect(driver.welcome() == [.send(.leaving(driver.session.session))])
    }

    @Test("Never connected, it just goes")
    func neverConnected() {
        var driver = SessionDriver()
        #expect(driver.turn(.stopRequested) == [.exit(.stopped)])
    }

    @Test("Killed, it says goodbye and waits for nothing")
    func killed() {
        var driver = SessionDriver.welcomed()
        let session = driver.session.session
        driver.dispatch(1)
        #expect(driver.turn(.everythingKilled) == [.send(.goodbye(session)), .exit(.stopped)])
    }
}
