@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files that a worker keeps, by their content (FI1).
///
/// Each content is an object with its digest as the name; the inputs of attempts are links to objects. An object gets its name by a rename
/// once it is complete. All objects have the same time of last change: an object with another time or length was written to, and counts
/// again only if its digest is right (FI8).
///
/// Each object is retained until the coordinator releases it. Released objects are removed when their room is needed, oldest release first
/// (FI9). The lock is held for a few system calls at most, and never while waiting for another lock.
///
/// The first file makes the directories: a worker without files has none, and starts on a full disk, too (D9).
final class FileStore: Sendable {
    /// A content that is kept.
    struct Held {
        let size: UInt64
        /// Whether there is an object without permission to execute.
        var isPlain = false
        /// Whether there is an object that all may execute.
        var isProgram = false
        /// Whether the content arrived damaged at another host, so that its objects are checked before each use.
        var isDoubtful = false
        /// The number of the release; nil for what may not be removed.
        var release: UInt64?

        /// The bytes of the objects.
        var bytes: UInt64 { size * ((isPlain ? 1 : 0) + (isProgram ? 1 : 0)) }

        /// Whether there is an object of a kind.
        subscript(isExecutable isExecutable: Bool) -> Bool {
            get { isExecutable ? isProgram : isPlain }
            set { if isExecutable { isProgram = newValue } else { isPlain = newValue } }
        }
    }

    struct State {
        var held: [ContentDigest: Held] = [:]
        /// The bytes of all objects, and those that room is reserved for.
        var bytes: UInt64 = 0
        /// The released contents, oldest first; an entry counts only if the content still has its number.
        var releases: [(number: UInt64, digest: ContentDigest)] = []
        /// The entries before this index have been removed.
        var firstRelease = 0
        var nextRelease: UInt64 = 0
        var nextDraft: UInt64 = 0
        /// The directories of objects of a durable store whose own names are on disk.
        var syncedDirectories: Set<String> = []
        /// The contents that are being copied for no attempt, and whether each is released already.
        var copies: [ContentDigest: Bool] = [:]
        /// Whether contents that arrive from other hosts are told together, by ``FileStore/tellArrivals()``.
        var gathersArrivals = false
        /// Those that are not told yet.
        var arrivals: [ContentDigest] = []
        /// The contents whose objects were damaged, and that have not come again since.
        var damaged: Set<ContentDigest> = []

        /// Lets a content that is kept be removed, behind those that were released before.
        mutating func noteRelease(of digest: ContentDigest) {
            held[digest]?.release = nextRelease
            releases.append((nextRelease, digest))
            nextRelease += 1
        }
    }

    /// The most bytes of all files together.
    let limit: UInt64
    /// Whether the store is the home of its files, and no cache: each is on disk before it counts, and goes once it is released.
    let isDurable: Bool
    /// How files of a durable store come to the disk.
    let sync: FileSync
    /// The directory of the objects.
    let objects: String
    /// The directory of files that are not complete.
    let incoming: String
    let state = Mutex(State())
    /// Whether the worker ends, so that nothing more is kept.
    private let isStopped = Atomic(false)
    /// Is told of each change, with the lock held: so the changes come in their order.
    let onChange: @Sendable (_ held: [ContentDigest], _ dropped: [ContentDigest]) -> Void
    /// Is told in the same way of each content that was lost rather than removed, right before ``onChange``.
    private let onLoss: @Sendable (ContentDigest, _ isDamaged: Bool) -> Void

    /// The time of the last change of each object, in seconds since 1970: the first day of 2000.
    static let objectTime = 946_684_800

    /// Finds the objects of an earlier process, and removes incomplete files.
    ///
    /// - Parameters:
    ///   - directory: the directory of the files, which may be missing.
    ///   - limit: the most bytes of all files together.
    ///   - isDurable: whether each file is on disk before it counts, and goes once it is released.
    ///   - sync: how files of a durable store come to the disk.
    ///   - onChange: is told what is kept from now on, and what no longer; it may not call the store.
    ///   - onLoss: is told of each content before that is gone or damaged, and was not removed for room; it may not call the store.
    /// - Throws: ``FileFailure`` if the directory cannot be read.
    /// - Complexity: O(objects); after a boot of the host also the bytes of those that were made last.
    init(
        directory: String,
        limit: UInt64,
        isDurable: Bool = false,
        sync: FileSync = .system,
        onChange: @escaping @Sendable (_ held: [ContentDigest], _ dropped: [ContentDigest]) -> Void,
        onLoss: @escaping @Sendable (ContentDigest, _ isDamaged: Bool) -> Void = { _, _ in }
    ) throws(FileFailure) {
        self.limit = limit
        self.isDurable = isDurable
        self.sync = sync
        self.onChange = onChange
        self.onLoss = onLoss
        objects = directory + "/objects"
        incoming = directory + "/incoming"
        for place in [directory, objects] where !OwnFile.isDirectory(place) && errno == ENOTDIR {
            throw FileFailure(noDirectoryAt: place)
        }
        FileTree.remove(incoming)
        let found = try FoundObjects(in: directory, objects: objects)
        state.withLock { state in
            state.held = found.held
            state.bytes = found.held.values.reduce(0) { $0 + $1.bytes }
        }
    }

