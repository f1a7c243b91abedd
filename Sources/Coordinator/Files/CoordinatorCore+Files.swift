@_spi(Baton) import BatonLogging
@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) package import BatonWire
@_spi(Baton) package import BatonZeroMQ

/// Moves pieces of files from the workers that keep them to workers and clients.
///
/// A worker sends requests and requested pieces over its second connection, so that they delay no other message of the worker (FI12).
extension CoordinatorCore {
    /// Whether any worker has a connection for files.
    package var movesFiles: Bool { !fileConnections.isEmpty }

    /// Whether a connection is one for files: only such a connection has bundles.
    package func isForFiles(_ peer: RoutingID) -> Bool { fileConnections.session(of: peer) != nil }

    // MARK: - Connections

    /// Takes a connection for that over which a session moves files, if it was made with the key of the session's worker (FI11).
    func openFileConnection(_ session: SessionID, over peer: RoutingID, by requester: Requester?) {
        guard scheduler.isCurrent(session), mayUse(session, withKey: requester?.number.rawValue) else {
            return logger.debug(
                "a connection for files belongs to no session, or to that of another key",
                metadata: ["peer": "\(peer)"]
            )
        }
        guard fileConnections[session] != peer else { return }
        // Whatever was on its way over an earlier connection of the session is lost.
        let lost = [fileConnections[session], peer].compactMap { $0 }.flatMap { forgetFileConnection($0) }
        fileConnections.open(session, over: peer)
        for request in lost { askHolder(for: request) }
        pieces.resumePostponed()
    }

    /// Notes that a connection has ended, and asks other holders for the pieces that were requested over it.
    func fileConnectionEnded(_ peer: RoutingID) {
        guard movesFiles else { return }
        for request in forgetFileConnection(peer) { askHolder(for: request) }
    }

    /// Forgets a connection and its requests.
    ///
    /// - Returns: the requests that its worker was to answer.
    private func forgetFileConnection(_ peer: RoutingID) -> [PieceRequest] {
        guard let session = fileConnections.close(peer) else { return [] }
        pieces.forgetAsker(peer)
        defer { pieces.forgetHolder(session) }
        return pieces.takeAll(of: session)
    }

    /// Passes requests on that workers do not answer, and forgets connections of workers that are gone.
    func tidyFiles() {
        pieces.resumePostponed()
        guard movesFiles else { return }
        for peer in fileConnections.peers(unless: { scheduler.isCurrent($0) }) { fileConnectionEnded(peer) }
        leaveSuspectHolders()
        for holder in pieces.takeSilentHolders(at: now) {
            // A client waits until a silent worker is heard, or is lost.
            let isLeft = scheduler.isPresent(holder) || pieces.isSilentForLong(holder, at: now)
            let requests = pieces.takeAll(of: holder) { isLeft || !$0.isOfClient }
            if !isLeft { pieces.excuse(holder, at: now) }
            guard !requests.isEmpty else { continue }
            logger.notice(
                "a worker does not send the files that it keeps",
                metadata: ["worker": "\(scheduler.worker(of: holder)?.asShown ?? "")"]
            )
            for request in requests { askHolder(for: request, after: holder) }
        }
    }

    /// Asks other workers for what silent ones were asked for, as far as others have the files and are heard.
    private func leaveSuspectHolders() {
        for holder in pieces.askedHolders where !scheduler.isPresent(holder) {
            let requests = pieces.takeAll(of: holder) { request in
                scheduler.holders(of: request.digest).contains { other in
                    other != holder && other != request.session && !request.tried.contains(other)
                        && fileConnections[other] != nil && scheduler.isPresent(other)
                }
            }
            guard !requests.isEmpty else { continue }
            pieces.noteSilence(of: holder, at: now)
            logger.notice(
                "a worker is silent; another one is asked for the files that both keep",
                metadata: ["worker": "\(scheduler.worker(of: holder)?.asShown ?? "")"]
            )
            for request in requests { askHolder(for: request) }
        }
    }

    // MARK: - Requests

