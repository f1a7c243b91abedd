@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The sockets at which a coordinator listens to its peers, both as a leader and while it stands by.
///
/// Owns the socket, the gate before it, and the local socket for questions about the health. One thread at a time uses it. A coordinator
/// whose lead has ended closes its port, so that all peers notice, and opens a new port at the same address.
final class CoordinatorPort {
    /// The address of the bound socket.
    let endpoint: String
    let socket: Socket
    let doorkeeper: Doorkeeper
    /// Nil for a coordinator without keys.
    let gate: Gate?
    /// Nil before ``listenForHealth(at:_:)``, and if the file system has no place for it.
    private(set) var health: HealthListener?
    /// What "baton health" adds.
    var healthNotice: HealthNotice?

    private let context: Context

    /// The most unread messages of a peer in libzmq, before TCP slows the peer down.
    private static let mostUnreadMessages = 64
    /// How long a peer may leave messages unread before TCP disconnects the peer.
    ///
    /// A worker is lost after a silence of this length; a client reconnects and repeats its requests.
    private static let unreadTimeout = Duration.seconds(60)

    /// Binds the address, in place of an earlier port that is closed.
    ///
    /// - Throws: ``CoordinatorError``; nothing is left open then.
    init(
        _ options: CoordinatorOptions,
        after earlier: CoordinatorPort? = nil,
        at now: Timestamp
    ) throws(CoordinatorError) {
        let address = earlier.map { Self.definite(options.listen, boundTo: $0.endpoint) } ?? options.listen
        do throws(ZeroMQError) {
            context = try Context()
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot start: \(error).")
        }
        gate =
            if let keys = options.keys {
                try Gate(keys, keeperKey: options.keeper?.key, in: context, options.logger, at: now)
            } else { nil }
        do throws(ZeroMQError) {
            var settings = SocketOptions()
            settings.maximumMessageSize = WireLimits.maximumMessageLength
            settings.linger = .seconds(1)
            settings.receiveHighWaterMark = Self.mostUnreadMessages
            settings.sendHighWaterMark = Outbox.mostHandedMessages
            settings.unreadTimeout = Self.unreadTimeout
            if let gate {
                settings.security = gate.security
                // A peer with another key must not take over the address of a connection.
                settings.isRouterHandover = false
            }
            socket = try Socket(.router, in: context, options: settings)
            doorkeeper = try Doorkeeper(of: socket, options.logger)
            try socket.bind(address)
            endpoint = try socket.lastEndpoint
        } catch {
            throw Self.bindError(error, address)
        }
        if let gate { try gate.note(endpoint) } else { Self.note(endpoint, in: options.unusedKeys) }
        health = earlier?.health
        healthNotice = earlier?.healthNotice
    }

    /// Lets commands of this host ask for the health from now on; a second call has no effect.
    func listenForHealth(at path: String, _ logger: Logger) {
        guard health == nil else { return }
        do throws(HealthFailure) {
            health = try HealthListener(at: path)
        } catch {
            logger.warning("\"baton health\" will not find this coordinator", metadata: ["reason": "\(error)"])
        }
    }

    /// Answers handshakes on another thread, to which the gate belongs until ``HandshakeThread/end()``; nil without keys, and without
    /// room for a thread.
    func answerHandshakes(at now: Timestamp) -> HandshakeThread? {
        guard let gate else { return nil }
        return HandshakeThread(gate, at: now)
    }

    /// Closes the socket, and with it all connections; what was sent has a second to leave.
    func close() {
        doorkeeper.watch.close()
        socket.close()
        gate?.authenticator.close()
        context.terminate()
    }

    /// An address to listen at, with the port that was free for it.
    static func definite(_ address: String, boundTo endpoint: String) -> String {
        guard let given = Endpoint(address, for: .listening), given.port == "*" || given.port == "0" else {
            return address
        }
        return endpoint
    }

    /// Refuses a text that is not an address to listen at.
    static func checkAddress(_ address: String) throws(CoordinatorError) {
        guard let advice = Endpoint.advice(on: address, for: .listening) else { return }
        throw CoordinatorError(.badAddress, "\"\(address.asShown)\" is not an address to listen on: \(advice)")
    }

    /// Notes the address of a coordinator without keys.
    private static func note(_ endpoint: String, in keys: KeyDirectory?) {
        guard let keys, (try? keys.serverKey()) != nil, let address = ServerAddress(endpoint) else { return }
        try? keys.note(address)
    }

    /// Describes a socket that cannot be opened or bound.
    static func bindError(_ error: ZeroMQError, _ address: String) -> CoordinatorError {
        switch error.reason {
        case .addressInUse:
            CoordinatorError(.addressInUse, "Another process already listens at \(address).")
        case .addressNotAvailable:
            CoordinatorError(.addressMissing, "The coordinator cannot start: \(error)")
        // The address is right, and the process has no descriptor or memory for the socket.
        case _ where SystemObstacle.mayPass(error.code):
            CoordinatorError(.other, "The coordinator cannot start: \(error)", mayPass: true)
        default:
            CoordinatorError(.badAddress, "The coordinator cannot start: \(error)")
        }
    }
}
