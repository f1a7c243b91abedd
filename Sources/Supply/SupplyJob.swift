/// A job of a supply as the batch system lists it.
@_spi(Baton) public struct SupplyJob: Hashable, Sendable {
    /// The state of a job.
    public enum State: Hashable, Sendable {
        /// It waits, for a reason in the words of the batch system; nil without a reason.
        case queued(reason: String?)
        /// It has a host, or is about to.
        case running
        /// It has ended, as the batch system's word says.
        case ended(String)
    }

    /// The job's number or name in the batch system.
    public var id: String
    /// The job's comment.
    public var comment: SupplyComment
    /// The job's state.
    public var state: State

    /// Describes a job.
    public init(id: String, comment: SupplyComment, state: State) {
        self.id = id
        self.comment = comment
        self.state = state
    }
}
