@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// The second connection of a simulated worker, over which pieces of files move.
extension FileHost {
    /// How often a file may come with a wrong digest before it counts as lost (FI8).
    private static let mostWrong = 2
    /// The most bytes of a piece: few, so that files have several pieces.
    private static let pieceLength: UInt32 = 1500
    /// The pause before a file that cannot be had for the moment is asked for again, and before another connection.
    private static let pause = Duration.seconds(1)
    /// How long a request may be open before another connection takes the place of this one.
    private static let patience = Duration.seconds(60)

    // MARK: - The connection

    /// Opens a connection for a session that was welcomed.
    func connect(_ session: SessionID) {
        guard !host.isStopped else { return unreadWelcome = session }
        disconnect()
        if sessionOfCopies != session { dropCopies { _ in true } }
        sessionOfCopies = session
        self.session = session
        let number = connection
        link = world.network.connect(
            from: host.index,
            isForFiles: true,
            receive: { [self] bytes in if connection == number { receive(bytes) } },
            loseConnection: { [self] in if connection == number { lose() } }
        )
        send(WorkerMessage.fileConnection(session).encoded())
        for fetch in fetches.values.sorted(by: { $0.token < $1.token }) { goOn(fetch) }
    }

    /// Closes the connection: nothing more comes of what was sent over it.
    func disconnect() {
        connection += 1
        if let link { world.network.close(link) }
        link = nil
        session = nil
        for fetch in asked.values { fetch.request = nil }
        asked = [:]
        unread = []
        unreadWelcome = nil
        nobodyWaits()
    }

    /// Opens another connection for the session, after a pause.
    private func lose() {
        guard let session else { return }
        disconnect()
        let number = connection
        schedule(after: Self.pause) { [self] in
            if connection == number { connect(session) }
        }
    }

    /// Opens another connection if a request has been open for very long.
    func reconnectIfStuck(_ fetch: Fetch) {
        guard let session, let request = fetch.request, request.askedAt + Self.patience <= world.now else { return }
        connect(session)
    }

    /// Reads what has come while the process was stopped.
    func goOn() {
        let (messages, welcome) = (unread, unreadWelcome)
        (unread, unreadWelcome) = ([], nil)
        for bytes in messages { receive(bytes) }
        if let welcome { connect(welcome) }
    }

    private func send(_ bytes: [UInt8]) {
        if let link { world.network.sendUp(bytes, over: link) }
    }

