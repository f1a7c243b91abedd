import BatonOperations
import BatonWire

/// A request that has no answer yet.
struct PendingRequest: Sendable {
    /// The number that its answer will carry.
    let number: UInt64
    /// The message, kept so that it can be sent again.
    let bytes: [UInt8]
    /// Whether asking twice does what asking once does.
    let isRepeatable: Bool
    /// How long the caller waits, and until when.
    let timeout: Duration?
    let deadline: ContinuousClock.Instant?
    /// Whoever asked.
    let continuation: CheckedContinuation<Result<Reply, ClientError>, Never>
    /// Whether it was given to the present socket.
    var isSent = false
    /// Whether the coordinator may have read it on a connection that is no more, or may do so on the present one.
    var mayHaveArrived = false

    func answer(_ result: Result<Reply, ClientError>) {
        continuation.resume(returning: result)
    }
}

extension Request {
    /// Whether the request may be sent again where its answer is missing: neither a submission without a key, nor what adds.
    var isRepeatable: Bool {
        switch self {
        case .submit(let submission): submission.key != nil
        case .addCommand: false
        case .wait, .cancel, .hold, .release, .setPriority, .depend, .undepend, .retry, .reportProgress, .setQueue,
            .watch,
            .document, .log, .result:
            true
        }
    }
}
