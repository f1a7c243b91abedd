@_spi(Baton) import BatonOperations

/// The starts of a queue with a rate: a bucket of tokens, one for each start, which fills at the rate (CO10).
///
/// One moment stands for the bucket: that at which it is full again.
struct StartPace: Sendable {
    private let rate: StartRate
    /// The moment at which the bucket is full, if nothing starts until then.
    private var fullAt = Timestamp(rawValue: .min)
    /// The moment from which the next operation may start; nil if it may start at once.
    private(set) var waitsUntil: Timestamp?

    /// A full bucket.
    init(_ rate: StartRate) { self.rate = rate }

    /// Takes the token of a start.
    mutating func start(at now: Timestamp) {
        fullAt = max(fullAt, now) + .microseconds(rate.interval)
        let next = fullAt.before(microseconds: (rate.burst - 1) * rate.interval)
        waitsUntil = next > now ? next : nil
    }

    /// Ends the wait for a moment; false if the pace waits for another moment, or for none.
    mutating func endWait(for moment: Timestamp) -> Bool {
        guard waitsUntil == moment else { return false }
        waitsUntil = nil
        return true
    }
}
