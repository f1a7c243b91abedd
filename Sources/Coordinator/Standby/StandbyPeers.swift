@_spi(Baton) import BatonZeroMQ

/// The peers that asked a coordinator while it stood by; the coordinator tells them when it begins to lead.
///
/// Peers that wait ask again from time to time. So the peers are kept in two halves: once the later half is full, the later half replaces
/// the earlier half, so that the coordinator forgets peers that have gone.
struct StandbyPeers {
    /// The kind of a peer, which determines the message for the peer.
    enum Kind: Hashable, Sendable {
        case worker, client
    }

    /// A peer that has asked.
    struct Peer: Hashable, Sendable {
        var address: RoutingID
        var kind: Kind
    }

    /// How many peers each half has at most.
    private let half: Int
    private var recent: [RoutingID: Kind] = [:]
    private var earlier: [RoutingID: Kind] = [:]

    /// - Parameter limit: the most peers, at least 2.
    init(atMost limit: Int = 100_000) { half = max(1, limit / 2) }

    /// How many peers are known.
    var count: Int { recent.count + earlier.count }

    /// Notes that a peer has asked.
    mutating func note(_ address: RoutingID, _ kind: Kind) {
        if recent[address] == nil, recent.count == half {
            earlier = recent
            recent = [:]
        }
        earlier[address] = nil
        recent[address] = kind
    }

    /// Returns all peers, and forgets them.
    mutating func takeAll() -> [Peer] {
        defer { (recent, earlier) = ([:], [:]) }
        return (Array(earlier) + Array(recent)).map { Peer(address: $0.key, kind: $0.value) }
    }
}
