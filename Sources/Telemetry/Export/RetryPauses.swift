@_spi(Baton) import BatonOperations

/// The pauses before a request is sent again: twice as long each time, up to a bound, and shortened at random.
@_spi(Baton) public struct RetryPauses: Sendable {
    /// The first pause, before it is shortened.
    public static let first = Duration.seconds(1)
    /// The longest pause that no receiver has asked for.
    public static let longest = Duration.seconds(60)

    /// The number of failures since the last success.
    public private(set) var failures = 0
    private var random: SplitMix

    /// Begins without failures.
    ///
    /// - Parameter seed: the seed of the randomness, another one in each process, so that many do not come at once.
    public init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// The pause after a failure.
    ///
    /// - Parameter asked: the time that the receiver asks for, which is not shortened; at most ``ExportOutcome/longestPause`` counts.
    public mutating func next(asked: Duration?) -> Duration {
        let doubled = min(Self.first * (1 << min(failures, 16)), Self.longest)
        failures += 1
        let own = doubled / 2 + doubled * Int(random.next() % 1024) / 2048
        return max(own, min(asked ?? .zero, ExportOutcome.longestPause))
    }

    /// Notes a success.
    public mutating func reset() { failures = 0 }
}
