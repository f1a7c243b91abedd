@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The second connection of a worker to its coordinator.
///
/// The first message says to which session it belongs. After each loss there is a new connection, over which all open requests are sent
/// again.
extension FileLoop {
    /// The pause before another connection.
    private static let pause = Duration.seconds(1)

    /// Looks for the coordinator, if there is no connection and one is of use.
    func openConnectionIfNeeded() {
        guard connection == nil, !isSearching, needsConnection, restsUntil.map({ $0 <= now }) ?? true,
            let target = Endpoint(way.coordinator, for: .connecting)
        else { return }
        guard !target.isNumeric else { return connect(to: way.coordinator) }
        let search = ServerSearch(for: target, resolver: way.resolver, patience: way.patience)
        do {
            try search.start { [letters, endpoint = way.coordinator] in letters.post(.found($0, of: endpoint)) }
            isSearching = true
        } catch {
            cannotConnect(error)
        }
    }

    /// Connects to the place that a search has found, unless the worker has another coordinator since.
    func finishSearch(for endpoint: String, _ finding: ServerSearch.Finding) {
        isSearching = false
        guard connection == nil, needsConnection, endpoint == way.coordinator else { return }
        if case .server(let place) = finding { connect(to: place) } else { restsUntil = now + Self.pause }
    }

    private func connect(to place: String) {
        guard let session else { return }
        do throws(ZeroMQError) {
            let context = try usableContext()
            let made = try CoordinatorConnection(to: place, security: way.security, in: context, poller: poller)
            connection = made
            _ = try made.socket.send(WorkerMessage.fileConnection(session).encoded())
            if let server {
                _ = try made.socket.send(WorkerMessage.dataAddress(session, server.address).encoded())
            }
        } catch {
            closeConnection()
            return cannotConnect(error)
        }
        connectionNumber += 1
        restsUntil = nil
        connectionOpened()
    }

    /// The context of all sockets of this thread.
    func usableContext() throws(ZeroMQError) -> Context {
        if let context { return context }
        let made = try Context(maximumSockets: 128)
        context = made
        return made
    }

    private func cannotConnect(_ error: any Error) {
        logger.error("cannot open a connection for files; trying again", metadata: ["reason": "\(error)"])
        restsUntil = now + Self.pause
    }

    /// Takes in an event of the connection.
    ///
    /// The worker's own connection tells of keys that do not fit. A coordinator that is away is looked for again with its next welcome.
    func note(_ event: SocketEvent) {
        switch event.kind {
        case .disconnected, .handshakeFailed: loseConnection()
        default: logger.trace("connection for files", metadata: ["event": "\(event.kind)"])
        }
    }

    /// Closes the connection, and opens another one after a pause.
    func loseConnection() {
        closeConnection()
        restsUntil = now + Self.pause
    }

    /// Closes the connection.
    func closeConnection() {
        guard let connection else { return }
        connection.close()
        self.connection = nil
        connectionClosed()
    }
}
