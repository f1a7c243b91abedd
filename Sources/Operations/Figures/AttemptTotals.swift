/// How many attempts have started, and how they have ended, since the record of the cluster was made: see ``ClusterTotals``.
@_spi(Baton) public struct AttemptTotals: Hashable, Sendable {
    /// The number of starts.
    public var started: UInt64 = 0
    /// The number of attempts that have done their work.
    public var succeeded: UInt64 = 0
    /// The number of attempts that have ended with an error.
    public var failed: UInt64 = 0
    /// The number of attempts that were ended because somebody had asked for it.
    public var cancelled: UInt64 = 0
    /// The number of attempts that were lost with their workers, or that their workers could not carry on.
    public var lost: UInt64 = 0
    /// The number of attempts that workers have returned before their start.
    public var givenBack: UInt64 = 0
    /// The number of attempts that were ended because their workers were stopped.
    public var stopped: UInt64 = 0

    /// Makes totals of no attempts.
    public init() {}
}