    /// Takes a worker's request for a piece of a file that one of its attempts needs, or that it is to copy (FI11).
    func fetchPiece(
        _ session: SessionID,
        number: UInt64,
        _ token: AttemptToken,
        _ digest: ContentDigest,
        offset: UInt64,
        limit: UInt32,
        from peer: RoutingID
    ) {
        guard fileConnections.session(of: peer) == session, limit > 0, pieces.hasRoom(for: peer) else {
            return logger.debug("a request for a piece of a file is ignored", metadata: ["peer": "\(peer)"])
        }
        guard scheduler.mayRead(session, token, digest) else {
            if !token.isOfCopy { apply(.fetchOutdated(session, token)) }
            // The attempt may be about to become the worker's, as after a restart: it may ask again.
            return sendOverFiles(.pieceUnavailable(echo: number, isLost: false), to: peer)
        }
        pieces.append(
            PieceRequest(
                asker: .worker(peer, session, echo: number),
                digest: digest,
                offset: offset,
                limit: min(limit, UInt32(FilePiece.maximumLength))
            )
        )
    }

    /// Asks holders for the pieces that there is room for.
    func servePieces() {
        while let request = pieces.takeNext() { askHolder(for: request) }
    }

    /// Asks a worker for a piece; without one that keeps the file and can be asked, tells so.
    ///
    /// - Parameter holder: a worker that was asked in vain.
    func askHolder(for request: PieceRequest, after holder: SessionID? = nil) {
        // The closures below have a constant: Swift 6.3.1's optimizer stops at closures with a request that changes later.
        let request = request.tried(at: holder)
        let keepers = scheduler.holders(of: request.digest)
        var candidates = keepers.filter {
            $0 != request.session && !request.tried.contains($0) && fileConnections[$0] != nil
        }
        // The present ones come first.
        if candidates.count > 1, let first = candidates.first, let last = candidates.last, scheduler.isPresent(first),
            !scheduler.isPresent(last)
        {
            candidates.removeAll { !scheduler.isPresent($0) }
        }
        if mayBeDirect(request) { preferDirect(&candidates) }
        guard let chosen = pieces.holder(for: request, among: candidates), let peer = fileConnections[chosen] else {
            pieces.drop(request)
            let isLost = scheduler.isLost(request.digest)
            // A worker opens its connection for files with the first file, or after a loss, and is asked then. After a restart of the
            // coordinator, workers that keep the file may come back.
            let isExpected =
                keepers.isEmpty
                ? !isLost : keepers.contains { !request.tried.contains($0) && fileConnections[$0] == nil }
            // A silent worker is either heard again or lost, which ends the wait.
            let isSilent = keepers.contains { !request.tried.contains($0) && !scheduler.isPresent($0) }
            if isExpected, pieces.postpone(request, at: now, isSilent: isSilent) { return }
            return tellUnavailable(request, isLost: isLost)
        }
        var admitted = request
        admitted.ticket = mayBeDirect(request) ? admitReader(of: request, at: chosen, over: peer) : nil
        let number = pieces.open(admitted, of: chosen, at: now)
        let message = CoordinatorMessage.readPiece(
            number: number,
            echo: request.echo,
            request.digest,
            offset: request.offset,
            limit: request.limit
        )
        sendOverFiles(message, to: peer)
    }

    private func tellUnavailable(_ request: PieceRequest, isLost: Bool) {
        switch request.asker {
        case .worker(let peer, _, let echo):
            pieces.noteIncomplete(request.digest, for: peer)
            sendOverFiles(.pieceUnavailable(echo: echo, isLost: isLost), to: peer)
        case .client(let client, let wanted):
            send(.refused(isLost ? .lostFile(wanted) : .absentFile(wanted)), to: client)
        }
    }

    /// Sends a message over a connection for files, whose bytes count until they are delivered.
    func sendOverFiles(_ message: CoordinatorMessage, to peer: RoutingID) {
        let bytes = message.encoded()
        pieces.noteMessage(bytes.count, to: peer)
        sendTogether(bytes, to: peer)
    }

    /// Notes bytes that a bundle has beside those of its messages, until its delivery.
    package func noteBundle(_ bytes: Int, to peer: RoutingID) {
        admission.noteMessage(bytes, to: peer)
        pieces.noteMessage(bytes, to: peer)
    }

    // MARK: - Answers

    /// Where a piece goes that a worker gives.
    package enum PieceDestination {
        /// On to a worker, as it is, behind a message with the source of the rest, if there is one; ``delivered(_:to:)`` has to follow
        /// for both.
        case worker(RoutingID, source: [UInt8]?)
        /// To a client, by ``answerClient(of:with:)``.
        case client(AnsweredPiece)
    }