    /// Whether nothing is kept.
    var isEmpty: Bool { state.withLock { $0.held.isEmpty } }

    /// The contents that are kept, in no order.
    var all: [ContentDigest] { state.withLock { Array($0.held.keys) } }

    /// The bytes of all objects, and those that room is reserved for.
    var bytes: UInt64 { state.withLock { $0.bytes } }

    /// Whether a content is kept.
    func holds(_ digest: ContentDigest) -> Bool { state.withLock { $0.held[digest] != nil } }

    /// Has everything that is being kept given up, because the worker ends.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Whether files are still to be kept.
    var isRunning: Bool { !isStopped.load(ordering: .relaxed) }

    // MARK: - News

    /// Has contents that arrive from other hosts told together from now on, until ``tellArrivals()``, as many small ones come at a time.
    ///
    /// Those of a durable store are told at once.
    func gatherArrivals() { state.withLock { $0.gathersArrivals = true } }

    /// Tells which contents have arrived since ``gatherArrivals()``.
    func tellArrivals() {
        state.withLock { state in
            state.gathersArrivals = false
            tell(of: &state)
        }
    }

    /// Tells a change behind all earlier ones, with the lock held.
    func tell(_ held: [ContentDigest] = [], _ dropped: [ContentDigest] = [], of state: inout State) {
        if !state.arrivals.isEmpty {
            if !state.damaged.isEmpty { state.damaged.subtract(state.arrivals) }
            onChange(state.arrivals, [])
            state.arrivals = []
        }
        if !state.damaged.isEmpty { state.damaged.subtract(held) }
        if !held.isEmpty || !dropped.isEmpty { onChange(held, dropped) }
    }

    // MARK: - Releases

    /// Lets contents be removed when their room is needed; a durable store removes them at once.
    func release(_ digests: [ContentDigest]) {
        state.withLock { state in
            for digest in digests where state.copies[digest] != nil { state.copies[digest] = true }
            guard !isDurable else {
                let dropped = digests.filter { remove($0, from: &state) }
                if !dropped.isEmpty { tell([], dropped, of: &state) }
                return
            }
            for digest in digests where state.held[digest] != nil && state.held[digest]?.release == nil {
                state.noteRelease(of: digest)
            }
            // Contents that were retained again have left entries.
            guard state.releases.count > 2 * state.held.count + 1024 else { return }
            state.releases = state.releases[state.firstRelease...].filter {
                state.held[$0.digest]?.release == $0.number
            }
            state.firstRelease = 0
        }
    }

    /// Keeps contents from being removed.
    func retain(_ digests: [ContentDigest]) {
        state.withLock { state in
            for digest in digests {
                if !state.copies.isEmpty, state.copies[digest] != nil { state.copies[digest] = false }
                if state.held[digest] != nil { state.held[digest]?.release = nil }
            }
        }
    }

    // MARK: - Copies

    /// Notes that contents are about to be copied for no attempt: a release that comes before such a content applies to it.
    ///
    /// A content that has come meanwhile is kept from being removed: whoever asks for a copy needs one.
    func expectCopies(of digests: [ContentDigest]) {
        state.withLock { state in
            for digest in digests {
                state.copies[digest] = false
                if state.held[digest] != nil { state.held[digest]?.release = nil }
            }
        }
    }

    /// Those of some contents that are being copied.
    func expectedCopies(among digests: [ContentDigest]) -> [ContentDigest] {
        state.withLock { state in state.copies.isEmpty ? [] : digests.filter { state.copies[$0] != nil } }
    }

    /// Notes that contents are not being copied any more.
    ///
    /// - Parameter isReleased: whether only those are meant that are released: the others are to be copied anew.
    func endCopies(of digests: [ContentDigest], onlyReleased isReleased: Bool = false) {
        state.withLock { state in
            for digest in digests where !isReleased || state.copies[digest] == true { state.copies[digest] = nil }
        }
    }

    /// Notes that nothing is being copied any more.
    func endAllCopies() { state.withLock { $0.copies = [:] } }

    /// Removes a content that is damaged, or whose objects are gone.
    func drop(_ digest: ContentDigest, isDamaged: Bool = false) {
        state.withLock { state in
            guard remove(digest, from: &state) else { return }
            tell(of: &state)
            if isDamaged { state.damaged.insert(digest) }
            onLoss(digest, isDamaged)
            tell([], [digest], of: &state)
        }
    }

    /// Whether a content that is not kept was found damaged, and has not come again since.
    func wasDamaged(_ digest: ContentDigest) -> Bool {
        state.withLock { !$0.damaged.isEmpty && $0.damaged.contains(digest) }
    }

