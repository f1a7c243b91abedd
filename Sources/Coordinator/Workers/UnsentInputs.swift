@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ

/// Inputs that a worker has requested and not received yet.
struct UnsentInputs: Sendable {
    /// The form in which the worker wants the inputs.
    enum Form: Sendable {
        /// Files for commands, with what those of elements are called by.
        case files(InputNaming)
        /// Values for a Swift operation.
        case typed
    }

    /// The sources of inputs, by their form.
    enum Sources: Sendable {
        /// The dependencies that left results, and the files that dependencies left.
        case files(OperationInputs)
        /// All dependencies.
        case typed([FinishedDependency])
    }

    /// The operation that needs the inputs.
    var operation: OperationID
    /// The attempt that waits for the inputs.
    var token: AttemptToken
    /// The worker's session.
    var session: SessionID
    /// The form of the inputs.
    var form: Form
    /// The sources of the inputs; nil until the record has been asked.
    var sources: Sources?
    /// Whether the worker knows of the files that dependencies left.
    var knowsFiles = false
    /// The number of files already named to the worker, which fetches them itself.
    var sentFiles = 0
    /// The number of sources already sent, of those with bytes.
    var sent = 0
    /// Whether the last message is made.
    var isOver = false

    /// The receiver of the message in the making, for which room is reserved.
    var peer: RoutingID?

    /// The most bytes of inputs in one message, unless a single input is longer.
    static let mostOfMessage = 1 << 20
    /// The bytes that an input counts for besides its result, so that a message with many short inputs has an end, too.
    static let overhead = 64
    /// The bytes reserved for a message in the making, since most inputs are short.
    static let expectedLength = 256 << 10
    /// The bytes that a worker may always have, whatever the clients have.
    static let shareOfWorker = 1 << 20
}
