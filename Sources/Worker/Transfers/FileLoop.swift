@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The loop of the thread for files: carries out the decisions of ``FileFetches``, and sends kept files to other workers.
///
/// Only its thread uses it.
final class FileLoop {
    /// The commands from other threads.
    enum Letter: Sendable {
        /// The worker has a session with the coordinator at an address.
        case welcomed(SessionID, at: String)
        /// The worker has no session any more.
        case disconnected
        /// The store keeps files.
        case filesKept
        /// Fetch the files of an attempt.
        case fetch([InputFile], AttemptToken)
        /// Fetch nothing more for an attempt.
        case drop(AttemptToken)
        /// Keep copies of files for no attempt.
        case copy([KeptFile])
        /// Make no copies of contents any more, which may be removed.
        case endCopies([ContentDigest])
        /// A search for the coordinator at an address has ended.
        case found(ServerSearch.Finding, of: String)
        /// Give other workers files at an address, and tell the outcome.
        case listen(DataEndpoint, PolledMailbox<Result<DataAddress, ZeroMQError>>)
        /// A search for another worker has ended.
        case foundHolder(DataAddress, ServerSearch.Finding)
        /// libzmq has freed this many bytes of pieces that another worker has asked for.
        case freedDirectly(Int, of: RoutingID)
        /// libzmq has freed this many bytes of pieces that were sent over a connection.
        case freed(Int, connection: UInt64)
        /// End.
        case stop
    }

    /// The way to the coordinator.
    struct Way: Sendable {
        var coordinator: String
        var security: SocketSecurity
        var resolver: NameResolver
        var patience: Duration
    }

    let store: FileStore
    /// The way to the coordinator of the session.
    private(set) var way: Way
    let letters: PolledMailbox<Letter>
    let mailbox: PolledMailbox<WorkerLetter>
    let logger: Logger
    let poller = Poller()
    private let start = ContinuousClock.now
    var fetches = FileFetches()
    private var serving: FileServing
    /// The files that are being received.
    private var incoming: [ContentDigest: IncomingFile] = [:]
    /// Why files could not be kept here.
    private var failures: [ContentDigest: FileFailure] = [:]
    /// The number of ``FileFetches/moves`` at the last report of how far the fetches are.
    private var toldMoves: UInt64 = 0
    /// When to report how far the fetches are; nil if nothing has come since the last report.
    private var progressDueAt: Duration?
    private var isStopping = false
    /// The requests to the coordinator that wait for the end of the actions of a turn.
    private var requests = MessageBundle()
    /// The copies that are made for no attempt: see FileLoop+Copies.
    var copies: [AttemptToken: ContentDigest] = [:]
    var nextCopy: UInt64 = 1

    // The connection: see FileLoop+Connection.
    private(set) var session: SessionID?
    var context: Context?
    var connection: CoordinatorConnection?
    /// The number of the connection, so that what libzmq frees of an earlier one does not count.
    var connectionNumber: UInt64 = 0
    /// Whether a search is under way, possibly one whose result is no longer needed.
    var isSearching = false
    /// When to look for the coordinator again; nil for at once.
    var restsUntil: Duration?
    /// Whether the connection was needed so far.
    private var hasFiles = false

    // Other workers: see FileLoop+Direct.
    var server: DataServer?
    let links: HolderLinks
    /// How many of the bytes that came directly the coordinator was told of.
    var toldDirectBytes: UInt64 = 0

    /// The most messages of one turn: each may have a piece to be written.
    static let messagesPerTurn = 32
    /// The least time between two reports of how far the fetches are, and before the first.
    private static let progressInterval = Duration.milliseconds(500)

    init(
        store: FileStore,
        way: Way,
        letters: PolledMailbox<Letter>,
        mailbox: PolledMailbox<WorkerLetter>,
        logger: Logger
    ) {
        self.store = store
        self.way = way
        self.letters = letters
        self.mailbox = mailbox
        self.logger = logger
        serving = FileServing(store)
        links = HolderLinks(way: way, poller: poller, letters: letters)
    }

    /// The time since the start of the thread.
    var now: Duration { ContinuousClock.now - start }

    /// Whether the connection is of use: files are kept here or missing, or the coordinator has to know the address for other workers.
    var needsConnection: Bool { session != nil && (hasFiles || !fetches.isEmpty || server != nil) }

    /// Runs until the letter `stop`.
    func run() {
        let bell = poller.add(letters.bell)
        defer {
            closeConnection()
            links.closeAll()
            server?.close()
            for file in incoming.values { file.abandon() }
            poller.remove(bell)
        }
        while !isStopping {
            do throws(ZeroMQError) {
                try turn()
            } catch {
                noteFailure(error)
            }
        }
    }

