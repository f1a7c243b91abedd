@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("What attempts used, in a worker's session")
struct SessionUsageTests {
    @Test(
        "A coordinator is told what an attempt used, unless its version does not know it",
        arguments: [(ProtocolVersion.usage, true), (ProtocolVersion.usage - 1, false)]
    )
    func versions(version: UInt16, isTold: Bool) {
        let usage = AttemptUsage(processorMicroseconds: 7, peakMemory: 8)
        var driver = SessionDriver()
        driver.connect()
        driver.welcome(protocolVersion: version)
        driver.receive(.dispatch(batch([token(1)])))
        var ended = result()
        ended.usage = usage
        let completions = driver.turn(.attemptFinished(token(1), ended)).completions
        #expect(completions.map(\.result.usage) == [isTold ? usage : nil])
    }

    @Test("An upgraded coordinator is told what an attempt used that ended before the upgrade")
    func upgrade() {
        let usage = AttemptUsage(processorMicroseconds: 7, peakMemory: 8)
        var driver = SessionDriver()
        driver.connect()
        driver.welcome(protocolVersion: ProtocolVersion.usage - 1)
        driver.receive(.dispatch(batch([token(1)])))
        driver.turn(.connectionLost)
        var ended = result()
        ended.usage = usage
        driver.turn(.attemptFinished(token(1), ended))
        driver.connect()
        let completions = driver.welcome(protocolVersion: ProtocolVersion.usage).completions
        #expect(completions.map(\.result.usage) == [usage])
    }
}
