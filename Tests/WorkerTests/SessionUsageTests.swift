@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("What attempts used, in a worker's session")
struct SessionUsageTests {
    @Test("The coordinator is told what an attempt used, also after a lost connection")
    func isTold() {
        let usage = AttemptUsage(processorMicroseconds: 7, peakMemory: 8)
        var ended = result()
        ended.usage = usage
        var driver = SessionDriver.welcomed()
        driver.receive(.dispatch(batch([token(1)])))
        driver.receive(.dispatch(batch([token(2)])))
        #expect(driver.turn(.attemptFinished(token(1), ended)).completions.map(\.result.usage) == [usage])
        driver.turn(.connectionLost)
        driver.turn(.attemptFinished(token(2), ended))
        driver.connect()
        #expect(driver.welcome().completions.map(\.result.usage) == [usage, usage])
    }
}
