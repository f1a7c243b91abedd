@_spi(Baton) import BatonInvariants

/// Counts the unanswered requests of each peer.
///
/// The coordinator keeps each request until its reply, so a peer with any number of open requests could fill the memory.
struct OpenRequests<Peer: Hashable> {
    /// The most open requests of a peer: far more than a peer needs if the peer waits for its replies.
    static var mostOfPeer: Int { 16_384 }

    private var counts: [Peer: Int] = [:]

    /// Notes a request.
    ///
    /// - Returns: false if the peer has ``mostOfPeer`` requests open already; the request is then to be refused.
    mutating func open(by peer: Peer) -> Bool {
        let count = counts[peer, default: 0]
        guard count < Self.mostOfPeer else { return false }
        counts[peer] = count + 1
        return true
    }

    /// Notes that a request is answered.
    mutating func close(by peer: Peer) {
        guard let count = counts[peer] else { failInvariant("A request is closed that is not open.") }
        invariant(count > 0, "A peer has fewer than no open requests.")
        counts[peer] = count > 1 ? count - 1 : nil
    }
}
