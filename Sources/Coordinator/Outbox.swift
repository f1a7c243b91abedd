import BatonLogging
import BatonOperations
import BatonZeroMQ

/// What waits to be sent, by peer: libzmq is given no more of it than a peer is about to read.
///
/// libzmq counts the messages that wait for a peer, not their bytes, and has no end of its own to them. So it is given few,
/// of long ones it has to say when it has let go of them, and the rest waits here. Who does not read for long is
/// disconnected by TCP, by the option that ``SocketOptions/unreadTimeout`` sets. Only the coordinator's thread may use it.
final class Outbox {
    /// The fewest bytes of a message of which libzmq has to say that it has let go; many shorter ones are little.
    private static let leastTrackedLength = 2 << 10
    /// The most bytes of such messages that libzmq has for a peer, unless it is one message.
    private static let mostHanded = 2 << 20
    /// How many messages libzmq may have for a peer that does not read.
    static let mostHandedMessages = 256
    /// The most that waits here for a peer and for all; what comes then is dropped.
    ///
    /// Nobody who reads comes there: answers wait to be made, and a worker is sent a handful of messages for each slot.
    private static var budget: ByteBudget<RoutingID> {
        ByteBudget(ofPeer: 64 << 20, inAll: 512 << 20, ownShare: 1 << 20)
    }
    /// How long to wait before a peer is tried again that took nothing.
    private static let pauses = (shortest: Duration.milliseconds(1), longest: Duration.milliseconds(64))

    private struct Line {
        var messages = Fifo<[UInt8]>()
        /// How many bytes libzmq has and has not let go of.
        var handed = 0
        /// Whether libzmq takes nothing more at the moment.
        var isBlocked = false
    }

    private enum Handing {
        case done, tooMuch, ended
    }

    private let socket: Socket
    private let core: CoordinatorCore
    private let letters: Mailbox<LoopEvent>
    private let logger: Logger
    private var lines: [RoutingID: Line] = [:]
    private var waiting = Outbox.budget
    /// Those of whom libzmq says nothing when they can be sent more.
    private var blocked: Set<RoutingID> = []
    private var pause = Outbox.pauses.shortest

    /// When to try again; nil where nobody is blocked.
    private(set) var nextTry: Timestamp?

    init(_ socket: Socket, _ core: CoordinatorCore, _ letters: Mailbox<LoopEvent>, _ logger: Logger) {
        self.socket = socket
        self.core = core
        self.letters = letters
        self.logger = logger
    }

    /// Sends a message as soon as its peer takes it.
    func send(_ bytes: [UInt8], to peer: RoutingID, at now: Timestamp) {
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
        waiting.take(bytes.count, for: peer)
        lines[peer, default: Line()].messages.append(bytes)
    }

    /// Notes that libzmq has let go of a message, and sends what waited for that.
    func released(_ count: Int, of peer: RoutingID, at now: Timestamp) {
        core.delivered(count, to: peer)
        lines[peer]?.handed -= count
        sendWaiting(to: peer, at: now)
    }

    /// Tries those again that took nothing, once it is time.
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

    /// Sends what waits for a peer, as far as libzmq takes it.
    ///
    /// - Returns: whether it took anything.
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
                result = try socket.send(bytes, to: peer) { [letters] in letters.post(.released(count, of: peer)) }
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
        // What libzmq has of it comes back by itself.
        if let handed = lines[peer]?.handed, handed <= 0 { lines[peer] = nil }
    }
}
