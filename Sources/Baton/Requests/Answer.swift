import Synchronization

/// A value that comes once, for a task that may be cancelled while it waits.
private final class Answer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case over(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    /// Gives the value; a second call has no effect.
    func give(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open:
                state = .over(result)
                return nil
            case .awaited(let continuation):
                state = .over(result)
                return continuation
            case .over:
                return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Waits for the value; to be called once.
    func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value, any Error>? in
                if case .over(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}

/// Asks for something, and waits for the answer.
///
/// - Parameter ask: asks, with a closure that takes the answer on any thread.
/// - Throws: the error of the answer, and `CancellationError` if the task is cancelled first; the answer then has no effect.
func answer<Value: Sendable>(
    _ ask: (_ completion: @escaping @Sendable (Result<Value, ClusterError>) -> Void) -> Void
) async throws -> Value {
    let answer = Answer<Value>()
    ask { result in answer.give(result.mapError { $0 }) }
    return try await withTaskCancellationHandler {
        try await answer.value()
    } onCancel: {
        answer.give(.failure(CancellationError()))
    }
}
