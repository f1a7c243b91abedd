@_spi(Baton) import BatonInvariants

/// Chooses the peer to serve next: the peer that has received the least, in bytes of replies.
///
/// The algorithm is start-time fair queueing. A new or returning peer starts at the present position of the waiting peers:
/// the peer neither pays for service before its arrival nor has any credit. A peer that has received little so far comes
/// first, so that a few short requests in sequence do not each wait for a full round of the other peers.
struct FairTurns<Peer: Hashable> {
    /// A peer's place among the waiting peers; the lowest place is next.
    struct Place: Comparable {
        fileprivate var group: Int
        /// The peer's position, before or after the next reply.
        fileprivate var position: Int

        static func < (one: Self, other: Self) -> Bool { (one.group, one.position) < (other.group, other.position) }
    }

    private struct Share {
        /// The peer's position.
        var end: Int
        /// The bytes that the peer has received since its arrival.
        var given: Int
    }

    /// The bytes that a new peer receives before the peer counts as an established peer.
    static var little: Int { 32 << 10 }

    private var shares: [Peer: Share] = [:]
    /// The start position of new peers.
    private var position = 0
    /// Whether the last served peer was new.
    private var wasNew = false
    /// The number of known peers that triggers the removal of peers behind the start position.
    private var nextForgetting = Self.fewPeers
    private static var fewPeers: Int { 1024 }

    /// A peer's place, if the next reply has about this many bytes.
    ///
    /// Among new peers, the peer with the lowest total including its reply comes first. New and established peers alternate,
    /// so that an endless sequence of new peers does not block the established peers.
    func place(of peer: Peer, for bytes: Int) -> Place {
        let share = share(of: peer)
        let isNew = isNew(share)
        return Place(group: isNew == wasNew ? 1 : 0, position: isNew && !wasNew ? share.end + bytes : share.end)
    }

    /// Notes that a peer receives a reply of about this many bytes.
    mutating func serve(_ peer: Peer, _ bytes: Int) {
        var share = share(of: peer)
        wasNew = isNew(share)
        if !wasNew { position = share.end }
        invariant(bytes >= 0, "A peer receives less than nothing.")
        share.end += bytes
        share.given += bytes
        shares[peer] = share
        if shares.count >= nextForgetting {
            let reached = position
            shares = shares.filter { $0.value.end >= reached }
            nextForgetting = max(Self.fewPeers, 2 * shares.count)
        }
    }

    /// Corrects the length of a reply by the difference between the actual and the assumed bytes.
    mutating func correct(_ peer: Peer, by bytes: Int) {
        shares[peer]?.end += bytes
        shares[peer]?.given += bytes
    }

    /// Notes that a peer has gone.
    mutating func forget(_ peer: Peer) { shares[peer] = nil }

    /// A peer's share; a new share if the other peers have moved past the peer's position.
    private func share(of peer: Peer) -> Share {
        guard let share = shares[peer], share.end >= position else { return Share(end: position, given: 0) }
        return share
    }

    private func isNew(_ share: Share) -> Bool { share.given < Self.little }
}
