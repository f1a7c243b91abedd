@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Faults of a worker's host")
struct SessionFaultTests {
    @Test("D9 A failed start is reported first, followed by the returned attempts and the end of the failed attempt")
    func fault() {
        var driver = SessionDriver.welcomed(slots: 1)
        #expect(driver.dispatch(1, 2, 3).started == [token(1)])
        let session = driver.session.session
        let end = AttemptResult(end: .workerFault("No disk.", hasRun: false))
        let effects = driver.turn(.startFailed("No disk."), .attemptFinished(token(1), end))
        let completion = Completion(
            token: token(1),
            operation: OperationID(job: JobNumber(1), index: 1),
            result: end
        )
        #expect(
            effects.messages == [
                .health(session, fault: "No disk."),
                .report(session, AttemptReport(returned: [token(2), token(3)], completions: [completion])),
            ]
        )
        #expect(effects.started == [])
    }

    @Test("D9 Each new session is told of the fault until a start has succeeded")
    func told() {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1)
        driver.turn(.startFailed("No disk."), .attemptFinished(token(1), result()))
        #expect(driver.turn(.startFailed("No disk at all.")).messages == [])
        driver.turn(.connectionLost)
        driver.connect()
        #expect(driver.welcome().messages.first == .health(driver.session.session, fault: "No disk at all."))
        #expect(driver.turn(.startSucceeded).messages == [.health(driver.session.session, fault: nil)])
        #expect(driver.turn(.startSucceeded).messages == [])
        driver.turn(.connectionLost)
        driver.connect()
        #expect(!driver.welcome().messages.contains { if case .health = $0 { true } else { false } })
    }

    @Test("D9 A failing session tries a new attempt, and returns the waiting attempt behind it if that fails too")
    func triedAgain() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        driver.turn(.startFailed("No disk."), .attemptFinished(token(1), result()))
        #expect(driver.dispatch(2, 3).started == [token(2)])
        let effects = driver.turn(.startFailed("No disk."), .attemptFinished(token(2), result()))
        #expect(effects.returned == [token(3)] && effects.started == [])
    }
}
