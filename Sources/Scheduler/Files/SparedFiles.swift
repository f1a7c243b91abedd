@_spi(Baton) import BatonOperations

/// The unneeded contents that workers keep: for a while, something may still come that needs them.
///
/// A submitter sends files before the submission that uses them, and does not send again the contents that are kept already. A worker keeps
/// what an attempt has left before it tells the attempt's end; what came for an attempt that was taken back looks the same. The memory is
/// that of the contents, however often they are needed meanwhile.
struct SparedFiles: Sendable {
    /// How long a keeper keeps an unneeded content.
    static let time = Duration.seconds(3600)
    /// How long the submission may take at least that uses what was sent.
    static let timeOfSubmissions = Duration.seconds(600)
    /// How long the end of an attempt may take at least after what it has left.
    static let timeOfEnds = Duration.seconds(60)
    /// The time in which contents of other workers than keepers are looked at together.
    static let stepOfEnds = Duration.seconds(10)

    /// When a worker may delete what it has come to have at a time and nobody needs.
    static func endOfUnused(from now: Timestamp) -> Timestamp {
        let end = now + timeOfEnds
        let step = stepOfEnds.microseconds
        // Host clocks tell no time before 1970.
        let rest = max(0, end.rawValue) % step
        return rest == 0 ? end : end + .microseconds(step - rest)
    }

    /// Contents that are looked at together.
    private struct Group {
        var digests: [ContentDigest]
        let end: Timestamp
    }

    /// The groups, the one that ends first at the beginning; each has a timer, and a content is in one of them.
    private var groups: [Group] = []
    /// The groups before this index have ended.
    private var first = 0
    /// No group before this index has contents.
    private var oldest = 0
    /// When the time of each content ends, which may be later than that of its group.
    private var ends: [ContentDigest: Timestamp] = [:]

    /// The number of groups whose time is not over.
    var count: Int { groups.count - first }

    /// Whether a content is spared.
    func contains(_ digest: ContentDigest) -> Bool { ends[digest] != nil }

    /// Spares contents until a time, which is not before that of earlier ones, and not over.
    ///
    /// - Returns: whether there is another group.
    mutating func spare(_ digests: [ContentDigest], until end: Timestamp) -> Bool {
        let added = digests.filter { ends.updateValue(end, forKey: $0) == nil }
        guard !added.isEmpty else { return false }
        if count > 0, groups[groups.count - 1].end == end {
            groups[groups.count - 1].digests += added
            oldest = min(oldest, groups.count - 1)
            return false
        }
        groups.append(Group(digests: added, end: end))
        return true
    }

    /// Spares contents no longer.
    mutating func remove(_ digests: some Sequence<ContentDigest>) {
        guard !ends.isEmpty else { return }
        for digest in digests { ends[digest] = nil }
    }

    /// Takes the contents of the group that ends first, if its time is over.
    ///
    /// - Returns: the contents whose own time is over, and when the groups end that have the others now; nil if no time is over.
    mutating func takeFirst(endedAt now: Timestamp) -> (digests: [ContentDigest], later: [Timestamp])? {
        guard first < groups.count, groups[first].end <= now else { return nil }
        var ended: [ContentDigest] = []
        var later: [Timestamp: [ContentDigest]] = [:]
        for digest in groups[first].digests {
            // It may have been removed.
            guard let end = ends[digest] else { continue }
            if end > now {
                later[end, default: []].append(digest)
            } else {
                ends[digest] = nil
                ended.append(digest)
            }
        }
        first += 1
        if first >= 64, 2 * first >= groups.count {
            groups.removeFirst(first)
            oldest = max(0, oldest - first)
            first = 0
        }
        let times = later.keys.sorted()
        return (ended, times.filter { end in regroup(later[end] ?? [], until: end) })
    }

    /// Takes the content that has been spared for the longest time.
    ///
    /// Its group stays, perhaps without contents, as its timer does.
    ///
    /// - Parameters:
    ///   - bound: the latest end of the content's time.
    ///   - later: gets the ends of new groups, which have contents whose time was found to end later than that of their groups.
    /// - Returns: nil if there is none, or its time ends later than the bound.
    mutating func takeOldest(endingBy bound: Timestamp, later: inout [Timestamp]) -> ContentDigest? {
        oldest = max(oldest, first)
        while oldest < groups.count, groups[oldest].end <= bound {
            guard let digest = groups[oldest].digests.popLast() else {
                oldest += 1
                continue
            }
            // It may have been removed.
            guard let end = ends[digest] else { continue }
            guard end > groups[oldest].end else {
                ends[digest] = nil
                return digest
            }
            if regroup([digest], until: end) { later.append(end) }
        }
        return nil
    }

    /// Puts contents into the group whose time ends with theirs.
    ///
    /// - Returns: whether there is another group.
    /// - Complexity: O(log groups), and O(groups) for another one.
    private mutating func regroup(_ digests: [ContentDigest], until end: Timestamp) -> Bool {
        var (place, behind) = (first, groups.count)
        while place < behind {
            let middle = place + (behind - place) / 2
            if groups[middle].end < end { place = middle + 1 } else { behind = middle }
        }
        oldest = min(oldest, place)
        if place < groups.count, groups[place].end == end {
            groups[place].digests += digests
            return false
        }
        groups.insert(Group(digests: digests, end: end), at: place)
        return true
    }
}
