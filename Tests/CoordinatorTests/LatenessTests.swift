import BatonOperations
import Testing

@testable import BatonCoordinator

@Suite("A coordinator that is late itself")
struct LatenessTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(rawValue: milliseconds * 1000) }

    @Test("One that was stopped gives messages the time to arrive before it looks at the clock")
    func stopped() {
        var lateness = Lateness(at: at(0))
        lateness.wokeUp(at: at(1999), expected: at(1000))
        #expect(lateness.allowsClock(at: at(1999), isDrained: true))
        lateness.wokeUp(at: at(60_000), expected: at(2000))
        #expect(!lateness.allowsClock(at: at(60_999), isDrained: true))
        #expect(lateness.allowsClock(at: at(61_000), isDrained: true))
        #expect(lateness.clockFrom == at(61_000))
    }

    @Test("One that has messages to read reads them first, but not for ever")
    func undrained() {
        var lateness = Lateness(at: at(0))
        lateness.drained(at: at(500))
        #expect(!lateness.allowsClock(at: at(1499), isDrained: false))
        #expect(lateness.allowsClock(at: at(1499), isDrained: true))
        #expect(lateness.allowsClock(at: at(1500), isDrained: false))
    }
}
