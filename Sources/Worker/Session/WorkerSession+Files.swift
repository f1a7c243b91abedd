@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The files of attempts: their inputs, and the files that the worker keeps.
extension WorkerSession {
    /// The first version of the protocol in which a coordinator knows files.
    private static let firstVersionWithFiles: UInt16 = 2

    // MARK: - What attempts need

    /// Whether files are being fetched for an attempt.
    func isFetchingFiles(for token: AttemptToken) -> Bool { files.isFetching(for: token) }

    /// Takes note of files that an attempt needs, before the last piece of its inputs.
    ///
    /// They have no part in the window of inputs: files of any size would keep the inputs of all others from being requested (FI4). The
    /// coordinator lets a worker fetch for a few attempts at once.
    mutating func receiveInputFiles(_ token: AttemptToken, _ files: [InputFile]) {
        guard !files.isEmpty, let attempt = attempts[token],
            case .waiting(let assigned, awaitsInputs: true) = attempt.phase, assigned.hasInputs,
            !self.files.isFetching(for: token)
        else { return }
        self.files.add(files, for: token)
    }

    /// Has the files fetched that an attempt needs, once all of its inputs have arrived (FI4).
    ///
    /// - Returns: whether the attempt waits for files.
    mutating func fetchFiles(for token: AttemptToken) -> Bool {
        // A piece for an earlier session changes nothing.
        if files.isFetching(for: token) { return true }
        guard let needed = files.beginFetch(for: token) else { return false }
        effects.append(.fetchFiles(token, needed))
        return true
    }

    /// Inserts an attempt whose files are here into the ready queue (FI3).
    mutating func filesFetched(for token: AttemptToken) {
        guard let fetched = files.endFetch(for: token), let attempt = attempts[token],
            case .waiting(var assigned, awaitsInputs: true) = attempt.phase
        else { return }
        assigned.files = fetched
        lineWithInputs(token, attempt.place, assigned)
    }

    /// Returns an attempt whose files no worker sends.
    ///
    /// The coordinator hears of the files first, so that it does not send the attempt back at once.
    mutating func filesUnavailable(_ digests: [ContentDigest], for token: AttemptToken) {
        guard files.forgetFetch(for: token), drop(token) else { return }
        if isWelcomed { effects.append(.send(.filesMissing(session, token, digests))) }
        giveBack(token)
    }

    /// Ends an attempt for whose files there is no room here, before anything of it runs.
    ///
    /// The end tells the coordinator why, so that it does not send the attempt back at once. The attempt has no slot: it counts as one
    /// whose code is over.
    mutating func noRoomForFiles(_ lack: RoomLack, for token: AttemptToken) {
        guard files.forgetFetch(for: token), let place = attempts.index(forKey: token),
            case .waiting(_, awaitsInputs: true) = attempts.values[place].phase
        else { return }
        inputs.remove(token, at: attempts.values[place].place)
        effects.append(.discardInputs(token))
        attempts.values[place].start(at: moment)
        _ = attempts.values[place].leavePlace(at: moment)
        withLane(ofHooks: attempts.values[place].isHook) { $0.beginCollecting() }
        runningCount += 1
        finish(token, with: AttemptResult(end: .noRoom(lack, hasRun: false)))
    }

    /// Tells the coordinator how much is here of the files that attempts wait for.
    ///
    /// - Parameter arrived: the bytes that are here of files that are not complete.
    mutating func tellFetches(_ arrived: [ContentDigest: UInt64]) {
        guard isWelcomed, protocolVersion >= Self.firstVersionWithFiles else { return }
        let fetches = files.progress(with: arrived).prefix(WireLimits.maximumReportedAttempts)
        if !fetches.isEmpty { effects.append(.send(.fetchProgress(session, Array(fetches)))) }
    }

    // MARK: - What the worker keeps

    /// Tells the coordinator which files the worker keeps, after the ends of the attempts that have left them.
    ///
    /// The coordinator lets a worker remove files that it does not know to be needed.
    mutating func tellFiles() {
        guard isWelcomed, unsent.finished.isEmpty else { return }
        let news = files.takeNews()
        guard protocolVersion >= Self.firstVersionWithFiles else { return }
        // A coordinator names what may be removed: of an earlier one's word, nothing is left.
        if news.isFirst, !news.held.isEmpty { effects.append(.retainFiles(news.held)) }
        for piece in Self.pieces(of: news.dropped) { effects.append(.send(.filesDropped(session, piece))) }
        var held = Self.pieces(of: news.held)
        // A piece that is not full ends the first list.
        if news.isFirst, news.held.count.isMultiple(of: WireLimits.maximumHeldFiles) { held.append([]) }
        for (number, piece) in held.enumerated() {
            effects.append(.send(.filesHeld(session, piece, isFirst: news.isFirst && number == 0)))
        }
    }

    /// Tells the coordinator that a file is lost, before the ends of attempts that lack the file.
    ///
    /// If an end is unsent, its attempt may have left the file, so that the loss is told once more behind it.
    mutating func tellLoss(of digest: ContentDigest, isDamaged: Bool) {
        guard isWelcomed, protocolVersion >= Self.firstVersionWithFiles,
            files.noteLoss(of: digest, isToldAgain: !unsent.finished.isEmpty)
        else { return }
        effects.append(.send(.filesDropped(session, [digest], areDamaged: isDamaged)))
    }

    private static func pieces(of digests: [ContentDigest]) -> [[ContentDigest]] {
        stride(from: 0, to: digests.count, by: WireLimits.maximumHeldFiles).map { start in
            Array(digests[start..<min(start + WireLimits.maximumHeldFiles, digests.count)])
        }
    }
}
