@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Admits peers by their keys, and tells whose key a message came with.
///
/// A key is checked twice: in the handshake, and for every message, since a connection outlives the revocation of its key. The
/// gate has no thread: the loop polls the authenticator and the watch over the key directory.
final class Gate {
    /// Asks for verdicts on handshakes.
    let authenticator: Authenticator
    /// Readable after a change of the table of keys; nil while the system has no watch left, and the gate looks for changes.
    private(set) var watch: KeyDirectoryWatch?
    /// The protection of the coordinator's socket.
    let security: SocketSecurity

    /// The keys behind the tokens of operations.
    let operationKeys: OperationKeys

    /// The fingerprint of the coordinator's key, by which coordinators that share a record compare their keys.
    let fingerprint: String

    /// Seals the table of keys for the record.
    private let seal: KeyTableSeal
    /// The key of the coordinator's own worker; nil without one.
    private let keeperKey: CurvePublicKey?
    /// Whether the key directory had no key before this start.
    private let isFirstStart: Bool
    private let directory: KeyDirectory
    private let makeWatch: WatchMaker
    private let logger: Logger
    private var table: KeyTable
    /// The last table that did not continue the coordinator's, which the log has told of.
    private var lastStranger: KeyTable?
    private var lastHandshake: UInt64 = 0
    /// The connections that have sent a message, by their descriptors: a later connection with the descriptor replaces the
    /// earlier one, so that ended connections need no room.
    private var connections: [Int32: AdmittedConnection] = [:]
    /// The connections that are about to be ended.
    private var condemned: [Int32] = []
    private var refusals = (count: 0, saidAt: Timestamp?.none)

    /// When the condemned connections are due; nil without any.
    private var endAt: Timestamp?
    /// When to look at the table although no change was told: the table was away or unreadable, or there is no watch; otherwise nil.
    private var lookAt: Timestamp?
    /// Whether the table was away or unreadable at the last look, which the log has told of.
    private var isTableAway = false

    /// When the gate has something to do without an event; nil if never.
    var deadline: Timestamp? { endAt.map { end in lookAt.map { min(end, $0) } ?? end } ?? lookAt }

    /// The name of the coordinator's socket for the authenticator.
    private static let domain = "baton"
    /// How long the last message to a condemned connection may take to leave.
    private static let lastWord = Duration.milliseconds(200)
    /// The shortest time between two log entries on refused keys.
    private static let pause = Duration.seconds(10)
    /// The time between two looks at a table without a watch, or for a table that is away or unreadable.
    private static let lookPause = Duration.milliseconds(500)
    /// The most verdicts of one turn.
    private static let verdictsPerTurn = 64

    /// Starts to watch a key directory.
    typealias WatchMaker = (KeyDirectory) throws(KeyError) -> KeyDirectoryWatch

    /// Opens the key directory, and makes the first keys if there are none; the socket binds afterwards.
    ///
    /// Without a watch, because the processes of the user have all that the system allows, the gate looks at the table twice a
    /// second.
    ///
    /// - Parameter keeperKey: the key of the coordinator's own worker, which is not in the table.
    init(
        _ directory: KeyDirectory,
        keeperKey: CurvePublicKey? = nil,
        in context: Context,
        _ logger: Logger,
        at now: Timestamp,
        watching makeWatch: @escaping WatchMaker = { directory throws(KeyError) in try KeyDirectoryWatch(directory) }
    ) throws(CoordinatorError) {
        self.directory = directory
        self.keeperKey = keeperKey
        self.makeWatch = makeWatch
        self.logger = logger
        do throws(KeyError) {
            let keys = try directory.open(at: now.rawValue / 1_000_000)
            // The watch comes before the reading of the table, so that no change is missed.
            watch = try Self.watch(over: directory, makeWatch, logger)
            table = try directory.table() ?? keys.table
            security = .curveServer(secretKey: keys.key.secretKey, domain: Self.domain)
            operationKeys = keys.operationKeys
            fingerprint = ServerFingerprint(keys.key.publicKey).description
            seal = KeyTableSeal(of: keys.key.secretKey)
            isFirstStart = keys.isFirstStart
            for file in keys.lostFiles {
                logger.error(
                    "a file of the keys was missing, and is made anew",
                    metadata: ["file": "\(directory.path)/\(file)", "effect": "\(file.consequence)"]
                )
            }
        } catch {
            throw CoordinatorError(error)
        }
        do throws(ZeroMQError) {
            authenticator = try Authenticator(context: context)
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot check keys: \(error).")
        }
        if watch == nil { lookAt = now + Self.lookPause }
    }

