/// How many bytes are held for each peer, and for all of them together.
///
/// A small share is every peer's own: for little, nobody waits for what others hold. A peer that has nothing may have something,
/// however large; where there is too much for that already, one peer at a time may.
struct ByteBudget<Peer: Hashable> {
    /// The most that is held for one peer, unless it is a single thing.
    let ofPeer: Int
    /// The most that is held for all, where they want more than they have.
    let inAll: Int
    /// The most that is held for all, where one that has nothing wants something.
    let forFirst: Int
    /// How much a peer may have whatever is held for the others.
    let ownShare: Int

    /// How much is held for all of them.
    private(set) var total = 0
    private var held: [Peer: Int] = [:]
    /// The one that got something although there was too much already; nil where nobody has.
    private var exception: Peer?

    /// Sets the limits; nothing is held.
    ///
    /// - Parameter forFirst: the most for all where one has nothing; nil for as much as where it has something.
    init(ofPeer: Int, inAll: Int, forFirst: Int? = nil, ownShare: Int = 0) {
        self.ofPeer = ofPeer
        self.inAll = inAll
        self.forFirst = forFirst ?? inAll
        self.ownShare = ownShare
    }

    /// How much is held for a peer.
    subscript(peer: Peer) -> Int { held[peer] ?? 0 }

    /// Whether a peer may have so much more.
    func hasRoom(for bytes: Int, of peer: Peer) -> Bool {
        if hasOwnRoom(for: bytes, of: peer) { return true }
        guard let own = held[peer] else { return total + bytes <= forFirst || exception == nil }
        return own + bytes <= ofPeer && total + bytes <= inAll
    }

    /// Whether a peer may have so much more whatever is held for the others.
    func hasOwnRoom(for bytes: Int, of peer: Peer) -> Bool { self[peer] + bytes <= ownShare }

    /// Notes that so much more is held for a peer, whether or not there was room for it.
    mutating func take(_ bytes: Int, for peer: Peer) {
        guard bytes > 0 else { return }
        if exception == nil, held[peer] == nil, bytes > ownShare, total + bytes > forFirst { exception = peer }
        held[peer, default: 0] += bytes
        total += bytes
    }

    /// Notes that so much is held for a peer no longer; more than was held is as much as was held.
    mutating func giveBack(_ bytes: Int, of peer: Peer) {
        guard bytes > 0, let own = held[peer] else { return }
        let given = min(bytes, own)
        held[peer] = own > given ? own - given : nil
        if own == given, exception == peer { exception = nil }
        total -= given
    }
}
