/// The results of one look, first at the batch system and then at the cluster.
@_spi(Baton) public struct SupplyLook: Hashable, Sendable {
    /// The jobs of the supply in the batch system; nil if the supply has not asked, because it has no job.
    public var jobs: [SupplyJob]?
    /// The jobs whose workers the cluster knows, or has known lately.
    public var joined: Set<String>
    /// The number of further workers that would find work.
    public var wanted: Int

    /// Describes what was seen.
    public init(jobs: [SupplyJob]?, joined: Set<String> = [], wanted: Int) {
        self.jobs = jobs
        self.joined = joined
        self.wanted = max(0, wanted)
    }
}
