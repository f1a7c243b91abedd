@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("A worker's session: paused attempts and signals") struct SessionPauseTests {
    private func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    /// The pauses, continuations and signals among effects.
    private func changes(_ effects: [WorkerSession.Effect]) -> [WorkerSession.Effect] {
        effects.filter { effect in
            switch effect {
            case .pauseAttempt, .resumeAttempt, .signalAttempt: true
            default: false
            }
        }
    }

    @Test("RT6 The list of paused attempts is whole: what is new on it is stopped, and what is missing goes on")
    func list() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, 3)
        #expect(changes(driver.receive(.pauses([token(1)]))) == [.pauseAttempt(token(1))])
        #expect(changes(driver.receive(.pauses([token(1)]))).isEmpty)
        let exchanged = changes(driver.receive(.pauses([token(2)])))
        #expect(exchanged == [.resumeAttempt(token(1)), .pauseAttempt(token(2))])
        // One of them waits for a slot, and the worker does not have the other.
        #expect(changes(driver.receive(.pauses([token(2), token(3), token(9)]))).isEmpty)
        #expect(changes(driver.receive(.pauses([]))) == [.resumeAttempt(token(2))])
    }

    @Test("RT6 A new session keeps what is paused as the welcome says, and an older coordinator continues all")
    func sessions() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        driver.receive(.pauses([token(1)]))
        driver.turn(.connectionLost)
        // A message of the earlier session comes too late.
        #expect(changes(driver.receive(.pauses([]))).isEmpty)
        driver.connect()
        #expect(changes(driver.welcome(paused: [token(1)])).isEmpty)
        driver.turn(.connectionLost)
        driver.connect()
        let changed = changes(driver.welcome(paused: [token(2)]))
        #expect(changed == [.resumeAttempt(token(1)), .pauseAttempt(token(2))])
        driver.turn(.connectionLost)
        driver.connect()
        #expect(changes(driver.welcome(speaking: 1)) == [.resumeAttempt(token(2))])
    }

    // A refused worker waits for the end of its attempts, and hears of no continuation any more.
    @Test("RT6 A refusal for the worker's version continues what is paused, and any other refusal ends it")
    func refused() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        driver.receive(.pauses([token(1)]))
        let effects = driver.receive(.refused(Refusal(.incompatible, "Upgrade the worker.")))
        #expect(changes(effects) == [.resumeAttempt(token(1))] && effects.ended.isEmpty)
        #expect(driver.session.paused.isEmpty)

        driver = .welcomed()
        driver.dispatch(1)
        driver.receive(.pauses([token(1)]))
        let others = driver.receive(.refused(Refusal(.invalid, "Another worker has the name.")))
        #expect(changes(others).isEmpty && others.ended == [token(1)])
    }

    @Test("RT6 A paused attempt is ended as any other, and is not paused again")
    func ending() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        driver.receive(.pauses([token(1), token(2)]))
        #expect(driver.receive(.cancel([token(1)])).ended == [token(1)])
        #expect(changes(driver.receive(.pauses([token(1), token(2)]))).isEmpty)
        driver.turn(.attemptFinished(token(2), AttemptResult(end: .exited(0))))
        #expect(driver.session.paused.isEmpty)
    }

    @Test("RT7 A signal is passed on to attempts that run, and to no others")
    func signals() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        let effects = driver.receive(.signal([token(1), token(2), token(9)], .user1))
        #expect(changes(effects) == [.signalAttempt(token(1), .user1)])
        driver.receive(.cancel([token(1)]))
        #expect(changes(driver.receive(.signal([token(1)], .hangUp))).isEmpty)
    }
}
