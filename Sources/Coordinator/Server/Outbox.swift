@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Queues outgoing messages by peer, and hands libzmq only as much as a peer is about to read.
///
/// libzmq limits the number of messages that wait for a peer, not their bytes. The outbox therefore hands over few messages
/// at a time, lets libzmq report when long messages are freed, and retains the rest. TCP disconnects a peer that reads nothing
/// for long, by the option ``SocketOptions/unreadTimeout``. Only the coordinator's thread may use this class.
final class Outbox {
    /// The least length of a tracked message, whose end in memory libzmq reports; many shorter messages need little memory.
    private static let leastTrackedLength = 2 << 10
    /// The most bytes of tracked messages in libzmq for a peer, unless a single message is longer.
    private static let mostHanded = 2 << 20
    /// The most messages in libzmq for a peer that does not read.
    static let mostHandedMessages = 256
    /// The most bytes that wait here, for a peer and for all peers; further messages are dropped.
    ///
    /// A peer that reads never reaches the limit: replies wait to be made, and a worker gets a handful of messages for each
    /// slot.
    private static var budget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 64 << 20, inAll: 512 << 20, ownShare: 1 << 20)
    }
    /// How long to wait before sending to a blocked peer again.
    private static let pauses = (shortest: Duration.milliseconds(1), longest: Duration.milliseconds(64))

    /// A message for a peer.
    private enum Parcel {
        case bytes([UInt8])
        /// A message of another peer, which is passed on without a copy.
        case passed(PassedMessage)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .passed(let message): message.count
            }
        }
    }

    private struct Line {
        var messages = Fifo<Parcel>()
        /// The bytes that libzmq retains for the peer.
        var handed = 0
        /// Whether libzmq accepts no more messages for the peer at present.
        var isBlocked = false
    }

    private enum Handing {
        case done, tooMuch, ended
    }

    private let socket: Socket
    private let core: CoordinatorCore
    private let letters: PolledMailbox<LoopEvent>
    private let inProcessPeers: InProcessPeers
    private let logger: Logger
    private var lines: [RoutingID: Line] = [:]
    private var waiting = Outbox.budget
    /// The blocked peers; libzmq does not report when a blocked peer accepts messages again.
    private var blocked: Set<RoutingID> = []
    private var pause = Outbox.pauses.shortest

    /// When to try the blocked peers again; nil if no peer is blocked.
    private(set) var nextTry: Timestamp?

    init(
        _ socket: Socket,
        _ core: CoordinatorCore,
        _ letters: PolledMailbox<LoopEvent>,
        _ inProcessPeers: InProcessPeers,
        _ logger: Logger
    ) {
        self.socket = socket
        self.core = core
        self.letters = letters
        self.inProcessPeers = inProcessPeers
        self.logger = logger
    }

    /// Sends a message as soon as libzmq accepts the message for its peer; a part of this process gets it at once.
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
        if let number = peer.inProcessNumber {
            if case .reply(_, let reply)? = try? bytes.withUnsafeBytes({ try ClientReply(decoding: $0) }) {
                inProcessPeers.deliver(reply, to: number)
            } else {
                inProcessPeers.deliver(nil, to: number)
            }
            return core.delivered(bytes.count, to: peer)
        }
        send(.bytes(bytes), to: peer, at: now)
    }

    /// Passes a received message on as soon as libzmq accepts it for a peer behind the socket.
    func pass(_ message: PassedMessage, to peer: RoutingID, at now: Timestamp) {
        send(.passed(message), to: peer, at: now)
    }

    private func send(_ parcel: Parcel, to peer: RoutingID, at now: Timestamp) {
        let count = parcel.count
        if lines[peer]?.messages.isEmpty != false {
            switch hand(parcel, to: peer, at: now) {
            case .done: return
            case .ended: return core.delivered(count, to: peer)
            case .tooMuch: break
            }
        }
        guard waiting.hasRoom(for: count, of: peer) else {
            logger.debug("dropped a message to a peer that does not read", metadata: ["peer": "\(peer)"])
            return core.delivered(count, to: peer)
        }
        waiting.reserve(count, for: peer)
        lines[peer, default: Line()].messages.append(parcel)
    }

    /// Notes that libzmq has freed a message, and sends messages that waited for the memory.
    func freed(_ count: Int, of peer: RoutingID, at now: Timestamp) {
        core.delivered(count, to: peer)
        lines[peer]?.handed -= count
        sendWaiting(to: peer, at: now)
    }

    /// Tries the blocked peers again, once the pause is over.
    func tryAgain(at now: Timestamp) {
        guard let due = nextTry, due <= now else { return }
        nextTry = nil
        let tried = blocked
        blocked = []
        var isAnyMoved = false
        for peer in tried {
            lines[peer]?.isBlocked = false
            isAnyMoved = sendWaiting(to: peer, at: now) || isAnyMoved
        }
        pause = isAnyMoved ? Self.pauses.shortest : min(pause * 2, Self.pauses.longest)
        if !blocked.isEmpty { nextTry = now + pause }
    }

    /// Sends the messages that wait for a peer, as far as libzmq accepts them.
    ///
    /// - Returns: whether libzmq accepted a message, or the connection has ended.
    @discardableResult
    private func sendWaiting(to peer: RoutingID, at now: Timestamp) -> Bool {
        var isAnySent = false
        while let parcel = lines[peer]?.messages.first {
            switch hand(parcel, to: peer, at: now) {
            case .done: isAnySent = true
            case .ended:
                dropAll(of: peer)
                return true
            case .tooMuch: return isAnySent
            }
            waiting.giveBack(parcel.count, of: peer)
            lines[peer]?.messages.popFirst()
        }
        if let handed = lines[peer]?.handed, handed <= 0 { lines[peer] = nil }
        return isAnySent
    }

    private func hand(_ parcel: Parcel, to peer: RoutingID, at now: Timestamp) -> Handing {
        if lines[peer]?.isBlocked == true { return .tooMuch }
        let count = parcel.count
        let isTracked = count >= Self.leastTrackedLength
        if isTracked, let handed = lines[peer]?.handed, handed > 0, handed + count > Self.mostHanded {
            return .tooMuch
        }
        do throws(ZeroMQError) {
            let result: SendResult
            switch parcel {
            case .bytes(let bytes) where !isTracked:
                result = try socket.send(bytes, to: peer)
            case .bytes(let bytes):
                result = try socket.send(bytes, to: peer) { [letters] in letters.post(.freed(count, of: peer)) }
            case .passed(let message) where !isTracked:
                result = try socket.send(message.bytes, to: peer)
            case .passed(let message):
                result = try socket.send(message, to: peer) { [letters] in letters.post(.freed(count, of: peer)) }
            }
            switch result {
            case .sent:
                if isTracked {
                    lines[peer, default: Line()].handed += count
                } else {
                    core.delivered(count, to: peer)
                }
                return .done
            case .wouldBlock:
                lines[peer, default: Line()].isBlocked = true
                blocked.insert(peer)
                if nextTry == nil { nextTry = now + pause }
                return .tooMuch
            case .unroutable:
                logger.debug("the receiver of a message is gone", metadata: ["peer": "\(peer)"])
            }
        } catch {
            logger.warning("a message could not be sent", metadata: ["peer": "\(peer)", "error": "\(error)"])
        }
        core.connectionEnded(peer)
        return .ended
    }

    private func dropAll(of peer: RoutingID) {
        while let message = lines[peer]?.messages.popFirst() {
            waiting.giveBack(message.count, of: peer)
            core.delivered(message.count, to: peer)
        }
        // libzmq still reports when the messages that were handed over are freed.
        if let handed = lines[peer]?.handed, handed <= 0 { lines[peer] = nil }
    }
}