    private func receive(_ bytes: [UInt8]) {
        guard !host.isStopped else { return unread.append(bytes) }
        if bytes.withUnsafeBytes({ PassedPiece.isPiece($0) }) {
            guard let passed = bytes.withUnsafeBytes({ try? PassedPiece(decoding: $0) }) else {
                return world.history.report("\(host.name) got a malformed piece of a file")
            }
            return receive(passed.piece, number: passed.echo)
        }
        switch bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) }) {
        case .readPiece(let number, let echo, let digest, let offset, let limit)?:
            give(PassedPiece(number: number, echo: echo, piece: piece(of: digest, from: offset, limit: limit)))
        case .pieceUnavailable(let echo, let isLost)?: noteUnavailable(number: echo, isLost: isLost)
        case let message: world.history.report("\(host.name) got \(message as Any) over its connection for files")
        }
    }

    // MARK: - Giving

    private func piece(of digest: ContentDigest, from offset: UInt64, limit: UInt32) -> FilePiece? {
        guard let copy = store.copies[digest] else { return nil }
        let bytes = copy.bytes(of: digest)
        let start = Int(min(offset, UInt64(bytes.count)))
        let end = min(bytes.count, start + Int(limit))
        return FilePiece(offset: offset, size: UInt64(bytes.count), bytes: Array(bytes[start..<end]))
    }

    private func give(_ piece: PassedPiece) {
        let number = connection
        schedule(after: random.time(.microseconds(20), .milliseconds(5))) { [self] in
            if connection == number, host.isRunning { send(piece.encoded()) }
        }
    }

    // MARK: - Fetching

    /// Asks for the next piece of a fetch, unless it waits for one.
    func goOn(_ fetch: Fetch) {
        guard fetches[fetch.token] === fetch, fetch.request == nil else { return }
        // FI5: what is here, by whatever way, is not asked for.
        let missing = fetch.files.lazy.map(\.file).filter { [store] in !store.holds($0.digest) }
        guard !missing.isEmpty else {
            end(fetch)
            return goOnIdle()
        }
        if let digest = fetch.current?.digest, store.holds(digest) { fetch.current = nil }
        if fetch.current == nil {
            // A content comes once, for all that wait for it.
            let underWay = Set(fetches.values.lazy.compactMap(\.current?.digest))
            (fetch.current, fetch.bytes, fetch.wrong) = (missing.first { !underWay.contains($0.digest) }, [], 0)
        }
        guard let file = fetch.current else { return }
        guard file.size > 0 else { return finish(file, of: fetch) }
        guard let session, link != nil else { return }
        let number = nextNumber
        nextNumber += 1
        fetch.request = (number, world.now)
        asked[number] = fetch
        let message = WorkerMessage.fetchPiece(
            session,
            number: number,
            fetch.token,
            file.digest,
            offset: UInt64(fetch.bytes.count),
            limit: Self.pieceLength
        )
        send(message.encoded())
    }

    /// Continues the fetches that wait for contents which another fetch has requested.
    func goOnIdle() {
        for fetch in fetches.values.sorted(by: { $0.token < $1.token }) where fetch.current == nil { goOn(fetch) }
    }

    /// The fetch that an answer is for; nil if nobody waits for it.
    private func takeFetch(_ number: UInt64) -> Fetch? {
        guard let fetch = asked.removeValue(forKey: number) else { return nil }
        fetch.request = nil
        return fetches[fetch.token] === fetch ? fetch : nil
    }

    private func receive(_ piece: FilePiece?, number: UInt64) {
        guard let fetch = takeFetch(number), let file = fetch.current else { return }
        guard let piece else { return goOnLater(fetch) }
        guard !store.holds(file.digest) else { return goOn(fetch) }
        guard piece.size == UInt64(file.size), piece.offset == UInt64(fetch.bytes.count), !piece.bytes.isEmpty else {
            return noteWrong(file.digest, of: fetch)
        }
        fetch.bytes += piece.bytes
        if !fetch.wasSpoiled, random.chance(world.faults.contains(.acceptDamaged) ? 40 : 5) {
            fetch.wasSpoiled = true
            world.fileWatch?.changedOnTheWay(file.digest)
            fetch.bytes[fetch.bytes.count - 1] ^= 1
        }
        guard fetch.bytes.count < Int(file.size) else { return finish(file, of: fetch) }
        host.post(.filesArriving([file.digest: UInt64(fetch.bytes.count)]))
        goOn(fetch)
    }

    /// The file is here, and its digest is compared (FI8).
    private func finish(_ file: KeptFile, of fetch: Fetch) {
        let isWrong = fetch.bytes != SimulatedContents.bytes(of: file.digest, size: file.size)
        guard !isWrong || world.faults.contains(.acceptDamaged) else { return noteWrong(file.digest, of: fetch) }
        fetch.current = nil
        if store.keep(file, isWrong: isWrong, at: world.now) {
            host.post(.filesChanged(held: [file.digest], dropped: []))
        }
        goOn(fetch)
        goOnIdle()
    }

    private func noteWrong(_ digest: ContentDigest, of fetch: Fetch) {
        guard !store.holds(digest) else { return goOn(fetch) }
        fetch.bytes = []
        fetch.wrong += 1
        if fetch.wrong < Self.mostWrong { goOn(fetch) } else { giveUp(digest) }
    }

    private func noteUnavailable(number: UInt64, isLost: Bool) {
        guard let fetch = takeFetch(number), let file = fetch.current else { return }
        // An attempt on this host may have left the same content since.
        guard !store.holds(file.digest) else { return goOn(fetch) }
        if isLost { giveUp(file.digest) } else { goOnLater(fetch) }
    }

    /// Gives a content up, for all that wait for it.
    private func giveUp(_ digest: ContentDigest) {
        for token in fetches.keys.sorted() {
            guard fetches[token]?.files.contains(where: { $0.file.digest == digest }) == true else { continue }
            world.tell("\(host.name): nobody gives \(digest.hexadecimal.prefix(8)) for \(token)")
            fetches[token] = nil
            if token.isOfCopy {
                tellNotCopied(digest, hasRoom: true)
            } else {
                host.post(.filesUnavailable(token, [digest]))
            }
        }
        goOnIdle()
    }

    private func goOnLater(_ fetch: Fetch) {
        schedule(after: Self.pause) { [self] in
            guard fetches[fetch.token] === fetch else { return }
            if host.isStopped { goOnLater(fetch) } else { goOn(fetch) }
        }
    }
}
