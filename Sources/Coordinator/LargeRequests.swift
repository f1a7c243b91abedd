import Dispatch
import BatonWire
import BatonZeroMQ

/// Reads the large requests of clients beside the coordinator's thread, which goes on meanwhile: a submission of a million
/// operations takes a second to be read.
///
/// One message is read at a time, of each client in turn, because what is read takes several times its length. What a client
/// sends behind a large request takes the same way, so that its requests stay in their order. Only the coordinator's thread
/// may use it.
final class LargeRequests {
    private let queue = DispatchQueue(label: "large requests")
    /// The messages of each peer that were not passed on, the one that is being read included.
    private var lines: [RoutingID: Fifo<Taken>] = [:]
    /// The peers that have such messages, in the order in which they come next.
    private var turns: [RoutingID] = []
    /// How much waits to be read, as it came.
    private var waiting = ByteBudget<RoutingID>(ofPeer: 64 << 20, inAll: 128 << 20, ownShare: 64 << 10)
    private var isReading = false

    /// Whether a message has to be given to ``put(_:from:)``.
    func takes(_ message: borrowing Message, from peer: RoutingID) -> Bool {
        lines[peer] != nil
            || message.count >= ReceivedMessage.leastLargeLength
                && message.withUnsafeBytes { ClientMessage.requestNumber(of: $0) } != nil
    }

    /// Takes a message in, to be read in its turn.
    ///
    /// - Returns: false where too much waits already, and it was dropped.
    func put(_ message: consuming Message, from peer: RoutingID) -> Bool {
        guard waiting.hasRoom(for: message.count, of: peer) else { return false }
        waiting.take(message.count, for: peer)
        if lines[peer] == nil { turns.append(peer) }
        lines[peer, default: Fifo()].append(Taken(message))
        return true
    }

    /// Reads the next message, unless one is being read, and passes it on from another thread; ``noteRead(from:)`` has to
    /// follow.
    func readNext(then passOn: @escaping @Sendable (ReceivedMessage, RoutingID) -> Void) {
        guard !isReading, let peer = turns.first, let taken = lines[peer]?.first else { return }
        isReading = true
        queue.async {
            passOn(taken.message.withUnsafeBytes { ReceivedMessage(decoding: $0) }, peer)
        }
    }

    /// Notes that the message which was being read has come back.
    func noteRead(from peer: RoutingID) {
        isReading = false
        guard let taken = lines[peer]?.popFirst() else { return }
        waiting.giveBack(taken.message.count, of: peer)
        turns.removeAll { $0 == peer }
        if lines[peer]?.isEmpty == true { lines[peer] = nil } else { turns.append(peer) }
    }

    /// Carries a message to the thread that reads it.
    private final class Taken: Sendable {
        let message: Message

        init(_ message: consuming Message) {
            self.message = message
        }
    }
}
