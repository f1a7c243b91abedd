@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("A worker's session: stopped attempts") struct SessionStopTests {
    private func token(_ serial: UInt64) -> AttemptToken { AttemptToken(epoch: 1, serial: serial) }

    private func stops(_ effects: [WorkerSession.Effect]) -> [[AttemptStop]] {
        effects.messages.compactMap { if case .stops(_, let list) = $0 { list } else { nil } }
    }

    @Test(
        "D17 Stopped attempts are told once, with each change, and again in a new session with the time since the stop"
    )
    func stops() throws {
        var driver = SessionDriver.welcomed()
        driver.dispatch(1, 2)
        let operation = try #require(driver.session.attempts[token(1)]).operation
        func stop(_ signal: Int32, age: Int64) -> AttemptStop {
            AttemptStop(token: token(1), operation: operation, signal: signal, age: age)
        }
        #expect(stops(driver.turn(.attemptsStopped([token(1): 21]))) == [[stop(21, age: 0)]])
        #expect(stops(driver.turn(.tick)).isEmpty)
        driver.turn(.connectionLost, after: .seconds(3))
        // Attempts that the session does not know are passed over.
        driver.turn(.attemptsStopped([token(1): 21, token(9): 19]))
        driver.connect()
        let told = stops(driver.welcome())
        #expect(told.count == 1 && told.first?.count == 1)
        #expect(told.first?.first?.age ?? 0 >= 3_000_000)
        #expect(stops(driver.turn(.attemptsStopped([token(1): 19]))) == [[stop(19, age: 0)]])
        #expect(stops(driver.turn(.attemptsStopped([:]))) == [[]])
        driver.turn(.connectionLost)
        driver.connect()
        #expect(stops(driver.welcome()).isEmpty)
    }

    @Test("A coordinator of version 1 of the protocol is not told of stopped attempts")
    func older() {
        var driver = SessionDriver()
        driver.connect()
        driver.welcome(speaking: 1)
        driver.dispatch(1)
        #expect(stops(driver.turn(.attemptsStopped([token(1): 21]))).isEmpty)
    }
}
