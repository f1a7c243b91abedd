import BatonOperations
import Testing
import BatonWire

@testable import BatonWorker

@Suite("A session whose host cannot start anything")
struct SessionFaultTests {
    @Test("D9 it says so first, gives back what waits, and tells the end of what could not be started")
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

    @Test("D9 each session is told, until it has started something again")
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

    @Test("D9 what comes while it is failing is tried, and given back with what waits behind it")
    func triedAgain() {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1)
        driver.turn(.startFailed("No disk."), .attemptFinished(token(1), result()))
        #expect(driver.dispatch(2, 3).started == [token(2)])
        let effects = driver.turn(.startFailed("No disk."), .attemptFinished(token(2), result()))
        #expect(effects.returned == [token(3)] && effects.started == [])
    }
}
