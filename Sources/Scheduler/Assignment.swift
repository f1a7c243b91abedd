public import BatonOperations

/// An attempt that a worker is to run.
///
/// Its fields stand in an order that leaves few gaps: effects, of which it is the largest, are copied often.
public struct Assignment: Hashable, Sendable {
    /// The worker's session.
    public var session: SessionID
    /// The attempt.
    public var token: AttemptToken
    /// The operation that it is an attempt of.
    public var operation: OperationID
    /// What to do.
    public var work: Work
    /// Whether dependencies left results.
    public var hasInputs: Bool
    /// Its class, or its queue's where it has none (QO3); nil is unset.
    public var qualityOfService: QualityOfService?
    /// How the operation ended, where this is its completion hook; nil where it is the operation itself.
    public var hookOutcome: Outcome?
    /// Which attempt of the operation it is, from 1.
    public var attempt: UInt32
    /// Its place in the order of starts at the worker: a lower one starts before a higher one, also where it arrives later.
    public var turn: UInt64
    /// The operation's name, where it has one.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// Which of its job's templates the work comes from: attempts of the same job and template share their work; nil where
    /// it comes from none.
    public var template: Int?
    /// The number of the array's element; nil where it is none.
    public var arrayNumber: Int64?
    /// The item of the array's element; nil where it is none.
    public var arrayItem: String?
}
