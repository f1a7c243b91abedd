@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The files that a worker keeps, as its session tells them, and the files that attempts wait for.
struct SessionFiles: Sendable {
    /// The files that an attempt needs.
    struct Fetch: Sendable {
        /// The files that the coordinator has named so far.
        var files: [InputFile] = []
        /// Whether the coordinator has named all of them, and they are being fetched.
        var isUnderWay = false
    }

    /// The files that the worker keeps.
    private(set) var held: Set<ContentDigest>
    /// The files of which the coordinator has not been told, and whether the worker keeps them now.
    private var untold: [ContentDigest: Bool] = [:]
    /// Whether the coordinator of this session has not been told any file.
    private var isFirst = false
    /// Whether the coordinator has not been told everything.
    private(set) var hasNews = false
    /// The attempts for which files were named and are not here.
    private var fetches: [AttemptToken: Fetch] = [:]

    /// - Parameter held: the files that the worker keeps at its start.
    init(_ held: [ContentDigest]) {
        self.held = Set(held)
    }

    // MARK: - What the worker keeps

    /// Takes note that the worker has begun to keep files, or keeps them no longer.
    ///
    /// - Parameter isTold: whether the coordinator hears of it; without a session, the next one tells everything.
    mutating func note(held added: [ContentDigest], dropped: [ContentDigest], isTold: Bool) {
        for digest in dropped where held.remove(digest) != nil { untold[digest] = false }
        for digest in added where held.insert(digest).inserted { untold[digest] = true }
        guard isTold else { return untold.removeAll() }
        if !untold.isEmpty { hasNews = true }
    }

    /// Takes note that a file is lost, which the coordinator hears at once.
    ///
    /// - Parameter isToldAgain: whether the coordinator hears of it once more with the next news.
    /// - Returns: whether the worker has kept the file so far.
    mutating func noteLoss(of digest: ContentDigest, isToldAgain: Bool) -> Bool {
        guard held.remove(digest) != nil else { return false }
        untold[digest] = isToldAgain ? false : nil
        if isToldAgain { hasNews = true }
        return true
    }

    /// Has everything told to the coordinator of a new session.
    mutating func tellAll() {
        untold.removeAll()
        isFirst = true
        hasNews = true
    }

    /// Has files told again that the coordinator has doubted, as far as the worker keeps them.
    mutating func tellAgain(_ digests: [ContentDigest]) {
        for digest in digests where held.contains(digest) { untold[digest] = true }
        if !untold.isEmpty { hasNews = true }
    }

    /// The report for a coordinator.
    struct News {
        /// The files that the worker keeps, in order; all of them if it is the first news of a session.
        var held: [ContentDigest]
        /// The files that the worker keeps no longer, in order.
        var dropped: [ContentDigest]
        /// Whether it is the first news of a session.
        var isFirst: Bool
    }

    /// Takes the changes that the coordinator has not been told.
    mutating func takeNews() -> News {
        defer {
            untold.removeAll()
            isFirst = false
            hasNews = false
        }
        guard !isFirst else { return News(held: held.sorted(), dropped: [], isFirst: true) }
        return News(
            held: untold.lazy.filter(\.value).map(\.key).sorted(),
            dropped: untold.lazy.filter { !$0.value }.map(\.key).sorted(),
            isFirst: false
        )
    }

    // MARK: - What attempts wait for

    /// Adds files that an attempt needs.
    mutating func add(_ files: [InputFile], for token: AttemptToken) { fetches[token, default: Fetch()].files += files }

    /// Begins to fetch the files of an attempt.
    ///
    /// - Returns: the files; nil if the attempt needs none.
    mutating func beginFetch(for token: AttemptToken) -> [InputFile]? {
        guard !fetches.isEmpty, let files = fetches[token]?.files, !files.isEmpty else { return nil }
        fetches[token]?.isUnderWay = true
        return files
    }

    /// Whether files are being fetched for an attempt.
    func isFetching(for token: AttemptToken) -> Bool {
        guard !fetches.isEmpty else { return false }
        return fetches[token]?.isUnderWay ?? false
    }

    /// How much is here of the files that attempts wait for, in order.
    ///
    /// - Parameter arrived: the bytes of incomplete files that have arrived; attempts without such files are left out.
    func progress(with arrived: [ContentDigest: UInt64]) -> [AttemptFetch] {
        fetches.keys.sorted().compactMap { token in
            guard let fetch = fetches[token], fetch.isUnderWay,
                fetch.files.contains(where: { arrived[$0.file.digest] != nil })
            else { return nil }
            var seen: Set<ContentDigest> = []
            let present = fetch.files.reduce(UInt64(0)) { sum, input in
                let file = input.file
                guard seen.insert(file.digest).inserted else { return sum }
                let size = UInt64(clamping: file.size)
                let here = held.contains(file.digest) ? size : min(arrived[file.digest] ?? 0, size)
                // The sizes come from other processes.
                return sum > UInt64.max - here ? UInt64.max : sum + here
            }
            return AttemptFetch(token, present: present)
        }
    }

    /// Ends the fetch for an attempt whose files are here.
    ///
    /// - Returns: the files; nil if none were being fetched.
    mutating func endFetch(for token: AttemptToken) -> [InputFile]? {
        guard isFetching(for: token) else { return nil }
        return fetches.removeValue(forKey: token)?.files
    }

    /// Forgets the files that an attempt needs.
    ///
    /// - Returns: whether they were being fetched.
    @discardableResult
    mutating func forgetFetch(for token: AttemptToken) -> Bool {
        guard !fetches.isEmpty else { return false }
        return fetches.removeValue(forKey: token)?.isUnderWay ?? false
    }
}
