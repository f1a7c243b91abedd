@_spi(Baton) import BatonClient
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// What the machine asks for and cannot do itself, because it may run the code of others, which may ask the machine in turn.
enum Errand: Sendable {
    /// Tell a client the outcome of a request.
    case answer(@Sendable (Result<Reply, ClientError>) -> Void, Result<Reply, ClientError>)
    /// Start an attempt of a Swift operation.
    case start(TypedAttempt, OperationTypes.Function, argument: [UInt8], worker: String)
    /// End an attempt early.
    case end(TypedAttempt, TypedAttempt.Cause)

    func carryOut() {
        switch self {
        case .answer(let completion, let result): completion(result)
        case .start(let attempt, let function, let argument, let worker):
            attempt.start(function, argument: argument, worker: worker, token: nil)
        case .end(let attempt, let cause): attempt.end(for: cause)
        }
    }
}
