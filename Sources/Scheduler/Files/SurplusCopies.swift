@_spi(Baton) import BatonOperations

/// The copies of needed contents beyond those that are wanted: some workers may delete theirs when they need the room.
///
/// A surplus arises when a lost worker is back, or when an attempt has fetched a file. Nothing hurries: contents are looked at together, a
/// while after the first of them was found.
struct SurplusCopies: Sendable {
    /// How long a surplus stays at least, so that a worker that comes and goes changes nothing.
    static let pause = Duration.seconds(60)

    /// The contents that may have a surplus, until the next look.
    private var candidates: Set<ContentDigest> = []
    /// Whether a timer is set for the next look.
    private(set) var isAwaited = false
    /// The workers that may delete their copy of a content.
    private var spare: [ContentDigest: Set<WorkerIndex>] = [:]

    /// Whether all workers keep what they have.
    @inline(__always) var isEmpty: Bool { spare.isEmpty }

    /// The contents of which workers may delete copies, in order.
    var contents: [ContentDigest] { spare.keys.sorted() }

    /// The workers that may delete their copy of a content.
    func workers(with digest: ContentDigest) -> Set<WorkerIndex> {
        spare.isEmpty ? [] : spare[digest] ?? []
    }

    /// Notes that a content has more copies than wanted.
    ///
    /// - Returns: whether a look has to follow after ``pause``.
    mutating func note(_ digest: ContentDigest) -> Bool {
        candidates.insert(digest)
        guard !isAwaited else { return false }
        isAwaited = true
        return true
    }

    /// Removes and returns the contents to look at, in order.
    mutating func takeCandidates() -> [ContentDigest] {
        defer { (candidates, isAwaited) = ([], false) }
        return candidates.sorted()
    }

    /// Notes that a worker may delete its copy.
    mutating func insert(_ digest: ContentDigest, at worker: WorkerIndex) {
        spare[digest, default: []].insert(worker)
    }

    /// Notes that a worker has to keep its copy, or has none any more.
    ///
    /// - Returns: whether it might have deleted the copy.
    @discardableResult
    mutating func remove(_ digest: ContentDigest, at worker: WorkerIndex) -> Bool {
        guard !spare.isEmpty, spare[digest]?.remove(worker) != nil else { return false }
        if spare[digest]?.isEmpty == true { spare[digest] = nil }
        return true
    }

    /// Notes that a content is not needed any more.
    mutating func remove(_ digest: ContentDigest) {
        if !spare.isEmpty { spare[digest] = nil }
        if !candidates.isEmpty { candidates.remove(digest) }
    }

    /// Forgets what a worker may delete: in its next session it keeps everything.
    mutating func removeAll(at worker: WorkerIndex) {
        for digest in Array(spare.keys) { remove(digest, at: worker) }
    }
}