    /// Notes that the connection is of no use any more.
    func noteFailure(_ error: ZeroMQError) {
        logger.error("the connection for files has failed; trying again", metadata: ["reason": "\(error)"])
        loseConnection()
    }

    private func turn() throws(ZeroMQError) {
        try poller.poll(timeout: serving.canServe || canServeDirectly ? .zero : timeUntilDue)
        for letter in letters.takeAll() { open(letter) }
        try receive()
        receiveDirectly()
        if fetches.isStuck(at: now) { loseConnection() }
        openConnectionIfNeeded()
        carryOutFetches()
        reportProgress()
        serveDirectly()
        try serve()
    }

    private var timeUntilDue: Duration? {
        let awaitsConnection = needsConnection && connection == nil && !isSearching
        let due = Optional.least(fetches.nextDeadline, awaitsConnection ? restsUntil : nil)
        return Optional.least(.least(due, progressDueAt), links.nextDeadline).map { max(.zero, $0 - now) }
    }

    // MARK: - What comes in

    private func open(_ letter: Letter) {
        switch letter {
        case .welcomed(let session, let endpoint):
            closeConnection()
            way.coordinator = endpoint
            // A worker's new session may be one with another coordinator.
            if self.session != session { server?.endSession() }
            dropCopies { _ in true }
            self.session = session
            restsUntil = nil
            hasFiles = hasFiles || !store.all.isEmpty
        case .disconnected:
            session = nil
            closeConnection()
            dropCopies { _ in true }
            server?.endSession()
        case .filesKept: hasFiles = true
        case .fetch(let files, let token):
            fetches.fetch(files.map(\.file).filter { !store.holds($0.digest) }, of: token)
        case .drop(let token): fetches.drop(token)
        case .copy(let files): for file in files { copy(file) }
        case .endCopies(let digests):
            dropCopies { digests.contains($0) }
            store.endCopies(of: digests, onlyReleased: true)
        case .found(let finding, let endpoint): finishSearch(for: endpoint, finding)
        case .listen(let endpoint, let outcome): listen(at: endpoint, outcome)
        case .foundHolder(let address, let finding): finishSearch(for: address, finding)
        case .freedDirectly(let count, let peer): server?.freed(count, of: peer)
        case .freed(let count, let number):
            if number == connectionNumber { serving.freed(count) }
        case .stop: isStopping = true
        }
    }

    private func receive() throws(ZeroMQError) {
        guard let connection else { return }
        if connection.hasMessages { try receiveMessages(over: connection) }
        guard connection.hasEvents else { return }
        while let event = try self.connection?.monitor.next() { note(event) }
    }

