@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Completion hooks in a session")
struct SessionHookTests {
    @Test("CM5 A hook takes no slot and no inputs, and its start is not reported")
    func start() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        let hook = batch([token(2)], hasInputs: true, hookOutcome: .failed).assigned[0]
        #expect(
            driver.dispatch(2, hasInputs: true, hookOutcome: .failed) == [
                .startAttempt(hook)
            ]
        )
        let effects = driver.turn(.attemptFinished(token(2), result(3)))
        #expect(effects.reports.map { $0.started.map(\.token) } == [[]])
        #expect(effects.completions.map(\.result) == [result(3)])
        #expect(driver.receive(.acknowledge([token(2)])).isEmpty)
        #expect(driver.session.attemptCount == 1)
    }

    @Test("Four hooks run at once, the others in the order of their arrival, and attempts run beside them")
    func bound() {
        var driver = SessionDriver.welcomed(slots: 1)
        let tokens = (1...6).map { token($0) }
        #expect(driver.receive(.dispatch(batch(tokens, hookOutcome: .succeeded))).started == Array(tokens[..<4]))
        #expect(driver.dispatch(7).started == [token(7)])
        #expect(driver.turn(.slotFreed(token(7))).isEmpty)
        #expect(driver.turn(.slotFreed(token(2))).started == [token(5)])
        #expect(driver.turn(.attemptFinished(token(2), result())).started.isEmpty)
        #expect(driver.turn(.attemptFinished(token(1), result())).started == [token(6)])
    }

    @Test("A hook is cancelled and recalled like an attempt")
    func cancel() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, 3, 4, 5, 6, hookOutcome: .skipped)
        let effects = driver.receive(.cancel([token(1), token(5)]), .recall([token(2), token(6)]))
        #expect(effects.ended == [token(1)])
        #expect(effects.returned == [token(5), token(6)])
        #expect(driver.turn(.attemptFinished(token(1), result())).started.isEmpty)
    }

    @Test("A hello lists hooks as such, with their phases")
    func hello() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2, 3, 4, 5, hookOutcome: .cancelled)
        driver.dispatch(6)
        driver.turn(.attemptFinished(token(1), result()))
        driver.turn(.connectionLost)
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.attempts.map(\.isHook) == [true, true, true, true, true, false])
        #expect(hello.attempts.map(\.phase) == [.finished, .running, .running, .running, .running, .running])
        #expect(driver.welcome().completions.map(\.token) == [token(1)])
    }
}
