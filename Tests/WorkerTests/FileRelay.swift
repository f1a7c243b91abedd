@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonWorker

/// What stands between workers that move files: it passes each request on to one worker, and each piece back.
///
/// Confined to the test's thread.
final class FileRelay {
    let endpoint: String
    private let context: Context
    private let socket: Socket
    private let poller = Poller()
    /// The connections of the sessions, the latest of each.
    private(set) var peers: [SessionID: RoutingID] = [:]
    /// How many connections each session has had.
    private(set) var connections: [SessionID: Int] = [:]
    /// Where sessions give files directly.
    private(set) var addresses: [SessionID: DataAddress] = [:]
    /// How many bytes sessions have told to have received directly.
    private(set) var directBytes: [SessionID: UInt64] = [:]
    /// What is told of a session's address; nil does not tell it.
    var shownAddress: (DataAddress) -> DataAddress? = { $0 }
    /// The open requests, by the numbers of the relay.
    private var asked: [UInt64: RoutingID] = [:]
    /// The messages about the rest of a file that go to the reader before a piece, by the numbers of the relay.
    private var sources: [UInt64: [UInt8]] = [:]
    private(set) var requests = 0
    /// The messages of sessions, of which a bundle is one.
    private(set) var messages = 0
    /// What goes out at the end of a message, by its receiver.
    private var outgoing: [RoutingID: MessageBundle] = [:]
    private(set) var pieces = 0
    /// What becomes of a piece on its way; nil loses it.
    var change: (PassedPiece) -> PassedPiece? = { $0 }

    init(at endpoint: String = LoopbackAddress.unique()) throws {
        context = try Context()
        socket = try Socket(.router, in: context)
        try socket.bindPatiently(endpoint)
        self.endpoint = try socket.lastEndpoint
        _ = poller.add(socket)
    }

    /// Ends all connections; another relay may listen at the same address.
    func close() {
        socket.close()
        context.terminate()
    }

    /// Passes messages on until a condition holds.
    ///
    /// - Parameter holder: the session that is asked for pieces; nil if nobody has any.
    func run(asking holder: SessionID?, mailbox: PolledMailbox<WorkerLetter>? = nil, until isDone: () -> Bool) throws {
        let bell = mailbox.map { poller.add($0.bell) }
        defer { if let bell { poller.remove(bell) } }
        let deadline = ContinuousClock.now + FakeCoordinator.patience
        while !isDone() {
            guard ContinuousClock.now < deadline else { throw Overdue() }
            try poller.poll(timeout: .seconds(1))
            while let routed = try socket.receiveRouted() {
                messages += 1
                let bytes = routed.message.bytes
                let parts = try bytes.withUnsafeBytes { buffer in
                    try MessageBundle.isBundle(buffer) ? MessageBundle.parts(of: buffer) : [buffer.indices]
                }
                for part in parts { try take(Array(bytes[part]), from: routed.sender, asking: holder) }
                try sendBundles()
            }
        }
    }

    /// Sends a message with others that go to the same session.
    private func send(_ bytes: [UInt8], to peer: RoutingID) throws {
        if outgoing[peer]?.hasRoom(for: bytes.count) == false { try sendBundles() }
        outgoing[peer, default: MessageBundle()].append(bytes)
    }

    private func sendBundles() throws {
        for peer in outgoing.keys {
            if let bytes = outgoing[peer]?.take() { _ = try socket.send(bytes, to: peer) }
        }
        outgoing = [:]
    }

    private func take(_ bytes: [UInt8], from peer: RoutingID, asking holder: SessionID?) throws {
        if bytes.withUnsafeBytes({ PassedPiece.isPiece($0) }) {
            let piece = try bytes.withUnsafeBytes { try PassedPiece(decoding: $0) }
            pieces += 1
            let source = sources.removeValue(forKey: piece.number)
            guard let receiver = asked.removeValue(forKey: piece.number), let changed = change(piece) else { return }
            if let source { try send(source, to: receiver) }
            try send(changed.encoded(), to: receiver)
            return
        }
        switch try bytes.withUnsafeBytes({ try WorkerMessage(decoding: $0) }) {
        case .fileConnection(let session):
            peers[session] = peer
            connections[session, default: 0] += 1
        case .fetchPiece(_, let number, _, let digest, let offset, let limit):
            requests += 1
            guard let holder, let receiver = peers[holder] else {
                let message = CoordinatorMessage.pieceUnavailable(echo: number, isLost: holder == nil)
                try send(message.encoded(), to: peer)
                return
            }
            asked[UInt64(requests)] = peer
            if offset == 0, let address = addresses[holder].flatMap({ shownAddress($0) }) {
                let ticket = ReaderTicket.random()
                let admission = CoordinatorMessage.admitReader(ticket, digest, seconds: 600)
                try send(admission.encoded(), to: receiver)
                sources[UInt64(requests)] =
                    CoordinatorMessage.directSource(echo: number, digest, address, ticket).encoded()
            }
            let message = CoordinatorMessage.readPiece(
                number: UInt64(requests),
                echo: number,
                digest,
                offset: offset,
                limit: limit
            )
            try send(message.encoded(), to: receiver)
        case .dataAddress(let session, let address): addresses[session] = address
        case .directBytes(let session, let count): directBytes[session, default: 0] += count
        case let other: throw Unexpected(message: other)
        }
    }
}

/// A worker's store of files, with the thread that moves them.
final class FileBench {
    /// A copy that was not made.
    struct NotCopied: Equatable {
        var digest: ContentDigest
        var hasRoom: Bool
    }

    let bench: StoreBench
    let thread: FileThread
    let mailbox: PolledMailbox<WorkerLetter>
    let session: SessionID
    /// The address of the coordinator.
    let endpoint: String
    private(set) var fetched: [AttemptToken] = []
    private(set) var unavailable: [AttemptToken] = []
    private(set) var failed: [AttemptToken] = []
    /// The copies that were not made.
    private(set) var notCopied: [NotCopied] = []
    /// How far the fetches were at the last report.
    private(set) var arrived: [ContentDigest: UInt64] = [:]

    init(_ directory: String, _ session: UInt64, at endpoint: String, limit: UInt64 = 1 << 30) throws {
        bench = try StoreBench(directory + "/files\(session)", limit: limit)
        mailbox = try PolledMailbox()
        self.session = SessionID(rawValue: session)
        self.endpoint = endpoint
        thread = try FileThread(
            store: bench.store,
            to: endpoint,
            security: .none,
            mailbox: mailbox,
            logger: Logger(label: "worker", level: .critical)
        )
    }

    /// Tells the thread of the session with the coordinator.
    func welcome() { thread.welcomed(session, at: endpoint) }

    /// Gives files directly, too, at a free port.
    @discardableResult
    func listen() throws -> DataAddress {
        guard let endpoint = DataEndpoint("tcp://127.0.0.1:*") else { throw Overdue() }
        return try thread.listen(at: endpoint)
    }

    /// Takes in the letters of the thread, and returns the number of outcomes so far.
    func outcomes() -> Int {
        for letter in mailbox.takeAll() {
            switch letter {
            case .filesFetched(let token): fetched.append(token)
            case .filesUnavailable(let token, _): unavailable.append(token)
            case .fetchFailed(let token, _): failed.append(token)
            case .filesArriving(let bytes): arrived = bytes
            case .filesNotCopied(session, let digests, let hasRoom):
                notCopied += digests.map { NotCopied(digest: $0, hasRoom: hasRoom) }
            default: break
            }
        }
        return fetched.count + unavailable.count + failed.count
    }
}
