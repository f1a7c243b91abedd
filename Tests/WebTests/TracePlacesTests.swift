import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The places for traces", .timeLimit(.minutes(60)))
struct TracePlacesTests {
    /// A time that the test sets.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock().now)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func advance(by seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
    }

    private let clock = Clock()

    private func places(most: Int) -> TracePlaces {
        TracePlaces(most: most) { [clock] in clock.now }
    }

    @Test("A place is free again when nobody holds it", arguments: [1, 4])
    func free(most: Int) {
        let places = places(most: most)
        var held = (0..<most).compactMap { _ in places.take() }
        #expect(held.count == most && places.take() == nil)
        clock.advance(by: 1_000)
        // What is still made depends on no client.
        #expect(places.take() == nil)
        held.removeLast()
        #expect(places.take() != nil)
        #expect(places.take() != nil)
    }

    @Test("Of clients that are slow for some time, the slowest loses its place to another", arguments: [0, 1, 2])
    func slow(slowest: Int) throws {
        let places = places(most: 3)
        let lost = Latch<Int>()
        let held = try (0..<3).map { number in
            let place = try #require(places.take())
            place.beginSending { lost.set(number) }
            return place
        }
        for (number, place) in held.enumerated() { place.note(sent: number == slowest ? 1 : 10) }
        clock.advance(by: 9)
        #expect(places.take() == nil)
        clock.advance(by: 1)
        #expect(!lost.isSet)
        let other = try #require(places.take())
        #expect(try lost.wait() == slowest)
        // What the loser does later has no effect on the place of the other.
        held[slowest].note(sent: 1 << 30)
        other.beginSending {}
        clock.advance(by: 10)
        other.note(sent: 10 * TracePlaces.leastRate)
        withExtendedLifetime(held) { #expect(places.take() != nil) }
    }

    @Test("A client that takes enough keeps its place")
    func fast() throws {
        let places = places(most: 1)
        let place = try #require(places.take())
        let lost = Latch<Void>()
        place.beginSending { lost.open() }
        clock.advance(by: 100)
        place.note(sent: 100 * TracePlaces.leastRate)
        withExtendedLifetime(place) {
            #expect(places.take() == nil && !lost.isSet)
            clock.advance(by: 1)
            #expect(places.take() != nil && lost.isSet)
        }
    }
}
