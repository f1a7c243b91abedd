import Synchronization
@_spi(Baton) public import BatonWire

/// The way of a client's requests to a coordinator, and of the replies back.
///
/// A ``ClientConnection`` is a channel to a process; another channel may lead to a coordinator in the same process.
@_spi(Baton) public protocol RequestChannel: Sendable {
    /// The coordinator's address, for messages.
    var endpoint: String { get }

    /// Sends a request without waiting for the reply.
    ///
    /// Requests reach the coordinator in the order of the calls, unless a connection is lost in between.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - timeout: how long the reply may take; nil without a limit of the caller's own.
    ///   - completion: called once, with the reply or the reason for its absence, on any thread; the closure must return quickly.
    /// - Returns: the number of the request, for ``forget(_:)``.
    @discardableResult
    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64

    /// Gives up a request: its completion gets the error `cancelled`, unless the reply came first.
    func forget(_ number: UInt64)

    /// Closes the channel; outstanding and later requests fail. A second call has no effect.
    func close()
}

@_spi(Baton) extension RequestChannel {
    /// Sends a request and waits for the reply.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - timeout: how long to wait for the reply, reconnections included; nil without a limit of the caller's own.
    /// - Returns: the reply, never ``Reply/refused(_:)``.
    /// - Throws: ``ClientError``; `refused` if the coordinator refuses the request, and `cancelled` if the task is cancelled.
    public func request(_ request: Request, timeout: Duration? = nil) async throws(ClientError) -> Reply {
        let place = RequestPlace()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let number = send(request, timeout: timeout) { continuation.resume(returning: $0) }
                if place.note(number) { forget(number) }
            }
        } onCancel: {
            if let number = place.cancel() { forget(number) }
        }
        if case .success(.refused(let refusal)) = result { throw .refused(refusal, request) }
        return try result.get()
    }
}

/// The number of a request whose task may be cancelled before the request has a number.
private final class RequestPlace: Sendable {
    private let state = Mutex<(number: UInt64?, isCancelled: Bool)>((nil, false))

    /// Notes the number; returns whether the task was cancelled before.
    func note(_ number: UInt64) -> Bool {
        state.withLock { state in
            state.number = number
            return state.isCancelled
        }
    }

    /// Notes the cancellation; returns the number, if the request has one already.
    func cancel() -> UInt64? {
        state.withLock { state in
            state.isCancelled = true
            return state.number
        }
    }
}
