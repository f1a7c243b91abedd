import Synchronization
@_spi(Baton) import BatonWire

/// A request for a piece of a file that was sent ahead of its turn, and is given up with the object.
final class PieceRequest: Sendable {
    /// The request.
    let content: Request
    /// The number of bytes that it asks for.
    let length: Int
    private let channel: any RequestChannel
    private let number: UInt64
    private let outcome: PieceOutcome

    /// Sends the request.
    init(_ content: Request, length: Int, over channel: any RequestChannel, timeout: Duration?) {
        let outcome = PieceOutcome()
        self.content = content
        self.length = length
        self.channel = channel
        self.outcome = outcome
        number = channel.send(content, timeout: timeout) { outcome.put($0) }
    }

    deinit { channel.forget(number) }

    /// Waits for the answer; to be called once.
    ///
    /// The cancellation of the task ends the wait.
    func answer() async -> Result<Reply, ClientError> {
        await withTaskCancellationHandler {
            await outcome.wait()
        } onCancel: {
            channel.forget(number)
        }
    }
}

/// The answer to a request for a piece, before or after somebody waits for it.
private final class PieceOutcome: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Result<Reply, ClientError>, Never>)
        case known(Result<Reply, ClientError>)
    }

    private let state = Mutex(State.open)

    /// Notes the answer.
    func put(_ answer: Result<Reply, ClientError>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Reply, ClientError>, Never>? in
            defer { state = .known(answer) }
            return if case .awaited(let continuation) = state { continuation } else { nil }
        }
        waiting?.resume(returning: answer)
    }

    /// Waits for the answer.
    func wait() async -> Result<Reply, ClientError> {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Result<Reply, ClientError>? in
                if case .known(let answer) = state { return answer }
                state = .awaited(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
