@_spi(Baton) import BatonOperations

/// What keepers have although nobody needs it: for a while, a submission may still come that needs it.
///
/// A submitter sends files before the submission that uses them, and is not told to send again what is kept already.
struct SparedFiles: Sendable {
    /// How long a keeper has what nobody needs.
    static let time = Duration.seconds(3600)

    /// Contents of which keepers were told at once that nobody needs them.
    private struct Group {
        let digests: [ContentDigest]
        let end: Timestamp
    }

    /// The groups, the one that ends first at the beginning; each has a timer.
    private var groups: [Group] = []
    /// The groups before this index have ended.
    private var first = 0
    /// When the time of each content ends: it may have been needed since an earlier group.
    private var ends: [ContentDigest: Timestamp] = [:]

    /// The number of groups whose time is not over.
    var count: Int { groups.count - first }

    /// Spares contents until a time, which is not before that of earlier ones.
    mutating func spare(_ digests: [ContentDigest], until end: Timestamp) {
        groups.append(Group(digests: digests, end: end))
        for digest in digests { ends[digest] = end }
    }

    /// Takes the contents of the group that ends first, if its time is over, without those that were spared again since.
    ///
    /// - Returns: nil if no time is over.
    mutating func takeFirst(endedAt now: Timestamp) -> [ContentDigest]? {
        guard first < groups.count, groups[first].end <= now else { return nil }
        let digests = groups[first].digests.filter { digest in
            guard let end = ends[digest], end <= now else { return false }
            ends[digest] = nil
            return true
        }
        first += 1
        if first >= 64, 2 * first >= groups.count {
            groups.removeFirst(first)
            first = 0
        }
        return digests
    }
}
