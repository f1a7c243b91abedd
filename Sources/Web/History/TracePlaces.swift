import Synchronization

/// The places for traces that are made or sent at the same time: each takes some megabytes of memory, and room for a temporary
/// file.
///
/// A client that takes its trace slowly loses its place once another one needs it, so that slow clients keep no other one from
/// its trace.
final class TracePlaces: Sendable {
    /// A place, which is free again when nobody holds it any more, or when another one has got it.
    final class Place: Sendable {
        private let places: TracePlaces
        private let number: Int

        fileprivate init(_ places: TracePlaces, _ number: Int) {
            self.places = places
            self.number = number
        }

        deinit { places.state.withLock { $0.holders[number] = nil } }

        /// Notes that the trace is made, and from now on depends on the client.
        ///
        /// - Parameter leave: ends the trace of a slow client; called once at most, on any thread.
        func beginSending(whenLost leave: @escaping @Sendable () -> Void) {
            let now = places.now()
            places.state.withLock { $0.holders[number]?.sending = Sending(start: now, leave: leave) }
        }

        /// Notes bytes that the client has taken.
        func note(sent count: Int) {
            places.state.withLock { $0.holders[number]?.sending?.byteCount += count }
        }
    }

    private struct Sending {
        let start: ContinuousClock.Instant
        let leave: @Sendable () -> Void
        var byteCount = 0
    }

    private struct Holder {
        /// The sending of the trace; nil while the trace is made.
        var sending: Sending?
    }

    private struct State {
        var holders: [Int: Holder] = [:]
        var newest = 0
    }

    /// How long a client has its place at least, whatever it takes.
    static let leastTime = Duration.seconds(10)
    /// The bytes per second of a client that nobody calls slow.
    static let leastRate = 256 << 10

    private let most: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Makes places, all free.
    init(most: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now }) {
        self.most = most
        self.now = now
    }

    /// A free place, or that of the slowest client; nil if all are taken and none of their clients is slow.
    func take() -> Place? {
        let now = now()
        let (number, leave) = state.withLock { state -> (Int?, (@Sendable () -> Void)?) in
            var leave: (@Sendable () -> Void)?
            if state.holders.count >= most {
                guard let slowest = Self.slowest(of: state.holders, now) else { return (nil, nil) }
                leave = state.holders.removeValue(forKey: slowest)?.sending?.leave
            }
            state.newest += 1
            state.holders[state.newest] = Holder()
            return (state.newest, leave)
        }
        leave?()
        return number.map { Place(self, $0) }
    }

    /// The holder whose client has taken the fewest bytes in a second; nil if no client is slow.
    private static func slowest(of holders: [Int: Holder], _ now: ContinuousClock.Instant) -> Int? {
        let rates = holders.compactMap { number, holder -> (number: Int, rate: Double)? in
            guard let sending = holder.sending, now - sending.start >= leastTime else { return nil }
            return (number, Double(sending.byteCount) / ((now - sending.start) / .seconds(1)))
        }
        return rates.filter { $0.rate < Double(leastRate) }.min { ($0.rate, $0.number) < ($1.rate, $1.number) }?.number
    }
}
