public import BatonOperations

/// An attempt for a worker to run.
///
/// The order of the fields leaves few gaps: effects are copied often, and an assignment is the largest effect.
public struct Assignment: Hashable, Sendable {
    /// The worker's session.
    public var session: SessionID
    /// The attempt's token.
    public var token: AttemptToken
    /// The attempt's operation.
    public var operation: OperationID
    /// The work to run.
    public var work: Work
    /// Whether dependencies left results.
    public var hasInputs: Bool
    /// The operation's class, or else the class of the queue (QO3); nil if neither has a class.
    public var qualityOfService: QualityOfService?
    /// The outcome of the operation, for a completion hook; nil if the attempt runs the operation itself.
    public var hookOutcome: Outcome?
    /// The number of the attempt among the attempts of the operation, from 1.
    public var attempt: UInt32
    /// The position in the order of starts at the worker: a lower turn starts first, even if the attempt arrives later.
    public var turn: UInt64
    /// The operation's name, if any.
    public var name: String?
    /// The name of the operation's queue.
    public var queue: String
    /// The template of the work, as a position in the job's templates; nil if the work comes from no template.
    ///
    /// Attempts of the same job and template share their work.
    public var template: Int?
    /// The number of the array element; nil for other operations.
    public var arrayNumber: Int64?
    /// The item of the array element; nil for other operations.
    public var arrayItem: String?
}
