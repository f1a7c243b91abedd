@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Decodes the large requests of clients on another thread, since a submission of a million operations takes a second to
/// decode.
///
/// Decoding needs several times the memory of a message, so only one message is decoded at a time, with the clients in turn.
/// A client's requests after a large request wait behind the large request, so that the client's requests keep their order. A hello
/// does not wait: a client sends it as a probe, and takes a coordinator that does not answer for gone.
/// Only the coordinator's thread may use this class.
final class LargeRequests {
    /// Decodes a message, and notes how much of it is decoded.
    typealias Decoding = @Sendable (UnsafeRawBufferPointer, ReadingProgress) -> ReceivedMessage

    /// The messages of each peer that are not passed on yet, including the message in decoding.
    private var lines: [RoutingID: Fifo<AcceptedMessage>] = [:]
    /// The peers with waiting messages, in the order of their turns.
    private var turns: [RoutingID] = []
    /// The bytes of waiting messages, in encoded form.
    private var waiting = ByteBudget<RoutingID>(ofPeer: 64 << 20, inAll: 128 << 20, ownShare: 64 << 10)
    /// The peer of the message in decoding, and how much of the message is decoded; nil while none is.
    private var reading: (peer: RoutingID, progress: ReadingProgress)?
    private let decode: Decoding

    /// - Parameter decode: decodes a message.
    init(decode: @escaping Decoding) { self.decode = decode }

    /// Whether a message has to go through ``put(_:from:)``.
    func accepts(_ message: borrowing Message, from peer: RoutingID) -> Bool {
        lines[peer] != nil && !message.withUnsafeBytes { ClientMessage.isHello($0) }
            || message.count >= ReceivedMessage.leastLargeLength
                && message.withUnsafeBytes { ClientMessage.requestNumber(of: $0) } != nil
    }

    /// Takes a message, to be decoded in its turn.
    ///
    /// - Parameter requester: the holder of the sender's key; nil for a coordinator without keys.
    /// - Returns: false if the peer has no room for the message, and the message was dropped.
    func put(_ message: consuming Message, from peer: RoutingID, by requester: Requester?) -> Bool {
        guard waiting.hasRoom(for: message.count, of: peer) else { return false }
        waiting.reserve(message.count, for: peer)
        if lines[peer] == nil { turns.append(peer) }
        lines[peer, default: Fifo()].append(AcceptedMessage(message, requester))
        invariant(turns.count == lines.count, "A peer with large requests has no turn.")
        return true
    }

    /// Decodes the next message, unless another message is in decoding.
    ///
    /// The closure receives the result on another thread; a call to ``noteRead(from:)`` has to follow.
    func readNext(then passOn: @escaping @Sendable (ReceivedMessage, RoutingID, Requester?) -> Void) {
        guard reading == nil, let peer = turns.first else { return }
        guard let taken = lines[peer]?.first else { failInvariant("A peer without large requests has a turn.") }
        let progress = ReadingProgress()
        reading = (peer, progress)
        let read: @Sendable () -> Void = { [decode] in
            passOn(taken.message.withUnsafeBytes { decode($0, progress) }, peer, taken.requester)
        }
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "submissions", read)
        } catch {
            // Without room for a thread the peers wait for the message.
            read()
        }
    }

    /// Notes that the coordinator's thread has received the decoded message.
    func noteRead(from peer: RoutingID) {
        invariant(reading?.peer == peer, "A large request was decoded that was not in decoding.")
        reading = nil
        guard let taken = lines[peer]?.popFirst() else { failInvariant("A large request was decoded twice.") }
        waiting.giveBack(taken.message.count, of: peer)
        turns.removeAll { $0 == peer }
        if lines[peer]?.isEmpty == true { lines[peer] = nil } else { turns.append(peer) }
        invariant(turns.count == lines.count, "A peer without large requests has a turn.")
    }

    /// How much of a peer's first waiting message is decoded, in whole percent; nil if no message of the peer waits.
    func percentRead(from peer: RoutingID) -> UInt8? {
        guard let length = lines[peer]?.first?.message.count else { return nil }
        guard let reading, reading.peer == peer else { return 0 }
        return UInt8(clamping: reading.progress.bytes * 100 / max(length, 1))
    }

    /// Carries a message to the decoding thread.
    private final class AcceptedMessage: Sendable {
        let message: Message
        let requester: Requester?

        init(_ message: consuming Message, _ requester: Requester?) {
            self.message = message
            self.requester = requester
        }
    }
}
