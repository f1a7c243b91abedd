/// How many bytes are held for each peer, and for all of them together.
///
/// A peer that has nothing may always have something, however large, and a small share is every peer's own: so nobody waits
/// for what others hold.
struct ByteBudget<Peer: Hashable> {
    /// The most that is held for one peer, unless it is a single thing.
    let ofPeer: Int
    /// The most that is held for all, where they want more than their own shares.
    let inAll: Int
    /// How much a peer may have whatever is held for the others.
    let ownShare: Int

    /// How much is held for all of them.
    private(set) var total = 0
    private var held: [Peer: Int] = [:]

    /// Sets the limits; nothing is held.
    init(ofPeer: Int, inAll: Int, ownShare: Int = 0) {
        self.ofPeer = ofPeer
        self.inAll = inAll
        self.ownShare = ownShare
    }

    /// How much is held for a peer.
    subscript(peer: Peer) -> Int { held[peer] ?? 0 }

    /// Whether a peer may have so much more.
    func hasRoom(for bytes: Int, of peer: Peer) -> Bool {
        guard let own = held[peer] else { return true }
        return own + bytes <= ownShare || own + bytes <= ofPeer && total + bytes <= inAll
    }

    /// Notes that so much more is held for a peer, whether or not there was room for it.
    mutating func take(_ bytes: Int, for peer: Peer) {
        guard bytes > 0 else { return }
        held[peer, default: 0] += bytes
        total += bytes
    }

    /// Notes that so much is held for a peer no longer; more than was held is as much as was held.
    mutating func giveBack(_ bytes: Int, of peer: Peer) {
        guard bytes > 0, let own = held[peer] else { return }
        let given = min(bytes, own)
        held[peer] = own > given ? own - given : nil
        total -= given
    }
}
