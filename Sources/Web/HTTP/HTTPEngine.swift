import Synchronization

/// What the daemon calls: turns its calls into requests for the handler, and the handler's answers into answers of the daemon.
final class HTTPEngine: Sendable {
    let library: HTTPLibrary
    let handler: any HTTPHandler
    let limits: HTTPLimits
    let connections: HTTPConnections
    let streams: HTTPStreamSupply
    let answers = HTTPPendingCount()
    let bodies: HTTPBodyBudget
    let events: HTTPConnectionEvents
    let isEncrypted: Bool
    private let stopping = Atomic(false)
    /// The connections that the daemon has accepted and not closed.
    private let accepted = HTTPPendingCount()
    /// Whether the daemon has accepted a connection and not opened it yet.
    private let isOpening = Atomic(false)

    init(
        library: HTTPLibrary,
        handler: any HTTPHandler,
        limits: HTTPLimits,
        isEncrypted: Bool
    ) throws(HTTPServerError) {
        self.library = library
        self.handler = handler
        self.limits = limits
        self.isEncrypted = isEncrypted
        connections = HTTPConnections(limits: limits)
        streams = HTTPStreamSupply(most: limits.mostStreams)
        bodies = HTTPBodyBudget(most: limits.mostBodyBytesInAll)
        events = try HTTPConnectionEvents()
    }

    /// Whether the server stops: then no request is handled any more.
    var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    /// Ends what is going on, so that no connection stays suspended.
    func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        for connection in connections.all { stop(connection.exchange) }
    }

    /// Ends a request, if the server stops.
    func stop(_ exchange: HTTPExchange?) {
        exchange?.stop(with: handler.response(to: .stopping))
    }

    /// Ends all connections of a stopping server, and waits until the daemon has closed them.
    ///
    /// No request may arrive while libmicrohttpd stops: a request that the library refuses by itself would end the process. The
    /// library calls MHD_queue_response, which keeps no answer of a stopping daemon, and then follows the null pointer
    /// (transmit_error_response_len in connection.c; seen with 0.9.75, and 1.0.1 has the same lines).
    func endConnections() {
        for connection in connections.all { connection.end() }
        accepted.waitUntilNone(for: Self.closeTime)
    }

    /// How long the daemon may take to close ended connections; a moment, unless the host is busy.
    private static let closeTime = Duration.seconds(60)

    // MARK: Connections

    /// Whether the daemon may open a connection of a client.
    func accepts(_ peer: HTTPPeer) -> Bool {
        guard connections.makeRoom(for: peer) else { return false }
        // The daemon tells nothing of a connection that it accepts and then cannot open; the next one takes its place in the count.
        if !isOpening.exchange(true, ordering: .sequentiallyConsistent) { accepted.begin() }
        guard isStopping else { return true }
        isOpening.store(false, ordering: .sequentiallyConsistent)
        accepted.end()
        return false
    }

    func opens(peer: HTTPPeer, descriptor: Int32) -> HTTPConnection {
        isOpening.store(false, ordering: .sequentiallyConsistent)
        let connection = connections.add(peer: peer, isEncrypted: isEncrypted, descriptor: descriptor)
        // A stop may have read the list before.
        if isStopping { connection.end() }
        events.add(descriptor, number: connection.number)
        // Without connections, the watcher sleeps for ever.
        if connections.count == 1 { events.ring() }
        return connection
    }

    func closes(_ connection: HTTPConnection) {
        events.remove(connection.descriptor)
        connection.close()
        connections.remove(connection)
        accepted.end()
    }

    /// Takes note of what clients did while the daemon may not look at them.
    func note(_ events: [HTTPConnectionEvents.Event]) {
        for event in events {
            guard let connection = connections[event.number] else { continue }
            if event.isGone { connection.exchange?.clientLeft() } else { connection.noteHalfClosed() }
        }
    }

    /// Ends what has taken too long.
    func endOverdue() {
        let now = ContinuousClock.now
        let overdue = connections.all.filter { $0.deadline.map { $0 <= now } ?? false }
        guard !overdue.isEmpty else { return }
        let tooSlow = lastAnswer(.tooSlow)
        for connection in overdue { connection.endOverdue(at: now, tooSlow: tooSlow) }
    }

    /// An answer as bytes, for a connection that is closed behind it.
    func lastAnswer(_ failure: HTTPFailure) -> [UInt8] {
        let response = handler.response(to: failure)
        guard case .bytes(let body) = response.body else { return [] }
        var text = "HTTP/1.1 \(response.status) \(library.reasonPhrase(response.status))\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(text.utf8) + body
    }
}