    private func receiveMessages(over connection: CoordinatorConnection) throws(ZeroMQError) {
        for _ in 0..<Self.messagesPerTurn {
            guard let message = try connection.socket.receive() else { return }
            do {
                try message.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Void in
                    guard MessageBundle.isBundle(bytes) else { return try take(bytes) }
                    for part in try MessageBundle.parts(of: bytes) {
                        try take(UnsafeRawBufferPointer(rebasing: bytes[part]))
                    }
                }
            } catch {
                logger.warning("dropped a message about files", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard PassedPiece.isPiece(bytes) else { return receive(try CoordinatorMessage(decoding: bytes)) }
        let passed = try PassedPiece(decoding: bytes)
        fetches.receive(passed.piece, number: passed.echo, at: now)
    }

    private func receive(_ message: CoordinatorMessage) {
        switch message {
        case .readPiece(let number, let echo, let digest, let offset, let limit):
            serving.add(.init(number: number, echo: echo, digest: digest, offset: offset, limit: limit))
        case .pieceUnavailable(let echo, let isLost):
            fetches.receiveUnavailable(number: echo, isLost: isLost, at: now)
        case .directSource(let echo, let digest, let address, let ticket):
            let source = DirectSource(address: address, ticket: ticket)
            fetches.receiveSource(source, of: digest, number: echo, at: now)
        case .admitReader(let ticket, let digest, let seconds):
            server?.admit(ticket, to: digest, for: .seconds(Int64(seconds)), at: now)
        default:
            // All else is said over the connection of the worker itself.
            break
        }
    }

    /// Notes that requests can be sent over a new connection.
    func connectionOpened() { fetches.connected(at: now) }

    /// Notes that requests that were sent over the connection will not be answered.
    func connectionClosed() {
        requests = MessageBundle()
        fetches.disconnected()
        serving.removeAll()
        links.closeAll()
    }

    // MARK: - What goes out

    /// Carries out all actions: none may be left out, also if the connection fails meanwhile.
    private func carryOutFetches() {
        var actions = fetches.takeActions(at: now)
        guard !actions.isEmpty else { return }
        store.gatherArrivals()
        repeat {
            for action in actions { carryOut(action) }
            actions = fetches.takeActions(at: now)
        } while !actions.isEmpty
        store.tellArrivals()
        sendRequests()
    }

    /// Sends the coordinator the requests of the actions, as few messages as they fit into.
    private func sendRequests() {
        guard let bytes = requests.take(), let connection else { return }
        do throws(ZeroMQError) {
            _ = try connection.socket.send(bytes)
        } catch {
            noteFailure(error)
        }
    }

    /// Reports how far the fetches are, if that is due; short ones end without a report.
    private func reportProgress() {
        guard fetches.moves != toldMoves else { return }
        guard let due = progressDueAt else { return progressDueAt = now + Self.progressInterval }
        guard due <= now else { return }
        toldMoves = fetches.moves
        progressDueAt = nil
        if !fetches.isEmpty { mailbox.post(.filesArriving(fetches.arrived)) }
        tellDirectBytes()
    }

    private func carryOut(_ action: FileFetches.Action) {
        switch action {
        case .begin(let file): begin(file)
        case .ask(let number, let token, let digest, let offset, let limit):
            guard connection != nil, let session else { return }
            let request = WorkerMessage.fetchPiece(session, number: number, token, digest, offset: offset, limit: limit)
                .encoded()
            if !requests.hasRoom(for: request.count) { sendRequests() }
            requests.append(request)
        case .askDirectly(let request, let address): ask(request, of: address)
        case .leave(let address): leave(address)
        case .write(let digest, let bytes): write(bytes, to: digest)
        case .finish(let digest): finish(digest)
        case .abandon(let digest): incoming.removeValue(forKey: digest)?.abandon()
        case .report(let token):
            if token.isOfCopy { return endCopy(token) }
            // An attempt is not told to have its files before the files are told to be here.
            store.tellArrivals()
            mailbox.post(.filesFetched(token))
        case .giveUp(let token, let digest):
            if token.isOfCopy { return giveUpCopy(token, hasRoom: true) }
            mailbox.post(.filesUnavailable(token, [digest]))
        case .fail(let token, let digest):
            if token.isOfCopy { return giveUpCopy(token, hasRoom: false) }
            let failure = failures[digest] ?? FileFailure("The worker cannot keep the file \(digest).")
            mailbox.post(.fetchFailed(token, failure))
        }
    }

    private func begin(_ file: KeptFile) {
        // An attempt on this host may have left the same content since.
        guard !store.holds(file.digest) else { return fetches.isHeld(file.digest) }
        do throws(FileFailure) {
            incoming[file.digest] = try store.receive(file)
            fetches.began(file.digest)
        } catch {
            fail(file.digest, error)
        }
    }

    private func write(_ bytes: [UInt8], to digest: ContentDigest) {
        guard let file = incoming[digest] else { return }
        let failure = bytes.withUnsafeBytes { bytes -> FileFailure? in
            do throws(FileFailure) {
                try file.write(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let failure { fail(digest, failure) }
    }

    private func finish(_ digest: ContentDigest) {
        guard let file = incoming.removeValue(forKey: digest) else { return }
        do throws(FileFailure) {
            let isRight = try file.finish()
            if isRight {
                failures[digest] = nil
            } else {
                logger.warning("a file has arrived damaged", metadata: ["digest": "\(digest)"])
            }
            fetches.finished(digest, isRight: isRight, at: now)
        } catch {
            fail(digest, error)
        }
    }

    /// Notes that a file cannot be kept here for the moment.
    private func fail(_ digest: ContentDigest, _ failure: FileFailure) {
        logger.warning("a file cannot be kept", metadata: ["digest": "\(digest)", "reason": "\(failure)"])
        incoming.removeValue(forKey: digest)?.abandon()
        failures[digest] = failure
        fetches.failed(digest, at: now)
    }

    /// Sends the coordinator the next long piece, or as many short ones as fit into a message.
    private func serve() throws(ZeroMQError) {
        guard let connection else { return }
        var pieces = MessageBundle()
        while let length = serving.nextLength, pieces.hasRoom(for: length), let piece = serving.nextPiece() {
            pieces.append(piece.encoded())
        }
        guard let bytes = pieces.take() else { return }
        // The count alone: with the bytes, the closure would keep them until libzmq has freed its copy.
        let (count, number) = (bytes.count, connectionNumber)
        serving.handed(count)
        _ = try connection.socket.send(bytes) { [letters] in letters.post(.freed(count, connection: number)) }
    }
}
