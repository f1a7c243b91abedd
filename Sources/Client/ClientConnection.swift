@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonThreads
@_spi(Baton) public import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A client's connection to a coordinator, or to the one of several that leads, which any task may send requests on.
///
/// One thread owns the socket. The first request opens the connection. When the connection is lost or silent for too long,
/// the thread opens a new connection and sends the outstanding requests again, so that a coordinator may restart in between
/// (WA8). A submission without a key gets one for this (D14). An addition that is sent without a key and an added command are the
/// exception: neither is repeated once the coordinator may have read the request.
@_spi(Baton) public final class ClientConnection: RequestChannel {
    /// The coordinator's address, or the addresses of several with commas between them.
    public let endpoint: String

    private let mailbox: PolledMailbox<ClientLoop.Command>
    private let isOpen = Mutex(true)
    private let numbers = Atomic<UInt64>(0)

    /// Prepares a connection; the first request opens the socket.
    ///
    /// - Parameters:
    ///   - endpoint: the coordinator's address, such as `tcp://127.0.0.1:7461`, or those of several of which one leads, with commas
    ///     between them. A malformed one fails the requests.
    ///   - options: the time limits of the connection.
    ///   - onNotice: called on the connection's thread when the coordinator goes away and comes back while a request is
    ///     outstanding; the closure must return quickly.
    /// - Throws: ``ClientError`` `system` if the system has no thread or descriptor left.
    public init(
        endpoint: String,
        options: ClientOptions,
        onNotice: @escaping @Sendable (ClientNotice) -> Void = { _ in }
    ) throws(ClientError) {
        let endpoint = EndpointList(asGiven: endpoint).description
        self.endpoint = endpoint
        do {
            mailbox = try PolledMailbox()
        } catch {
            throw .system("Cannot prepare a connection to \(endpoint): \(error)")
        }
        let loop = ClientLoop(endpoint: endpoint, options: options, mailbox: mailbox, onNotice: onNotice)
        do {
            try SystemThread.detach(named: "connection") { loop.run() }
        } catch {
            throw .system("Cannot start a thread for the connection: error \(error.code). Raise the limit (ulimit -u).")
        }
    }

    deinit { close() }

    /// Closes the connection; outstanding and later requests fail.
    ///
    /// A second call has no effect.
    public func close() {
        isOpen.withLock { isOpen in
            if isOpen { mailbox.post(.stop) }
            isOpen = false
        }
    }

    /// Sends a request without waiting for the reply.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - timeout: how long the reply may take, reconnections included; nil for as long as the coordinator is present or comes
    ///     back within ``ClientOptions/awayLimit``.
    ///   - completion: called once, with the reply or the reason for its absence, on the connection's thread, or on the calling
    ///     thread if the request was not sent; the closure must return quickly.
    /// - Returns: the number of the request, for ``forget(_:)``.
    @discardableResult
    public func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        let number = numbers.add(1, ordering: .relaxed).newValue
        var message = request
        if case .submit(var submission) = request {
            submission.takeOwnKey()
            message = .submit(submission)
        }
        let bytes = ClientMessage.request(number, message).encoded()
        guard bytes.count <= WireLimits.maximumMessageLength else {
            completion(.failure(.tooLarge(bytes.count)))
            return number
        }
        let pending = PendingRequest(
            number: number,
            bytes: bytes,
            isRepeatable: message.isRepeatable,
            isRepeatableByCaller: message.isRepeatableByCaller,
            isChange: request.isChange,
            timeout: timeout,
            deadline: timeout.map { ContinuousClock.now + $0 },
            completion: completion
        )
        if !post(.ask(pending)) { pending.answer(.failure(.closed)) }
        return number
    }

    /// Gives up a request: its completion gets the error `cancelled`, unless the reply came first.
    public func forget(_ number: UInt64) {
        post(.forget(number))
    }

    /// Hands a command to the thread; returns whether the connection is still open.
    @discardableResult
    private func post(_ command: ClientLoop.Command) -> Bool {
        isOpen.withLock { isOpen in
            if isOpen { mailbox.post(command) }
            return isOpen
        }
    }
}
