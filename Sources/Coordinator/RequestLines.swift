import BatonOperations
import BatonWire
import BatonZeroMQ

/// Requests that wait until their peers have read enough of earlier answers, those of each peer in their order.
struct RequestLines {
    /// A request that waits.
    struct Waiting {
        /// What is asked.
        var request: Request
        /// The submission that it is, checked; nil where it is none.
        var submission: Result<ValidatedSubmission, Refusal>?
        /// Who asks.
        var client: ReplyAddress
    }

    private var lines: [RoutingID: Fifo<Waiting>] = [:]
    /// The peers whose requests wait, in the order in which the first of those came.
    private(set) var peers: [RoutingID] = []

    /// Whether nothing waits.
    var isEmpty: Bool { peers.isEmpty }

    /// The first request of a peer that waits.
    func first(of peer: RoutingID) -> Waiting? { lines[peer]?.first }

    /// Adds a request behind all others of its peer.
    mutating func append(_ waiting: Waiting) {
        let peer = waiting.client.peer
        if lines[peer] == nil { peers.append(peer) }
        lines[peer, default: Fifo()].append(waiting)
    }

    /// Takes the first request of a peer out.
    @discardableResult
    mutating func removeFirst(of peer: RoutingID) -> Waiting? {
        let waiting = lines[peer]?.popFirst()
        if lines[peer]?.isEmpty == true {
            lines[peer] = nil
            peers.removeAll { $0 == peer }
        }
        return waiting
    }
}
