/// The limits of a supply: the number of workers, times, and the number of failures.
@_spi(Baton) public struct SupplySettings: Hashable, Sendable {
    /// The most jobs that may wait in the batch system at once, at least 1.
    public var backlog: Int
    /// The most jobs that may wait or run at once, at least 1.
    public var maximumWorkers: Int
    /// How long jobs have to be surplus before their cancellation, so that a short lull does not cost a place in line.
    public var surplusPatience = Duration.seconds(60)
    /// How long a job may take to appear in the list after a submission without a known outcome.
    public var appearance = Duration.seconds(60)
    /// The time after a first failure; it doubles with each further one.
    public var firstPause = Duration.seconds(1)
    /// The longest time after a failure.
    public var longestPause = Duration.seconds(60)
    /// The number of failures in a row after which a supply without any job ends.
    public var mostFailures = 5

    /// Sets the limits.
    public init(backlog: Int = 1, maximumWorkers: Int = 10) {
        self.backlog = max(1, backlog)
        self.maximumWorkers = max(1, maximumWorkers)
    }

    /// The time to wait after some failures in a row.
    public func pause(afterFailures failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        // More doublings would exceed any longest pause, and finally the range of numbers.
        return min(longestPause, firstPause * (1 << min(failures - 1, 20)))
    }
}
