@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("Lateness of the coordinator")
struct LatenessTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(rawValue: milliseconds * 1000) }

    @Test("A coordinator that was stopped waits one second for messages before it acts on its clock")
    func stopped() {
        var lateness = Lateness(at: at(0))
        lateness.wokeUp(at: at(1999), expected: at(1000))
        #expect(lateness.allowsClock(at: at(1999), isDrained: true))
        lateness.wokeUp(at: at(60_000), expected: at(2000))
        #expect(!lateness.allowsClock(at: at(60_999), isDrained: true))
        #expect(lateness.allowsClock(at: at(61_000), isDrained: true))
        #expect(lateness.clockFrom == at(61_000))
    }

    @Test("A coordinator that worked for long on one message reads the others before it acts on its clock")
    func longTurn() {
        var lateness = Lateness(at: at(0))
        lateness.drained(at: at(0))
        lateness.wokeUp(at: at(10), expected: at(10))
        lateness.worked(from: at(10), to: at(48_000))
        #expect(!lateness.allowsClock(at: at(48_000), isDrained: false))
        #expect(!lateness.allowsClock(at: at(48_999), isDrained: true))
        #expect(lateness.allowsClock(at: at(49_000), isDrained: true))
        lateness.worked(from: at(49_000), to: at(50_000))
        #expect(lateness.allowsClock(at: at(50_000), isDrained: true))
    }

    @Test("After a silence of its own, however short, a coordinator reads what has come before it acts on its clock")
    func silence() {
        for length in [1, 400, 1000] as [Int64] {
            var lateness = Lateness(at: at(0))
            lateness.wasSilent(from: at(5000), to: at(5000 + length))
            #expect(!lateness.allowsClock(at: at(5000 + length), isDrained: false))
            #expect(lateness.allowsClock(at: at(5000 + length), isDrained: true))
            #expect(lateness.allowsClock(at: at(6000 + length), isDrained: false))
        }
        var lateness = Lateness(at: at(0))
        lateness.wasSilent(from: at(5000), to: at(7000))
        #expect(!lateness.allowsClock(at: at(7999), isDrained: true))
        #expect(lateness.allowsClock(at: at(8000), isDrained: false))
    }

    @Test("A coordinator with unread messages puts off expired timers for at most one second")
    func undrained() {
        var lateness = Lateness(at: at(0))
        lateness.drained(at: at(500))
        #expect(!lateness.allowsClock(at: at(1499), isDrained: false))
        #expect(lateness.allowsClock(at: at(1499), isDrained: true))
        #expect(lateness.allowsClock(at: at(1500), isDrained: false))
    }
}
