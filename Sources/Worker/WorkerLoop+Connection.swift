@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

/// The way to the coordinator.
///
/// Each connection goes to an IP address. A name is resolved anew for each connection, on another thread, and all its
/// addresses are tried, so that attempts start and end while a name server is silent.
extension WorkerLoop {
    /// The address of the present or latest connection.
    var address: String { places[place] }

    /// Looks for an address at which the coordinator accepts connections.
    func openConnection(at place: Int) {
        self.place = place
        searchNumber += 1
        guard let target = Endpoint(address, for: .connecting) else { return }
        let search = ServerSearch(for: target, resolver: options.resolver, patience: options.patience.connection)
        do {
            try search.start(trying: fruitlessPlaces) { [mailbox, searchNumber] in
                mailbox.post(.found($0, search: searchNumber))
            }
        } catch {
            cannotOpen(error)
        }
    }

    /// Opens the connection to the place that a search has found.
    func connect(to finding: ServerSearch.Finding, search number: UInt64) {
        // The session has turned to another place since.
        guard number == searchNumber else { return }
        guard case .server(let place) = finding else {
            if let absence = CoordinatorAbsence(finding) { report(absence) }
            return handle(.connectionLost)
        }
        do {
            connection = try CoordinatorConnection(to: place, security: options.security, in: context, poller: poller)
            handle(.connectionOpened)
        } catch {
            cannotOpen(error)
        }
    }

    func closeConnection() {
        searchNumber += 1
        guard let connection else { return }
        connection.close()
        if connection.isWelcomed { transfers.disconnected() }
        self.connection = nil
        guard !connection.isWelcomed, !connection.hasAnswered else { return }
        if fruitlessPlaces.insert(connection.place).inserted { return }
        // All others have had their turn since.
        fruitlessPlaces = [connection.place]
        if obstacleLoggedAt == nil { report(.noWelcome) }
    }

    func lookAtConnection() -> (signAt: Duration?, roundTrip: Duration) {
        let sign = connection?.monitor.signOfLife()
        return (sign.map { now - $0.age }, sign?.roundTrip ?? .zero)
    }

    func noteWelcome() {
        connection?.isWelcomed = true
        fruitlessPlaces = []
        obstacleLoggedAt = nil
        guard absenceLog.end() else { return }
        options.logger.notice("the coordinator answers again", metadata: ["coordinator": "\(address)"])
    }

    /// Takes in an event of the connection.
    func note(_ event: SocketEvent) {
        guard var connection else { return }
        let before = connection.diagnosis.conclusion
        let isNews = connection.diagnosis.note(event.kind)
        let wasAccepted = connection.isAccepted
        switch event.kind {
        case .connected: connection.isAccepted = true
        case .connectRetried: connection.isAccepted = false
        default: break
        }
        self.connection = connection
        switch event.kind {
        case .disconnected where before == .connected:
            handle(.connectionLost)
        case .handshakeFailed, .disconnected:
            if isNews { handshakesFailed(connection) }
        // The process that accepted the search's connection is gone.
        case .connectRetried where !wasAccepted:
            handle(.connectionLost)
        default:
            options.logger.trace("connection", metadata: ["event": "\(event.kind)"])
        }
    }

    /// Acts on a conclusion about handshakes that failed.
    private func handshakesFailed(_ connection: CoordinatorConnection) {
        let diagnosis = connection.diagnosis
        // Another address of the name may lead to the coordinator.
        if connection.place != address, !fruitlessPlaces.contains(connection.place) {
            return handle(.connectionLost)
        }
        if obstacleLoggedAt.map({ .now - $0 >= WorkerLog.faultInterval }) ?? true {
            if let obstacle = KeyObstacle(diagnosis.conclusion, of: connection.place, with: options.security) {
                handle(.notAdmitted(obstacle))
                guard !shell.session.isOver else { return }
                obstacleLoggedAt = .now
                options.logger.warning(
                    "the coordinator does not let the worker in; trying again, and executing operations continue",
                    metadata: ["reason": "\(obstacle.sentence(about: address))"]
                )
            } else {
                report(.noWelcome)
            }
        }
        // Otherwise libzmq connects again by itself.
        if diagnosis.needsNewSocket { handle(.connectionLost) }
    }

    private func report(_ absence: CoordinatorAbsence) {
        guard absenceLog.isDue(at: now) else { return }
        options.logger.warning("\(absence.line)", metadata: ["coordinator": "\(address)"])
    }

    private func cannotOpen(_ error: any Error) {
        options.logger.error("cannot open a connection; trying again", metadata: ["reason": "\(error)"])
        handle(.connectionLost)
    }
}
