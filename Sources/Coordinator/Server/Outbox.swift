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

    private struct Line {
        var messages = Fifo<[UInt8]>()
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
        if lines[peer]?.messages.isEmpty != false {
            switch hand(bytes, to: peer, at: now) {
            case .done: return
            case .ended: return core.delivered(bytes.count, to: peer)
            case .tooMuch: break
            }
        }
        guard waiting.hasRoom(for: bytes.count, of: peer) else {
            logger.debug("dropped a message to a peer that does not read", metadata: ["peer": "\(peer)"])
            return core.delivered(bytes.count, to: peer)
        }
        waiting.reserve(bytes.count, for: peer)
        lines[peer, default: Line()].messages.append(bytes)
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
        while let bytes = lines[peer]?.messages.first {
            switch hand(bytes, to: peer, at: now) {
            case .done: isAnySent = true
            case .ended:
                dropAll(of: peer)
                return true
            case .tooMuch: return isAnySent
            }
            waiting.giveBack(bytes.count, of: peer)
            lines[peer]?.messages.popFirst()
        }
        if let handed = lines[peer]?.handed, handed <= 0 { lines[peer] = nil }
        return isAnySent
    }

    private func hand(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) -> Handing {
        if lines[peer]?.isBlocked == true { return .tooMuch }
        let isTracked = bytes.count >= Self.leastTrackedLength
        if isTracked, let handed = lines[peer]?.handed, handed > 0, handed + bytes.count > Self.mostHanded {
            return .tooMuch
        }
        do throws(ZeroMQError) {
            let result: SendResult
            if isTracked {
                let count = bytes.count
                result = try socket.send(bytes, to: peer) { [letters] in letters.post(.freed(count, of: peer)) }
            } else {
                result = try socket.send(bytes, to: peer)
            }
            switch result {
            case .sent:
                if isTracked {
                    lines[peer, default: Line()].handed += bytes.count
                } else {
                    core.delivered(bytes.count, to: peer)
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
