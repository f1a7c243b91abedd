@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The connections to other workers that give files directly.
///
/// There are at most ``mostLinks``: beyond, the least recently used one is closed, and so is one without a use for ``idleTime``. Only the
/// thread for files uses it.
final class HolderLinks {
    /// The most connections.
    static let mostLinks = 16
    /// How long a connection stays open without a use.
    static let idleTime = Duration.seconds(60)

    /// Why a worker cannot be asked.
    struct Obstacle: Error, CustomStringConvertible {
        let description: String
    }

    /// A connection, or the search for its other end.
    private struct Link {
        /// The socket; nil as long as the host's name is looked up.
        var socket: Socket?
        var source: Poller.Source?
        /// The events of the connection.
        var monitor: SocketMonitor?
        var monitorSource: Poller.Source?
        /// Whether the connection has ended, or could not be made: what has arrived over it is still read.
        var hasEnded = false
        /// The requests that wait for the socket.
        var waiting: [DirectRequest] = []
        var usedAt: Duration
    }

    private let way: FileLoop.Way
    private let poller: Poller
    private let letters: PolledMailbox<FileLoop.Letter>
    private var links: [DataAddress: Link] = [:]
    /// The key pair of this end; made with the first connection.
    private var key: CurveKeyPair?

    init(way: FileLoop.Way, poller: Poller, letters: PolledMailbox<FileLoop.Letter>) {
        self.way = way
        self.poller = poller
        self.letters = letters
    }

    /// The number of connections.
    var count: Int { links.count }

    /// When a connection will have been without a use for too long; nil without one.
    var nextDeadline: Duration? { links.values.map(\.usedAt).min().map { $0 + Self.idleTime } }

    // MARK: - What goes out

    /// Asks a worker for a piece, over a new connection if there is none.
    ///
    /// - Returns: the worker whose connection was closed to make room.
    /// - Throws: `Obstacle` if the worker cannot be asked.
    func ask(
        _ request: DirectRequest,
        of address: DataAddress,
        at now: Duration,
        in context: () throws(ZeroMQError) -> Context
    ) throws(Obstacle) -> DataAddress? {
        var closed: DataAddress?
        if links[address] == nil {
            closed = makeRoom()
            links[address] = Link(usedAt: now)
            try open(address, in: context)
        }
        links[address]?.usedAt = now
        guard let socket = links[address]?.socket else {
            links[address]?.waiting.append(request)
            return closed
        }
        try send(request, over: socket)
        return closed
    }

    /// Connects to the address that a search has found, and sends the waiting requests.
    ///
    /// - Throws: `Obstacle` if the worker cannot be asked.
    func finishSearch(
        for address: DataAddress,
        _ finding: ServerSearch.Finding,
        in context: () throws(ZeroMQError) -> Context
    ) throws(Obstacle) {
        guard let link = links[address], link.socket == nil else { return }
        guard case .server(let place) = finding else {
            throw Obstacle(description: "No process listens at \(address.endpoint).")
        }
        let socket = try connect(address, at: place, in: context)
        links[address]?.waiting = []
        for request in link.waiting { try send(request, over: socket) }
    }

    private func open(_ address: DataAddress, in context: () throws(ZeroMQError) -> Context) throws(Obstacle) {
        guard let target = Endpoint(address.endpoint, for: .connecting) else {
            throw Obstacle(description: "The address \(address.endpoint) is not valid.")
        }
        guard !target.isNumeric else {
            _ = try connect(address, at: target.text, in: context)
            return
        }
        let search = ServerSearch(for: target, resolver: way.resolver, patience: DirectHolders.patience)
        do {
            try search.start { [letters] in letters.post(.foundHolder(address, $0)) }
        } catch {
            throw Obstacle(description: "\(error)")
        }
    }

