/// An event of a supply, for people and programs that watch the supply.
@_spi(Baton) public struct SupplyNote: Hashable, Sendable {
    /// What has happened.
    public enum Kind: String, CaseIterable, Sendable {
        /// A job was submitted.
        case submitted
        /// A job of an earlier run of the supply was found.
        case found
        /// The reason why a job waits has changed.
        case waits
        /// The worker of a job has joined the cluster.
        case joined
        /// A job has ended after its worker had joined, or was cancelled.
        case ended
        /// A surplus job is cancelled.
        case cancelled
        /// A submission was refused, or a job has ended before its worker joined.
        case failed
    }

    /// What has happened.
    public var kind: Kind
    /// The job; nil if there is none.
    public var job: String?
    /// The sentence for people.
    public var message: String

    /// Describes what has happened.
    public init(_ kind: Kind, job: String?, _ message: String) {
        self.kind = kind
        self.job = job
        self.message = message
    }
}
