import Synchronization
public import BatonWire
import BatonZeroMQ

/// A client's connection to a coordinator: requests from any task, answers to whoever asked.
///
/// One thread owns the socket. The connection is made with the first request. Where it is lost, or nothing is heard any
/// more, it is made anew and what is outstanding is asked again, so that a coordinator may be restarted meanwhile (WA8);
/// only a submission without a key is not sent twice.
public final class ClientConnection: Sendable {
    /// The coordinator's address.
    public let endpoint: String

    private let mailbox: Mailbox<ClientLoop.Command>
    private let isOpen = Mutex(true)
    private let numbers = Atomic<UInt64>(0)

    /// Prepares a connection; nothing is sent before the first request.
    ///
    /// - Parameters:
    ///   - endpoint: the coordinator's address, such as `tcp://127.0.0.1:7461`.
    ///   - options: how patient to be.
    ///   - onNotice: called on the connection's thread when the coordinator goes away and comes back while an answer is
    ///     outstanding; it must be quick.
    /// - Throws: ``ClientError`` `system` where no thread or descriptor is left.
    public init(
        endpoint: String,
        options: ClientOptions,
        onNotice: @escaping @Sendable (ClientNotice) -> Void = { _ in }
    ) throws(ClientError) {
        self.endpoint = endpoint
        do {
            mailbox = try Mailbox()
        } catch {
            throw .system("Cannot prepare a connection to \(endpoint): \(error)")
        }
        let loop = ClientLoop(endpoint: endpoint, options: options, mailbox: mailbox, onNotice: onNotice)
        try startClientThread(with: loop)
    }

    deinit { close() }

    /// Ends the connection; requests that are outstanding fail, and so do later ones.
    ///
    /// Closing it twice is harmless.
    public func close() {
        isOpen.withLock { isOpen in
            if isOpen { mailbox.post(.stop) }
            isOpen = false
        }
    }

    /// Asks the coordinator.
    ///
    /// - Parameters:
    ///   - request: what to ask.
    ///   - timeout: how long to wait for the answer, reconnections included; nil for as long as the coordinator is there
    ///     or comes back within ``ClientOptions/awayLimit``.
    /// - Returns: the answer, which is never ``Reply/refused(_:)``.
    /// - Throws: ``ClientError``, with `refused` where the coordinator refuses the request.
    public func request(_ request: Request, timeout: Duration? = nil) async throws(ClientError) -> Reply {
        let number = numbers.add(1, ordering: .relaxed).newValue
        let bytes = ClientMessage.request(number, request).encoded()
        guard bytes.count <= WireLimits.maximumMessageLength else { throw .tooLarge(bytes.count) }
        let isRepeatable = request.isRepeatable
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let pending = PendingRequest(
                    number: number,
                    bytes: bytes,
                    isRepeatable: isRepeatable,
                    timeout: timeout,
                    deadline: timeout.map { ContinuousClock.now + $0 },
                    continuation: continuation
                )
                if !post(.ask(pending)) { pending.answer(.failure(.closed)) }
                // A cancellation from before the line above found nothing to forget.
                if Task.isCancelled { post(.forget(number)) }
            }
        } onCancel: {
            post(.forget(number))
        }
        if case .success(.refused(let refusal)) = result { throw .refused(refusal) }
        return try result.get()
    }

    /// Hands a command to the thread, and says whether there still is one.
    @discardableResult
    private func post(_ command: ClientLoop.Command) -> Bool {
        isOpen.withLock { isOpen in
            if isOpen { mailbox.post(command) }
            return isOpen
        }
    }
}
