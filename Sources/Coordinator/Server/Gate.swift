@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// Admits peers by their keys, and tells whose key a message came with.
///
/// A key is checked twice: in the handshake, and for every message, since a connection outlives the revocation of its key. The
/// gate has no thread: the loop polls the authenticator and the watch over the key directory.
final class Gate {
    /// Asks for verdicts on handshakes.
    let authenticator: Authenticator
    /// Readable after a change of the table of keys.
    let watch: KeyDirectoryWatch
    /// The protection of the coordinator's socket.
    let security: SocketSecurity

    private let directory: KeyDirectory
    private let logger: Logger
    private var table: KeyTable
    /// The connections that have sent a message, by their descriptors: a later connection with the descriptor replaces the
    /// earlier one, so that ended connections need no room.
    private var connections: [Int32: (peer: RoutingID, number: KeyNumber)] = [:]
    /// The connections that are about to be ended.
    private var condemned: [Int32] = []
    private var refusals = (count: 0, saidAt: Timestamp?.none)

    /// When the condemned connections are due; nil without any.
    private(set) var deadline: Timestamp?

    /// The name of the coordinator's socket for the authenticator.
    private static let domain = "baton"
    /// How long the last message to a condemned connection may take to leave.
    private static let lastWord = Duration.milliseconds(200)
    /// The shortest time between two log entries on refused keys.
    private static let pause = Duration.seconds(10)
    /// The most verdicts of one turn.
    private static let verdictsPerTurn = 64

    /// Opens the key directory, and makes the first keys if there are none; the socket binds afterwards.
    init(
        _ directory: KeyDirectory,
        in context: Context,
        _ logger: Logger,
        at now: Timestamp
    ) throws(CoordinatorError) {
        self.directory = directory
        self.logger = logger
        do throws(KeyError) {
            let keys = try directory.open(at: now.rawValue / 1_000_000)
            // The watch comes before the reading of the table, so that no change is missed.
            watch = try KeyDirectoryWatch(directory)
            table = try directory.table() ?? keys.table
            security = .curveServer(secretKey: keys.key.secretKey, domain: Self.domain)
        } catch {
            throw CoordinatorError(.keys, error.message)
        }
        do throws(ZeroMQError) {
            authenticator = try Authenticator(context: context)
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot check keys: \(error).")
        }
    }

    // MARK: - Admission

    /// Answers waiting handshakes.
    func answerHandshakes(at now: Timestamp) throws(ZeroMQError) {
        var refused: Authenticator.Request?
        try authenticator.answerPending(limit: Self.verdictsPerTurn) { request in
            if request.domain == Self.domain, let key = table[request.key], !key.isRevoked {
                return .accepted(userID: key.number.description)
            }
            refused = request
            return .refused
        }
        guard let refused else { return }
        refusals.count += 1
        guard refusals.saidAt.map({ $0 + Self.pause <= now }) ?? true else { return }
        let name = table[refused.key].map { "\($0.name)" }
        logger.warning(
            "refused a peer whose key is unknown or revoked",
            metadata: ["address": "\(refused.address)", "key": "\(name ?? "unknown")", "turns": "\(refusals.count)"]
        )
        refusals = (0, now)
    }

    /// The holder of the key that a message came with; nil if the key has been revoked since.
    func sender(of message: borrowing Message, from peer: RoutingID) -> Requester? {
        guard let number = message.userID.flatMap({ KeyNumber($0) }), let requester = requester(number) else {
            return nil
        }
        if let descriptor = message.connectionDescriptor {
            let known = connections[descriptor]
            if known?.peer != peer || known?.number != number { connections[descriptor] = (peer, number) }
        }
        return requester
    }

    /// Whether a requester's key is still admitted.
    func admits(_ requester: Requester) -> Bool { self.requester(requester.number) != nil }

    private func requester(_ number: KeyNumber) -> Requester? {
        table[number].flatMap { $0.isRevoked ? nil : Requester($0) }
    }

    // MARK: - Revocation

    /// Reads the table again after a change, and condemns the connections of revoked keys.
    ///
    /// - Returns: the peers of these connections.
    func takeRevocations(at now: Timestamp) -> [(peer: RoutingID, requester: Requester)] {
        switch watch.takeChanges() {
        case .none: return []
        case .vanished:
            logger.error(
                "the directory of keys was removed: keys stay as they were until the coordinator is restarted",
                metadata: ["directory": "\(directory.path)"]
            )
            return []
        case .changed: break
        }
        let earlier = table
        do throws(KeyError) {
            guard let changed = try directory.table(), changed.continues(earlier) else {
                logger.error(
                    "the table of keys was removed or replaced: keys stay as they were until the coordinator is restarted",
                    metadata: ["directory": "\(directory.path)"]
                )
                return []
            }
            table = changed
        } catch {
            logger.error("the table of keys cannot be read: keys stay as they were", metadata: ["reason": "\(error)"])
            return []
        }
        var revoked: [(peer: RoutingID, requester: Requester)] = []
        for (descriptor, connection) in connections where requester(connection.number) == nil {
            connections[descriptor] = nil
            condemned.append(descriptor)
            if let key = earlier[connection.number] { revoked.append((connection.peer, Requester(key))) }
        }
        if !condemned.isEmpty { deadline = now + Self.lastWord }
        return revoked
    }

    /// Ends the condemned connections that are due.
    func endConnections(with watch: AcceptWatch, at now: Timestamp) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        for descriptor in condemned { watch.end(descriptor: descriptor) }
        condemned = []
    }
}

extension KeyTable {
    /// Whether the table is an earlier table with later additions and revocations, and no other change.
    fileprivate func continues(_ earlier: KeyTable) -> Bool {
        nextNumber >= earlier.nextNumber
            && earlier.keys.allSatisfy { key in
                guard let present = self[key.number] else { return false }
                return present.publicKey == key.publicKey && present.role == key.role
                    && (present.isRevoked || !key.isRevoked)
            }
    }
}
