@_spi(Baton) public import BatonOperations

/// The decision that a worker runs an attempt.
@_spi(Baton) public struct Dispatch: Hashable, Sendable {
    /// The worker's session.
    public var session: SessionID
    /// The attempt.
    public var assignment: Assignment
    /// The work to run.
    public var work: Work
    /// The name of the operation's queue.
    public var queue: String
    /// The template of the work, as a position in the job's templates; nil if the work comes from no template.
    ///
    /// Attempts of the same job and template share their work.
    public var template: Int?
}
