/// Which peer is served next: the one that was given least, counted in bytes of answers.
///
/// This is start-time fair queueing. A peer that comes, or comes back, starts where the one is that was served last: it waits
/// for nothing that the others had before, and has nothing in hand either.
struct FairTurns<Peer: Hashable> {
    /// A peer's place among those that wait; the least one is next.
    struct Place: Comparable {
        /// Whether it has just come, and lets one of the others go first.
        fileprivate var givesWay: Bool
        /// How much was given to the peer, from where it started.
        fileprivate var start: Int
        /// Whether it goes on with what it has asked.
        fileprivate var goesOn: Bool

        private var order: (Int, Int, Int) { (givesWay ? 1 : 0, start, goesOn ? 1 : 0) }

        static func < (one: Self, other: Self) -> Bool { one.order < other.order }
    }

    /// How far all have come that were given something.
    private var ends: [Peer: Int] = [:]
    /// Where those start that come now.
    private var position = 0
    /// Whether the one that was served last had just come.
    private var wasNew = false
    /// How many peers are known before those are forgotten that are where new ones start.
    private var nextForgetting = Self.fewPeers
    private static var fewPeers: Int { 1024 }

    /// A peer's place, if it were to be served now.
    ///
    /// One that has just come does not wait for a round of those that go on. But one of them comes behind each new one, so that an
    /// endless row of those does not keep them from their turns.
    func place(of peer: Peer) -> Place {
        let isNew = isNew(peer)
        return Place(givesWay: isNew && wasNew, start: max(ends[peer] ?? position, position), goesOn: !isNew)
    }

    /// Notes that a peer is given an answer of about so many bytes.
    mutating func serve(_ peer: Peer, _ bytes: Int) {
        wasNew = isNew(peer)
        position = max(position, ends[peer] ?? position)
        ends[peer] = position + bytes
        if ends.count >= nextForgetting {
            let reached = position
            ends = ends.filter { $0.value >= reached }
            nextForgetting = max(Self.fewPeers, 2 * ends.count)
        }
    }

    /// Notes that an answer was longer than was assumed, or shorter, by so many bytes.
    mutating func correct(_ peer: Peer, by bytes: Int) {
        if let end = ends[peer] { ends[peer] = end + bytes }
    }

    private func isNew(_ peer: Peer) -> Bool { ends[peer].map { $0 < position } ?? true }

    /// Notes that a peer is gone.
    mutating func forget(_ peer: Peer) { ends[peer] = nil }
}
