@_spi(Baton) import BatonOperations

/// The unneeded contents that keepers keep: for a while, a submission may still come that needs it.
///
/// A submitter sends files before the submission that uses them, and does not send again the contents that are kept already. The memory is
/// that of the contents, however often they are needed meanwhile.
struct SparedFiles: Sendable {
    /// How long a keeper keeps an unneeded content.
    static let time = Duration.seconds(3600)

    /// Contents that are looked at together.
    private struct Group {
        let digests: [ContentDigest]
        let end: Timestamp
    }

    /// The groups, the one that ends first at the beginning; each has a timer, and a content is in one of them.
    private var groups: [Group] = []
    /// The groups before this index have ended.
    private var first = 0
    /// When the time of each content ends, which may be later than that of its group.
    private var ends: [ContentDigest: Timestamp] = [:]

    /// The number of groups whose time is not over.
    var count: Int { groups.count - first }

    /// Spares contents until a time, which is not before that of earlier ones.
    ///
    /// - Returns: whether there is another group.
    mutating func spare(_ digests: [ContentDigest], until end: Timestamp) -> Bool {
        let added = digests.filter { ends.updateValue(end, forKey: $0) == nil }
        if !added.isEmpty { groups.append(Group(digests: added, end: end)) }
        return !added.isEmpty
    }

    /// Takes the contents of the group that ends first, if its time is over.
    ///
    /// - Returns: the contents whose own time is over, and when the groups end that have the others now; nil if no time is over.
    mutating func takeFirst(endedAt now: Timestamp) -> (digests: [ContentDigest], later: [Timestamp])? {
        guard first < groups.count, groups[first].end <= now else { return nil }
        var ended: [ContentDigest] = []
        var later: [Timestamp: [ContentDigest]] = [:]
        for digest in groups[first].digests {
            if let end = ends[digest], end > now {
                later[end, default: []].append(digest)
            } else {
                ends[digest] = nil
                ended.append(digest)
            }
        }
        first += 1
        if first >= 64, 2 * first >= groups.count {
            groups.removeFirst(first)
            first = 0
        }
        for (end, digests) in later {
            let place = groups[first...].firstIndex { $0.end > end } ?? groups.count
            groups.insert(Group(digests: digests, end: end), at: place)
        }
        return (ended, later.keys.sorted())
    }
}
