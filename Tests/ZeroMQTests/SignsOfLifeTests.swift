import Testing

@_spi(Baton) @testable import BatonZeroMQ

@Suite("Signs of life in the bytes of a connection")
struct SignsOfLifeTests {
    private static let start = ContinuousClock.now
    private var signs = SignsOfLife()

    /// A look after a time, at a connection on which nothing has arrived since the start.
    private mutating func age(after time: Duration, acknowledged: UInt64, backlog: Int) -> Duration {
        let activity = ConnectionActivity(
            timeSinceArrival: time,
            acknowledged: acknowledged,
            backlog: backlog,
            roundTrip: .zero
        )
        return signs.age(in: activity, at: Self.start + time)
    }

    @Test("Without other signs, the peer was alive when its bytes arrived")
    mutating func arrival() {
        #expect(age(after: .seconds(1), acknowledged: 0, backlog: 0) == .seconds(1))
        #expect(age(after: .seconds(2), acknowledged: 0, backlog: 0) == .seconds(2))
    }

    @Test("Acknowledged bytes of a backlog are a sign of life from the second look on, and until they stop")
    mutating func backlog() {
        #expect(age(after: .seconds(1), acknowledged: 50_000, backlog: 1 << 20) == .seconds(1))
        #expect(age(after: .seconds(2), acknowledged: 50_001, backlog: 1 << 20) == .zero)
        // The last bytes of the backlog count as well.
        #expect(age(after: .seconds(3), acknowledged: 1 << 21, backlog: 0) == .zero)
        #expect(age(after: .seconds(4), acknowledged: 1 << 21, backlog: 0) == .seconds(4))
    }

    @Test("A full buffer of a stopped peer, which takes nothing more, is no sign of life")
    mutating func fullBuffer() {
        for second in 1...5 {
            #expect(age(after: .seconds(second), acknowledged: 50_000, backlog: 1 << 20) == .seconds(second))
        }
    }

    @Test("Acknowledged heartbeats are no sign of life: a stopped peer's kernel takes them")
    mutating func smallMessages() {
        for second in 1...100 {
            let number = age(after: .seconds(second), acknowledged: UInt64(second) * 100, backlog: 300)
            #expect(number == .seconds(second))
        }
    }

    @Test("The first look after an arrival only remembers")
    mutating func newSilence() {
        #expect(age(after: .seconds(1), acknowledged: 1, backlog: 1 << 20) == .seconds(1))
        let later = ConnectionActivity(
            timeSinceArrival: .seconds(5),
            acknowledged: 2,
            backlog: 1 << 20,
            roundTrip: .zero
        )
        #expect(signs.age(in: later, at: Self.start + .seconds(60)) == .seconds(5))
    }
}
