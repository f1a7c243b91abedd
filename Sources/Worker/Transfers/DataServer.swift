@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Sends the files of this worker to other workers, which connect to it (FI11).
///
/// A worker with any key may connect. The coordinator permits the reading of a file by a ticket; a request without one gets no answer. The
/// connection needs the public key of this process, which the coordinator tells only to workers that are to read here. Only the thread for
/// files uses the server.
final class DataServer {
    /// The address to which other workers connect.
    let address: DataAddress
    private let socket: Socket
    /// Accepts all keys; nil without keys.
    private let authenticator: Authenticator?
    private let poller: Poller
    private let sources: [Poller.Source]
    private let reader: PieceReader
    private let letters: PolledMailbox<FileLoop.Letter>
    private let logger: Logger
    private var tickets = ReaderTickets()
    private var serving = DirectServing()

    /// The most messages and handshakes of one turn.
    private static let messagesPerTurn = 64
    /// The most messages of a connection that wait here: beyond, the other end waits.
    private static let mostUnread = 2 * DirectServing.mostRequests
    /// The longest frame to receive: those of a handshake are longer than requests.
    private static let longestFrame = 4 << 10
    /// The domain in which keys are checked.
    private static let domain = "baton-data"

    /// Listens at an address.
    ///
    /// - Parameters:
    ///   - endpoint: where to listen.
    ///   - hasKeys: whether the connections are encrypted, with a pair of keys that ends with the process.
    ///   - context: the context of the thread, in which no other authenticator is.
    /// - Throws: `ZeroMQError` if the address is in use or not one of this host, or libzmq has no CURVE.
    init(
        at endpoint: DataEndpoint,
        hasKeys: Bool,
        giving store: FileStore,
        in context: Context,
        poller: Poller,
        letters: PolledMailbox<FileLoop.Letter>,
        logger: Logger
    ) throws(ZeroMQError) {
        let key = try hasKeys ? CurveKeyPair.generate() : nil
        // Before the socket is bound: a handshake without it would fail.
        authenticator = try hasKeys ? Authenticator(context: context) : nil
        var options = SocketOptions()
        options.maximumMessageSize = Self.longestFrame
        options.receiveHighWaterMark = Self.mostUnread
        if let key { options.security = .curveServer(secretKey: key.secretKey, domain: Self.domain) }
        socket = try Socket(.router, in: context, options: options)
        try socket.bind(endpoint.listening)
        let place = endpoint.announced(boundTo: try socket.lastEndpoint)
        guard let address = place.flatMap({ DataAddress(endpoint: $0, publicKey: key?.publicKey.bytes) }) else {
            throw ZeroMQError(code: EINVAL, call: "zmq_bind", subject: endpoint.listening)
        }
        self.address = address
        self.poller = poller
        sources = [poller.add(socket)] + (authenticator.map { [poller.add($0)] } ?? [])
        reader = PieceReader(store)
        self.letters = letters
        self.logger = logger
    }

    /// Whether a piece can be sent now.
    var canServe: Bool { serving.canServe }

    // MARK: - Tickets

    /// Admits the reader that shows a ticket, for one file.
    func admit(_ ticket: ReaderTicket, to digest: ContentDigest, for patience: Duration, at now: Duration) {
        tickets.admit(ticket, to: digest, for: patience, at: now)
    }

    /// Ends all tickets, with the session in which they were given.
    func endSession() {
        tickets.removeAll()
        serving.forgetAll()
    }

    // MARK: - Requests and answers

    /// Takes handshakes and requests in.
    func receive(at now: Duration) throws(ZeroMQError) {
        guard sources.contains(where: { poller.isReadable($0) }) else { return }
        _ = try authenticator?.answerPending(limit: Self.messagesPerTurn) { _ in .accepted(userID: "reader") }
        for _ in 0..<Self.messagesPerTurn {
            guard let routed = try socket.receiveRouted() else { return }
            let peer = routed.sender
            let request = routed.message.withUnsafeBytes { try? DirectRequest(decoding: $0) }
            guard let request, tickets.use(request.ticket, for: request.digest, at: now) else {
                logger.debug("another worker requests a file without a ticket", metadata: ["peer": "\(peer)"])
                continue
            }
            if !serving.add(request, from: peer) {
                logger.debug("another worker requests too many bytes at a time", metadata: ["peer": "\(peer)"])
            }
        }
    }

    /// Gives the next piece, if there is one to give.
    func serve() throws(ZeroMQError) {
        guard let (peer, request) = serving.takeNext() else { return }
        let message = reader.message(
            with: request.number,
            of: request.digest,
            from: request.offset,
            limit: request.limit
        )
        let count = message.count
        let result = try socket.send(message, to: peer) { [letters] in letters.post(.freedDirectly(count, of: peer)) }
        switch result {
        case .sent: serving.handed(count, to: peer)
        case .wouldBlock, .unroutable: serving.forget(peer)
        }
    }

    /// Notes that libzmq has freed bytes of answers.
    func freed(_ count: Int, of peer: RoutingID) { serving.freed(count, of: peer) }

    /// Gives nothing any more.
    func close() {
        for source in sources { poller.remove(source) }
        socket.close()
        authenticator?.close()
    }
}
