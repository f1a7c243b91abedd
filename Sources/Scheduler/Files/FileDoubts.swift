@_spi(Baton) import BatonOperations

/// The copies that have come damaged at other workers, and do not count before their own workers have looked at them (FI8).
struct FileDoubts: Sendable {
    private var digests: [WorkerIndex: Set<ContentDigest>] = [:]

    /// Notes that a worker's copies of contents have come damaged elsewhere.
    mutating func insert(_ doubted: [ContentDigest], at worker: WorkerIndex) {
        digests[worker, default: []].formUnion(doubted)
    }

    /// Those of some contents of which a worker's copies are in doubt.
    func contents(at worker: WorkerIndex, among named: [ContentDigest]) -> Set<ContentDigest> {
        guard !digests.isEmpty, let known = digests[worker] else { return [] }
        return known.intersection(named)
    }

    /// Whether a worker's copy of a content is in doubt.
    func contain(_ digest: ContentDigest, at worker: WorkerIndex) -> Bool {
        !digests.isEmpty && digests[worker]?.contains(digest) ?? false
    }

    /// Notes that a worker has looked at its copies of contents, or has none.
    mutating func remove(_ seen: some Sequence<ContentDigest>, at worker: WorkerIndex) {
        guard !digests.isEmpty, digests[worker] != nil else { return }
        digests[worker]?.subtract(seen)
        if digests[worker]?.isEmpty == true { digests[worker] = nil }
    }

    /// Notes that whatever a worker had is gone for good.
    mutating func removeAll(at worker: WorkerIndex) { digests[worker] = nil }
}
