import BatonOperations
import BatonStore
import BatonZeroMQ

/// Inputs that a worker has asked for and was not sent yet.
struct UnsentInputs: Sendable {
    /// The operation whose inputs they are.
    var operation: OperationID
    /// The attempt that waits for them.
    var token: AttemptToken
    /// The worker's session.
    var session: SessionID
    /// What they are; nil until the record was asked.
    var sources: [ResultSource]?
    /// How many of those were sent.
    var sent = 0

    /// Where the message that is being made goes, for which room is set aside.
    var peer: RoutingID?

    /// How many bytes of inputs go into one message, unless it is one input.
    static let mostOfMessage = 1 << 20
    /// How many bytes are set aside for a message that is being made: most inputs are short.
    static let expectedLength = 256 << 10
    /// How many bytes a worker has room for whatever clients have.
    static let shareOfWorker = 1 << 20
}
