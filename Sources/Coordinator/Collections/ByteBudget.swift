@_spi(Baton) import BatonInvariants

/// Limits the bytes reserved for each peer and for all peers together.
///
/// Each peer has a small share of its own, independent of the other peers. A peer that has nothing reserved may reserve
/// a single item of any size. Once the total exceeds the limit, only one peer at a time may do so.
struct ByteBudget<Peer: Hashable> {
    /// The most bytes for one peer, unless a single item is reserved for the peer.
    let ofPeer: Int
    /// The most bytes for all peers, when a peer with some reserved bytes asks for more.
    let inAll: Int
    /// The most bytes for all peers, when a peer that has nothing reserved asks for some.
    let forFirst: Int
    /// The bytes that a peer may always reserve, whatever is reserved for the other peers.
    let ownShare: Int

    /// The bytes reserved for all peers.
    private(set) var total = 0
    private var reserved: [Peer: Int] = [:]
    /// The peer that took an item although the total exceeded the limit; nil if no peer did.
    private var exception: Peer?

    /// Sets the limits; no bytes are reserved.
    ///
    /// - Parameter forFirst: the most bytes for all peers when nothing is reserved for a peer; nil for the same limit as
    ///   `inAll`.
    init(ofPeer: Int, inAll: Int, forFirst: Int? = nil, ownShare: Int = 0) {
        self.ofPeer = ofPeer
        self.inAll = inAll
        self.forFirst = forFirst ?? inAll
        self.ownShare = ownShare
    }

    /// The bytes reserved for a peer.
    subscript(peer: Peer) -> Int { reserved[peer] ?? 0 }

    /// Whether a peer may take this many more bytes.
    func hasRoom(for bytes: Int, of peer: Peer) -> Bool {
        if hasOwnRoom(for: bytes, of: peer) { return true }
        guard let own = reserved[peer] else { return total + bytes <= forFirst || exception == nil }
        return own + bytes <= ofPeer && total + bytes <= inAll
    }

    /// Whether this many more bytes fit into the peer's own share.
    func hasOwnRoom(for bytes: Int, of peer: Peer) -> Bool { self[peer] + bytes <= ownShare }

    /// Adds bytes to a peer's total, whether or not the budget has room.
    mutating func reserve(_ bytes: Int, for peer: Peer) {
        guard bytes > 0 else { return }
        if exception == nil, reserved[peer] == nil, bytes > ownShare, total + bytes > forFirst { exception = peer }
        reserved[peer, default: 0] += bytes
        total += bytes
    }

    /// Removes bytes from a peer's total, at most as many bytes as are reserved for the peer.
    mutating func giveBack(_ bytes: Int, of peer: Peer) {
        guard bytes > 0, let own = reserved[peer] else { return }
        let given = min(bytes, own)
        reserved[peer] = own > given ? own - given : nil
        if own == given, exception == peer { exception = nil }
        total -= given
        invariant(total >= 0, "The bytes of all peers are fewer than none.")
        invariant(!reserved.isEmpty || total == 0, "Bytes are reserved for no peer.")
        invariant(exception.map { reserved[$0] != nil } ?? true, "A peer without bytes keeps others from the budget.")
    }
}