    /// Removes a content, with the lock held.
    ///
    /// - Returns: whether it was kept.
    func remove(_ digest: ContentDigest, from state: inout State) -> Bool {
        guard let held = state.held.removeValue(forKey: digest) else { return false }
        for isExecutable in [false, true] where held[isExecutable: isExecutable] {
            unlink(path(of: digest, isExecutable: isExecutable))
        }
        invariant(state.bytes >= held.bytes, "A store of files removes more bytes than it has.")
        state.bytes -= held.bytes
        return true
    }

    // MARK: - Room

    /// Reserves room for bytes that are about to be kept, and removes released files for it.
    ///
    /// - Throws: ``FileFailure`` if retained files leave too little room.
    func reserve(_ bytes: UInt64) throws(FileFailure) {
        let retained = state.withLock { state -> UInt64? in
            var dropped: [ContentDigest] = []
            // A file that can never fit removes no other one.
            while bytes <= limit, !fits(bytes, in: state), let digest = removeOldest(from: &state) {
                dropped.append(digest)
            }
            if !dropped.isEmpty { tell([], dropped, of: &state) }
            guard fits(bytes, in: state) else { return state.bytes }
            state.bytes += bytes
            return nil
        }
        guard let retained else { return }
        let lack = RoomLack(wanted: bytes, limit: limit, taken: retained)
        throw FileFailure(noRoom(for: bytes, beside: retained), lack)
    }

    /// Removes released files until there is room for bytes that are about to be kept, one file after the other.
    ///
    /// - Throws: ``FileFailure`` if retained files leave too little room.
    func makeRoom(for bytes: UInt64) throws(FileFailure) {
        try reserve(bytes)
        unreserve(bytes)
    }

    private func noRoom(for bytes: UInt64, beside retained: UInt64) -> String {
        let (wanted, most, taken) = (Self.text(of: bytes), Self.text(of: limit), Self.text(of: retained))
        guard isDurable else {
            return
                "The worker has no room for \(wanted) of files: it may keep \(most), and \(taken) of them are needed by "
                + "unfinished jobs or kept for a while (--keep-files). Let jobs finish, or raise the limit (--files-limit)."
        }
        return
            "There is no room for \(wanted) of files: they may take \(most), and \(taken) are taken by files that unfinished "
            + "jobs need, that jobs keep (--keep-files), or that were sent within the last minutes. Send less, or have the "
            + "coordinator started with --archive and a directory of a larger file system."
    }

    /// Gives back room that was reserved.
    func unreserve(_ bytes: UInt64) {
        state.withLock { state in
            invariant(state.bytes >= bytes, "A store of files gives back more room than it has.")
            state.bytes -= bytes
        }
    }

    private func fits(_ bytes: UInt64, in state: State) -> Bool { state.bytes <= limit && bytes <= limit - state.bytes }

    /// Removes the content that was released first, because the disk is full.
    ///
    /// - Returns: whether anything was removed.
    func makeRoom() -> Bool {
        state.withLock { state in
            guard let digest = removeOldest(from: &state) else { return false }
            tell([], [digest], of: &state)
            return true
        }
    }

    /// Removes the content that was released first, with the lock held; nil if nothing is released.
    private func removeOldest(from state: inout State) -> ContentDigest? {
        while state.firstRelease < state.releases.count {
            let (number, digest) = state.releases[state.firstRelease]
            state.firstRelease += 1
            if state.firstRelease >= 1024, state.firstRelease * 2 >= state.releases.count {
                state.releases.removeFirst(state.firstRelease)
                state.firstRelease = 0
            }
            // It may have been retained since, or removed.
            guard state.held[digest]?.release == number, remove(digest, from: &state) else { continue }
            return digest
        }
        state.releases.removeAll()
        state.firstRelease = 0
        return nil
    }

    /// A number of bytes for people.
    static func text(of bytes: UInt64) -> String { ByteSize.roughText(of: Int64(clamping: bytes)) }

    // MARK: - Places

    /// The path of an object.
    func path(of digest: ContentDigest, isExecutable: Bool) -> String {
        let name = digest.hexadecimal
        return "\(objects)/\(name.prefix(2))/\(name)\(isExecutable ? FoundObjects.programSuffix : "")"
    }

    /// A path for a file that is not complete, which no other one has.
    func draftPath() -> String {
        let number = state.withLock { state in
            defer { state.nextDraft += 1 }
            return state.nextDraft
        }
        return "\(incoming)/\(number)"
    }

    /// Makes the directories that are missing, because nothing was kept so far, or because another program has removed them.
    func makeDirectories() throws(FileFailure) {
        let directory = String(objects.dropLast("/objects".utf8.count))
        for needed in [directory, objects, incoming] { try Self.makeDirectory(needed) }
        if isDurable { for changed in [FileSync.parent(of: directory), directory] { try FileSync.directory(changed) } }
        FoundObjects.noteBoot(in: directory)
    }

    private static func makeDirectory(_ path: String) throws(FileFailure) {
        if mkdir(path, 0o700) == 0 { return }
        let code = errno
        if OwnFile.isDirectory(path) { return }
        if errno == ENOTDIR { throw FileFailure(noDirectoryAt: path) }
        throw FileFailure("Cannot make the directory", path, code: code)
    }
}