    /// A client's request that a worker has answered.
    package struct AnsweredPiece {
        fileprivate let request: PieceRequest
        fileprivate let holder: SessionID
    }

    /// Finds the receiver of a piece; nil if no receiver waits for the piece, or if its worker does not have the file after all.
    ///
    /// - Parameters:
    ///   - head: the beginning of the message.
    ///   - length: the length of the message in bytes.
    ///   - peer: the sender, who was asked for the piece: any other one says nothing.
    package func destination(
        of head: PassedPiece.Head,
        length: Int,
        from peer: RoutingID,
        at now: Timestamp
    ) -> PieceDestination? {
        note(now)
        guard let holder = fileConnections.session(of: peer) else { return nil }
        pieces.heard(holder, at: now)
        guard let request = pieces.take(head.number, of: holder) else { return nil }
        guard head.hasPiece, head.echo == request.echo, length <= Int(request.limit) + PieceRequests.overhead else {
            noteMissing(request, at: holder, isDamaged: head.isDamaged)
            return nil
        }
        switch request.asker {
        case .worker(let receiver, _, _):
            pieces.noteGiver(holder, of: request)
            pieces.pass(length, of: request)
            pieces.noteMessage(length, to: receiver)
            let source = self.source(of: request, at: holder)
            if let source { pieces.noteMessage(source.count, to: receiver) }
            return .worker(receiver, source: source)
        case .client:
            return .client(AnsweredPiece(request: request, holder: holder))
        }
    }

    /// Answers a client with the piece in a message, unless it is another one than the client has asked for.
    package func answerClient(of answered: AnsweredPiece, with message: UnsafeRawBufferPointer) {
        let (request, holder) = (answered.request, answered.holder)
        guard case .client(let client, let wanted) = request.asker else { return }
        let piece = (try? PassedPiece(decoding: message))?.piece
        let expected = min(UInt64(request.limit), UInt64(clamping: wanted.file.size) - request.offset)
        guard let piece, piece.size == UInt64(clamping: wanted.file.size), piece.offset == request.offset,
            piece.bytes.count == Int(expected)
        else { return noteMissing(request, at: holder) }
        pieces.pass(message.count, of: request)
        send(.filePiece(piece), to: client)
    }

    /// Takes in a piece where messages have no sockets, and passes it on.
    func receive(_ head: PassedPiece.Head, _ message: [UInt8], from peer: RoutingID) {
        switch destination(of: head, length: message.count, from: peer, at: now) {
        case .worker(let receiver, let source):
            if let source { send(source, to: receiver) }
            send(message, to: receiver)
        case .client(let answered): message.withUnsafeBytes { answerClient(of: answered, with: $0) }
        case nil: break
        }
    }

    /// Takes an attempt back that cannot start for want of files.
    ///
    /// Of a file that has come damaged, other copies than those that were given may be right (FI8).
    func filesMissing(_ session: SessionID, _ token: AttemptToken, _ digests: [ContentDigest]) {
        apply(.filesMissing(session, token, digests, givers: takeGivers(of: digests, to: session)))
    }

    /// Notes that a worker could not copy files.
    ///
    /// - Parameter hasRoom: whether the worker has room for them: no worker sends them, or they arrived damaged.
    func filesNotCopied(_ session: SessionID, _ digests: [ContentDigest], hasRoom: Bool) {
        // For want of room, a file is given up in the midst of right pieces.
        let givers = hasRoom ? takeGivers(of: digests, to: session) : [:]
        apply(.filesNotCopied(session, digests, givers: givers))
    }

    /// The workers that have sent pieces of a file that its receiver gives up; none if no piece has arrived.
    private func takeGivers(of digests: [ContentDigest], to session: SessionID) -> [ContentDigest: [SessionID]] {
        var givers: [ContentDigest: [SessionID]] = [:]
        if let peer = fileConnections[session] {
            for digest in digests { givers[digest] = pieces.giveUp(digest, for: peer) }
        }
        return givers
    }

    /// Notes that a worker does not have a file, or not as it was, and asks another one.
    ///
    /// - Parameter isDamaged: whether it has found its copy damaged.
    private func noteMissing(_ request: PieceRequest, at holder: SessionID, isDamaged: Bool = false) {
        filesDropped(holder, [request.digest], areDamaged: isDamaged)
        askHolder(for: request, after: holder)
    }
}