    private func connect(
        _ address: DataAddress,
        at place: String,
        in context: () throws(ZeroMQError) -> Context
    ) throws(Obstacle) -> Socket {
        let server = address.publicKey.flatMap { CurvePublicKey(bytes: $0) }
        guard server != nil || way.security == .none else {
            throw Obstacle(description: "The worker at \(address.endpoint) runs without keys.")
        }
        do throws(ZeroMQError) {
            var options = SocketOptions()
            options.maximumMessageSize = WireLimits.maximumPieceLength
            if let server { options.security = .curveClient(server: server, key: try ownKey()) }
            let socket = try Socket(.dealer, in: try context(), options: options)
            let monitor = try SocketMonitor(of: socket)
            try socket.connect(place)
            links[address]?.socket = socket
            links[address]?.source = poller.add(socket)
            links[address]?.monitor = monitor
            links[address]?.monitorSource = poller.add(monitor)
            return socket
        } catch {
            throw Obstacle(description: "\(error)")
        }
    }

    private func ownKey() throws(ZeroMQError) -> CurveKeyPair {
        if let key { return key }
        let made = try CurveKeyPair.generate()
        key = made
        return made
    }

    private func send(_ request: DirectRequest, over socket: Socket) throws(Obstacle) {
        do throws(ZeroMQError) {
            _ = try socket.send(request.encoded())
        } catch {
            throw Obstacle(description: "\(error)")
        }
    }

    // MARK: - What comes in

    /// Takes messages of all workers in.
    ///
    /// - Parameters:
    ///   - limit: the most messages of each worker.
    ///   - take: called for each piece, and the worker whose connection it came over.
    /// - Returns: the workers whose connections have failed or ended, all messages read, or that have sent something else than pieces.
    func receive(
        atMost limit: Int,
        at now: Duration,
        _ take: (PassedPiece, DataAddress) -> Void
    ) -> [DataAddress] {
        guard !links.isEmpty else { return [] }
        var failed: [DataAddress] = []
        for (address, link) in links {
            guard let socket = link.socket, let source = link.source else { continue }
            do throws(ZeroMQError) {
                let hasEnded = try noteEvents(of: link, to: address)
                guard hasEnded || poller.isReadable(source) else { continue }
                var isEmpty = false
                for _ in 0..<limit {
                    guard let message = try socket.receive() else {
                        isEmpty = true
                        break
                    }
                    links[address]?.usedAt = now
                    let piece = message.withUnsafeBytes { try? PassedPiece(decoding: $0) }
                    guard let piece else {
                        failed.append(address)
                        break
                    }
                    take(piece, address)
                }
                if hasEnded, isEmpty { failed.append(address) }
            } catch {
                failed.append(address)
            }
        }
        return failed
    }

    /// Reads the events of a connection, and returns whether it has ended.
    ///
    /// The process at the other end is gone, or another one has its address: its requests are not answered, and a new connection of the
    /// same socket does not change that.
    private func noteEvents(of link: Link, to address: DataAddress) throws(ZeroMQError) -> Bool {
        guard !link.hasEnded, let monitor = link.monitor, let source = link.monitorSource, poller.isReadable(source)
        else { return link.hasEnded }
        var hasEnded = false
        while let event = try monitor.next() {
            switch event.kind {
            case .disconnected, .handshakeFailed, .connectRetried: hasEnded = true
            case .connected, .connectDelayed, .accepted, .acceptFailed, .closed, .handshakeSucceeded, .monitorStopped:
                break
            }
        }
        if hasEnded { links[address]?.hasEnded = true }
        return hasEnded
    }

    // MARK: - The end

    /// Closes the connection to a worker, if there is one; no transfer waits for its answers.
    func close(_ address: DataAddress) {
        guard let link = links.removeValue(forKey: address) else { return }
        if let source = link.source { poller.remove(source) }
        if let source = link.monitorSource { poller.remove(source) }
        link.monitor?.close()
        link.socket?.close()
    }

    /// Closes the connections that have been without a use for too long.
    func closeIdle(at now: Duration) {
        guard !links.isEmpty else { return }
        for (address, link) in links where link.usedAt + Self.idleTime <= now { close(address) }
    }

    /// Closes all connections.
    func closeAll() {
        for address in Array(links.keys) { close(address) }
    }

    /// Closes the least recently used connection if there are as many as there may be.
    private func makeRoom() -> DataAddress? {
        guard links.count >= Self.mostLinks, let oldest = links.min(by: { $0.value.usedAt < $1.value.usedAt })?.key
        else { return nil }
        close(oldest)
        return oldest
    }
}