    /// Starts to watch the key directory; nil if the system has no watch left.
    private static func watch(
        over directory: KeyDirectory,
        _ makeWatch: WatchMaker,
        _ logger: Logger?
    ) throws(KeyError) -> KeyDirectoryWatch? {
        do throws(KeyError) {
            return try makeWatch(directory)
        } catch {
            guard error.code == .noWatchLeft else { throw error }
            logger?.warning("looks for changes of keys twice a second", metadata: ["reason": "\(error.message)"])
            return nil
        }
    }

    /// Notes the coordinator's address in the key directory, where commands of the same home find it.
    func note(_ endpoint: String) throws(CoordinatorError) {
        guard let address = ServerAddress(endpoint) else { return }
        do { try directory.note(address) } catch { throw CoordinatorError(error) }
    }

    /// Tells of new keys beside a record that was kept with others: all of those are refused.
    func compare(with state: StoredState) {
        guard isFirstStart, state.hadKeys else { return }
        logger.error(
            "the keys of the record's earlier coordinator are missing, and new ones are made",
            metadata: [
                "directory": "\(directory.path)",
                "effect": "All earlier keys are refused. To undo that, put the directory back and start again.",
            ]
        )
    }

    // MARK: - Admission

    /// Answers waiting handshakes.
    func answerHandshakes(at now: Timestamp) throws(ZeroMQError) {
        var refused: Authenticator.Request?
        try authenticator.answerPending(limit: Self.verdictsPerTurn) { request in
            if request.domain == Self.domain, let number = number(of: request.key) {
                lastHandshake += 1
                let handshake = AdmittedConnection.Handshake(key: number, serial: lastHandshake)
                return .accepted(userID: handshake.userID)
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
        guard let handshake = message.userID.flatMap({ AdmittedConnection.Handshake(userID: $0) }),
            var requester = requester(handshake.key)
        else { return nil }
        if let descriptor = message.connectionDescriptor {
            if let known = connections[descriptor], known.handshake == handshake {
                requester.claim = known.claim
            } else {
                connections[descriptor] = AdmittedConnection(peer: peer, handshake: handshake)
            }
        }
        return requester
    }

    /// Judges the proof of a hello, and notes for which operation its connection acts from now on: none without a valid proof.
    ///
    /// - Parameters:
    ///   - hello: the hello of a peer that ``sender(of:from:)`` has named.
    ///   - proof: the proof in the hello, if any.
    /// - Returns: the claim of a valid proof.
    func takeProof(_ proof: Secret?, of hello: borrowing Message) -> OperationClaim? {
        guard let descriptor = hello.connectionDescriptor else { return nil }
        let read = proof.flatMap { OperationProof(bytes: $0.bytes) }
        let claim = read.flatMap { operationKeys.isGenuine($0) ? $0.claim : nil }
        connections[descriptor]?.claim = claim
        return claim
    }

    /// Whether a requester's key is still admitted.
    func admits(_ requester: Requester) -> Bool { self.requester(requester.number) != nil }

    /// The number of an admitted key; nil for any other key.
    private func number(of key: CurvePublicKey) -> KeyNumber? {
        if let keeperKey, key == keeperKey { return Requester.keeper?.number }
        return table[key].flatMap { $0.isRevoked ? nil : $0.number }
    }

    private func requester(_ number: KeyNumber) -> Requester? {
        if keeperKey != nil, number == Requester.keeper?.number { return Requester.keeper }
        return table[number].flatMap { $0.isRevoked ? nil : Requester($0) }
    }

    // MARK: - Revocation

    /// The holders of all revoked keys.
    var revokedKeys: [Requester] { table.keys.filter(\.isRevoked).map { Requester($0) } }

    /// The table of keys, sealed for the record.
    var sealedTable: String { seal.seal(table) }

    /// Reads the table again after a change, and condemns the connections of revoked keys.
    ///
    /// - Returns: these connections, and the holders of the keys.
    func takeRevocations(at now: Timestamp) -> Revocation {
        var revoked = Revocation()
        let change = watch?.takeChanges() ?? .none
        guard change != .none || lookAt.map({ $0 <= now }) ?? false else { return revoked }
        let earlier = table
        guard readTable(hasVanished: change == .vanished, at: now) else { return revoked }
        revoked.keys = earlier.keys.filter { !$0.isRevoked && requester($0.number) == nil }.map { Requester($0) }
        for (descriptor, connection) in connections where requester(connection.handshake.key) == nil {
            connections[descriptor] = nil
            condemned.append(descriptor)
            if let key = earlier[connection.handshake.key] {
                revoked.connections.append((connection.peer, Requester(key)))
            }
        }
        if !condemned.isEmpty { endAt = now + Self.lastWord }
        return revoked
    }

    /// Has the table looked at in the next turn.
    func lookNow(at now: Timestamp) { lookAt = now }

    /// Whether the table is to be looked for, although no change was told.
    func isLookDue(at now: Timestamp) -> Bool { lookAt.map { $0 <= now } ?? false }

    /// Reads the table again; if that is impossible, keys stay as they were until a later look succeeds.
    ///
    /// - Parameter hasVanished: whether the watched directory is no longer the key directory.
    /// - Returns: whether the table was read.
    private func readTable(hasVanished: Bool, at now: Timestamp) -> Bool {
        lookAt = now + Self.lookPause
        do throws(KeyError) {
            // The watch comes before the reading, so that no change is missed.
            if hasVanished || watch == nil {
                watch = try Self.watch(over: directory, makeWatch, watch == nil ? nil : logger)
            }
            guard let changed = try directory.table() else {
                noteAway("the table of keys was removed")
                return false
            }
            if !changed.continues(table), changed != lastStranger {
                lastStranger = changed
                logger.error(
                    "another table of keys has replaced the coordinator's: until a restart, only its revocations count",
                    metadata: ["directory": "\(directory.path)"]
                )
            }
            table.update(to: changed)
        } catch {
            noteAway("the table of keys cannot be read", because: error)
            return false
        }
        if isTableAway {
            logger.notice("the table of keys is back, and in use", metadata: ["directory": "\(directory.path)"])
        }
        isTableAway = false
        if watch != nil { lookAt = nil }
        return true
    }

    private func noteAway(_ event: Logger.Message, because error: KeyError? = nil) {
        guard !isTableAway else { return }
        isTableAway = true
        logger.error(
            event,
            metadata: [
                "directory": "\(directory.path)", "keys": "as they were, until the table is back",
                "reason": "\(error?.message ?? "there is no file")",
            ]
        )
    }

    /// Ends the condemned connections that are due.
    func endConnections(with watch: AcceptWatch, at now: Timestamp) {
        guard let endAt, endAt <= now else { return }
        self.endAt = nil
        for descriptor in condemned { watch.end(descriptor: descriptor) }
        condemned = []
    }
}

extension StoredState {
    /// Whether a worker or an unfinished job of the record came with a key.
    fileprivate var hadKeys: Bool {
        workers.values.contains { $0.keyNumber != nil } || jobs.contains { $0.job.submittedBy != nil }
    }
}
