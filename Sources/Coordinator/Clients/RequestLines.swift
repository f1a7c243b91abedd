@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Requests that wait until their peers have read enough earlier replies.
///
/// Owns the waiting requests. Guarantees that the requests of each peer stay in order.
struct RequestLines {
    /// A waiting request.
    struct Waiting {
        /// The request.
        var request: ReceivedRequest
        /// The client to answer.
        var client: ReplyAddress
    }

    private var lines: [RoutingID: Fifo<Waiting>] = [:]
    /// The peers with waiting requests, in the order in which they began to wait.
    private(set) var peers: [RoutingID] = []

    /// Whether no request waits.
    var isEmpty: Bool { peers.isEmpty }

    /// The first waiting request of a peer.
    func first(of peer: RoutingID) -> Waiting? { lines[peer]?.first }

    /// Adds a request behind the other requests of its peer.
    mutating func append(_ waiting: Waiting) {
        let peer = waiting.client.peer
        if lines[peer] == nil { peers.append(peer) }
        lines[peer, default: Fifo()].append(waiting)
        invariant(lines.count == peers.count, "A peer with waiting requests has no turn.")
    }

    /// Removes the first request of a peer.
    @discardableResult
    mutating func removeFirst(of peer: RoutingID) -> Waiting? {
        let waiting = lines[peer]?.popFirst()
        if lines[peer]?.isEmpty == true {
            lines[peer] = nil
            peers.removeAll { $0 == peer }
            invariant(lines.count == peers.count, "A peer without waiting requests has a turn.")
        }
        return waiting
    }
}
