/// Which peer is served next: the one that was given least, counted in bytes of answers.
///
/// This is start-time fair queueing. A peer that comes, or comes back, starts where those are that wait already: it waits for
/// nothing that they had before, and has nothing in hand either. While it was given little it comes first, so that a few short
/// questions one after the other do not wait for a round of the others each.
struct FairTurns<Peer: Hashable> {
    /// A peer's place among those that wait; the least one is next.
    struct Place: Comparable {
        fileprivate var group: Int
        /// How far the peer has come, or will have come with its answer.
        fileprivate var position: Int

        static func < (one: Self, other: Self) -> Bool { (one.group, one.position) < (other.group, other.position) }
    }

    private struct Share {
        /// How far the peer has come.
        var end: Int
        /// How much it was given since it came.
        var given: Int
    }

    /// How much a peer is given before it is one of those that go on, in bytes.
    static var little: Int { 32 << 10 }

    private var shares: [Peer: Share] = [:]
    /// Where those start that come now.
    private var position = 0
    /// Whether the one that was served last had come with little.
    private var wasNew = false
    /// How many peers are known before those are forgotten that are behind where new ones start.
    private var nextForgetting = Self.fewPeers
    private static var fewPeers: Int { 1024 }

    /// A peer's place, if it were to be given an answer of about so many bytes now.
    ///
    /// Of the new ones, the one that will have been given least with its answer comes first. Behind each new one comes one of
    /// those that go on, so that an endless row of new ones does not keep them from their turns.
    func place(of peer: Peer, for bytes: Int) -> Place {
        let share = share(of: peer)
        let isNew = isNew(share)
        return Place(group: isNew == wasNew ? 1 : 0, position: isNew && !wasNew ? share.end + bytes : share.end)
    }

    /// Notes that a peer is given an answer of about so many bytes.
    mutating func serve(_ peer: Peer, _ bytes: Int) {
        var share = share(of: peer)
        wasNew = isNew(share)
        if !wasNew { position = share.end }
        share.end += bytes
        share.given += bytes
        shares[peer] = share
        if shares.count >= nextForgetting {
            let reached = position
            shares = shares.filter { $0.value.end >= reached }
            nextForgetting = max(Self.fewPeers, 2 * shares.count)
        }
    }

    /// Notes that an answer was longer than was assumed, or shorter, by so many bytes.
    mutating func correct(_ peer: Peer, by bytes: Int) {
        shares[peer]?.end += bytes
        shares[peer]?.given += bytes
    }

    /// Notes that a peer is gone.
    mutating func forget(_ peer: Peer) { shares[peer] = nil }

    /// What a peer was given; nothing where the others have come farther meanwhile.
    private func share(of peer: Peer) -> Share {
        guard let share = shares[peer], share.end >= position else { return Share(end: position, given: 0) }
        return share
    }

    private func isNew(_ share: Share) -> Bool { share.given < Self.little }
}
