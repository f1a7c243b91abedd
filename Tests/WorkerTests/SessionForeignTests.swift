@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

/// A worker with attempts that the welcoming coordinator's record did not make (D12).
@Suite("Attempts of another record", .timeLimit(.minutes(60)))
struct SessionForeignTests {
    /// A session with attempts 1 ended, 2 running and 3 waiting, whose coordinator goes away.
    private func driver() -> SessionDriver {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2, 3)
        driver.turn(.slotFreed(token(1)), .attemptFinished(token(1), result()), .connectionLost)
        return driver
    }

    @Test("D12 Attempts of another record are ended or never started, and their results are not sent")
    func disowned() {
        var driver = driver()
        let hello = driver.connect().hellos
        #expect(hello.first?.attempts.map(\.phase) == [.finished, .running, .waiting])
        let effects = driver.welcome(foreign: [token(1), token(2), token(3)])
        #expect(effects.contains(.endAttempt(token(2), .foreign)))
        #expect(effects.messages.isEmpty && effects.started.isEmpty)
        let ended = driver.turn(.slotFreed(token(2)), .attemptFinished(token(2), AttemptResult(end: .interrupted)))
        #expect(ended.messages.isEmpty && ended.started.isEmpty)
    }

    @Test("D12 A session takes new attempts that have the numbers of another record's attempts")
    func takesNew() {
        var driver = driver()
        driver.connect()
        driver.welcome(foreign: [token(1), token(2), token(3)])
        let new = (1...3).map { AttemptToken(epoch: 1, serial: $0, of: Incarnation(rawValue: 9)) }
        // The slot is free after its running attempt is gone.
        #expect(driver.receive(.dispatch(batch(new))).started.isEmpty)
        let effects = driver.turn(.slotFreed(token(2)), .attemptFinished(token(2), AttemptResult(end: .interrupted)))
        #expect(effects.started == [new[0]] && effects.reportedStarts == [new[0]])
        #expect(driver.turn(.slotFreed(new[0]), .attemptFinished(new[0], result())).started == [new[1]])
        #expect(driver.passTime().completions.map(\.token) == [new[0]])
    }

    @Test("D12 Results of another record's attempts are sent once that record is back")
    func recordComesBack() {
        var driver = driver()
        driver.connect()
        driver.welcome(foreign: [token(1), token(2), token(3)])
        driver.turn(.slotFreed(token(2)), .attemptFinished(token(2), AttemptResult(end: .interrupted)))
        driver.turn(.connectionLost)
        #expect(driver.connect().hellos.first?.attempts.map(\.token) == [token(1), token(2)])
        #expect(driver.welcome().completions.map(\.token) == [token(1), token(2)])
        driver.receive(.acknowledge([token(1), token(2)]))
        #expect(driver.session.attemptCount == 0)
    }

    @Test("D12 Results of another record's attempts are dropped after an hour")
    func forgotten() {
        var driver = driver()
        driver.connect()
        driver.welcome(foreign: [token(1), token(2), token(3)])
        #expect(driver.session.attemptCount == 2)
        driver.turn(.tick, after: .seconds(3599))
        #expect(driver.session.attemptCount == 2)
        // The session holds a running attempt until its end.
        driver.turn(.tick, after: .seconds(2))
        #expect(driver.session.attemptCount == 1)
        driver.turn(.slotFreed(token(2)), .attemptFinished(token(2), AttemptResult(end: .interrupted)))
        driver.turn(.tick, after: .seconds(3601))
        #expect(driver.session.attemptCount == 0)
    }

    @Test("A leaving session does not wait for the acknowledgement of another record's attempts")
    func leaves() {
        var driver = driver()
        driver.connect()
        driver.welcome(foreign: [token(1), token(2), token(3)])
        driver.turn(.slotFreed(token(2)), .attemptFinished(token(2), AttemptResult(end: .interrupted)))
        #expect(driver.turn(.stopRequested).contains(.exit(.stopped)))
    }

    @Test("A session asks to replace another worker until its first welcome, and ends when it is superseded")
    func replaces() {
        var driver = SessionDriver(replaces: true)
        #expect(driver.connect().hellos.first?.replaces == true)
        driver.turn(.connectionLost)
        #expect(driver.connect().hellos.first?.replaces == true)
        driver.welcome()
        driver.turn(.connectionLost)
        #expect(driver.connect().hellos.first?.replaces == false)
        let refusal = Refusal(.unavailable, "No.")
        #expect(driver.receive(.superseded(refusal, isCopy: true)) == [.exit(.superseded(refusal, isCopy: true))])
    }
}
