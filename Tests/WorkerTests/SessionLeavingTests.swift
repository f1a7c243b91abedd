import Operations
import Testing
import Wire

@testable import Worker

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

    @Test("What is dispatched while it leaves comes back as interrupted, without having run")
    func dispatchWhileLeaving() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.stopRequested)
        let effects = driver.dispatch(2)
        #expect(effects.started.isEmpty)
        #expect(
            effects.completions == [
                Completion(
                    token: token(2),
                    operation: OperationID(job: JobNumber(1), index: 2),
                    result: AttemptResult(end: .interrupted)
                )
            ]
        )
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
