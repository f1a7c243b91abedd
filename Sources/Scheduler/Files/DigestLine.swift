@_spi(Baton) import BatonOperations

/// Contents in the order in which they came, each once, of which any may go at any time.
struct DigestLine: Sendable {
    /// The contents, and entries of those that have gone.
    private var order: [ContentDigest] = []
    /// The entries before this place are of no use.
    private var first = 0
    private var members: Set<ContentDigest> = []

    /// The number of contents.
    var count: Int { members.count }

    /// Whether there is none.
    var isEmpty: Bool { members.isEmpty }

    /// The contents, in the order of their digests.
    var all: [ContentDigest] { members.sorted() }

    /// Whether a content is among them.
    func contains(_ digest: ContentDigest) -> Bool { members.contains(digest) }

    /// Appends a content, unless the line has it already.
    mutating func append(_ digest: ContentDigest) {
        if members.insert(digest).inserted { order.append(digest) }
    }

    /// Removes a content.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    mutating func remove(_ digest: ContentDigest) -> Bool {
        guard members.remove(digest) != nil else { return false }
        tidy()
        return true
    }

    /// Removes and returns the first content; nil if there is none.
    mutating func popFirst() -> ContentDigest? {
        while first < order.count {
            let digest = order[first]
            first += 1
            guard members.remove(digest) != nil else { continue }
            tidy()
            return digest
        }
        return nil
    }

    /// Removes entries of no use, once there are as many as others.
    private mutating func tidy() {
        guard order.count > 2 * members.count + 64 else { return }
        var seen: Set<ContentDigest> = []
        order = order[first...].filter { members.contains($0) && seen.insert($0).inserted }
        first = 0
    }
}
