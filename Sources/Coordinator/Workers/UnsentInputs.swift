@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ

/// Inputs that a worker has requested and not received yet.
struct UnsentInputs: Sendable {
    /// The operation that needs the inputs.
    var operation: OperationID
    /// The attempt that waits for the inputs.
    var token: AttemptToken
    /// The worker's session.
    var session: SessionID
    /// The sources of the inputs; nil until the record has been asked.
    var sources: [ResultSource]?
    /// The number of sources already sent.
    var sent = 0

    /// The receiver of the message in the making, for which room is reserved.
    var peer: RoutingID?

    /// The most bytes of inputs in one message, unless a single input is longer.
    static let mostOfMessage = 1 << 20
    /// The bytes reserved for a message in the making, since most inputs are short.
    static let expectedLength = 256 << 10
    /// The bytes that a worker may always have, whatever the clients have.
    static let shareOfWorker = 1 << 20
}
