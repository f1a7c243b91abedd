import Dispatch
import Wire
import ZeroMQ

/// Reads the large requests of clients beside the coordinator's thread, which goes on meanwhile: a submission of a million
/// operations takes a second to be read.
///
/// What a client sends behind a large request takes the same way, so that its requests stay in their order. Only the
/// coordinator's thread may use it.
final class LargeRequests {
    /// From how many bytes on a request is large: reading so much takes about a millisecond.
    private static let leastLength = 64 << 10

    private let queue = DispatchQueue(label: "large requests")
    /// How many messages of each peer are being read.
    private var unread: [RoutingID: Int] = [:]

    /// Whether a message has to be given to ``read(_:from:then:)``.
    func takes(_ message: borrowing Message, from peer: RoutingID) -> Bool {
        unread[peer] != nil
            || message.count >= Self.leastLength
                && message.withUnsafeBytes { ClientMessage.requestNumber(of: $0) } != nil
    }

    /// Reads a message, and passes it on from another thread; ``noteRead(from:)`` has to follow.
    func read(
        _ message: consuming Message,
        from peer: RoutingID,
        then passOn: @escaping @Sendable (ReceivedMessage) -> Void
    ) {
        unread[peer, default: 0] += 1
        let taken = Taken(message)
        queue.async {
            passOn(taken.message.withUnsafeBytes { ReceivedMessage(decoding: $0, checksSubmission: true) })
        }
    }

    /// Notes that one of a peer's messages has come back.
    func noteRead(from peer: RoutingID) {
        guard let count = unread[peer] else { return }
        unread[peer] = count > 1 ? count - 1 : nil
    }

    /// Carries a message to the thread that reads it.
    private final class Taken: Sendable {
        let message: Message

        init(_ message: consuming Message) {
            self.message = message
        }
    }
}
