@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Takes in what workers send over their connections for files, and passes pieces on.
///
/// A piece goes on in the memory in which it has arrived. So does a bundle whose pieces are all for one worker; others are divided. Only
/// the coordinator's thread may use it.
final class PieceRelay {
    private let core: CoordinatorCore
    private let outbox: Outbox
    private let logger: Logger
    /// Whether anything was taken in so far.
    private var hasBegun = false

    init(_ core: CoordinatorCore, _ outbox: Outbox, _ logger: Logger) {
        self.core = core
        self.outbox = outbox
        self.logger = logger
    }

    /// Whether a message is a piece or a bundle, which only connections for files have.
    static func isMeant(_ bytes: UnsafeRawBufferPointer) -> Bool {
        PassedPiece.isPiece(bytes) || MessageBundle.isBundle(bytes)
    }

    /// Takes in a piece or a bundle.
    ///
    /// - Parameter requester: the holder of the sender's key; nil for a coordinator without keys.
    func take(_ message: consuming Message, from peer: RoutingID, by requester: Requester?, at now: Timestamp) {
        if !hasBegun {
            hasBegun = true
            SystemThread.keepFreedMemory()
        }
        if message.withUnsafeBytes({ MessageBundle.isBundle($0) }) {
            divide(message, from: peer, by: requester, at: now)
        } else {
            passOn(message, from: peer, at: now)
        }
    }

    /// Sends messages in their order, in as few bundles as they fit into.
    func send(_ messages: [[UInt8]], to peer: RoutingID, at now: Timestamp) {
        var bundle = MessageBundle()
        for message in messages {
            if !bundle.hasRoom(for: message.count) { send(&bundle, to: peer, at: now) }
            bundle.append(message)
        }
        send(&bundle, to: peer, at: now)
    }

    private func send(_ bundle: inout MessageBundle, to peer: RoutingID, at now: Timestamp) {
        let overhead = bundle.overhead
        guard let bytes = bundle.take() else { return }
        core.noteBundle(overhead, to: peer)
        outbox.send(bytes, to: peer, at: now)
    }

    // MARK: - Pieces

    private func passOn(_ message: consuming Message, from peer: RoutingID, at now: Timestamp) {
        let receiver = message.withUnsafeBytes { findReceiver(of: $0, from: peer, at: now) }
        if let receiver { outbox.pass(PassedMessage(message), to: receiver, at: now) }
    }

    /// Answers the client that waits for a piece, or finds the worker to which the piece goes on.
    private func findReceiver(of piece: UnsafeRawBufferPointer, from peer: RoutingID, at now: Timestamp) -> RoutingID? {
        guard let head = try? PassedPiece.Head(decoding: piece) else {
            logger.debug("dropped a malformed piece of a file", metadata: ["peer": "\(peer)"])
            return nil
        }
        switch core.destination(of: head, length: piece.count, from: peer, at: now) {
        case .worker(let receiver, let source):
            if let source { outbox.send(source, to: receiver, at: now) }
            return receiver
        case .client(let answered):
            core.answerClient(of: answered, with: piece)
            return nil
        case nil: return nil
        }
    }

    // MARK: - Bundles

    /// Takes in the messages of a bundle: pieces, and requests for pieces.
    private func divide(_ message: consuming Message, from peer: RoutingID, by requester: Requester?, at now: Timestamp)
    {
        guard core.isForFiles(peer) else {
            return logger.debug(
                "dropped a bundle over a connection that is not for files",
                metadata: ["peer": "\(peer)"]
            )
        }
        var onward: [RoutingID: [Range<Int>]] = [:]
        let count = message.withUnsafeBytes { bytes -> Int in
            guard let parts = try? MessageBundle.parts(of: bytes) else {
                logger.debug("dropped a malformed bundle", metadata: ["peer": "\(peer)"])
                return 0
            }
            for part in parts {
                let content = UnsafeRawBufferPointer(rebasing: bytes[part])
                if PassedPiece.isPiece(content) {
                    if let receiver = findReceiver(of: content, from: peer, at: now) {
                        onward[receiver, default: []].append(part)
                    }
                } else {
                    takeRequest(content, from: peer, by: requester, at: now)
                }
            }
            return parts.count
        }
        if let (receiver, parts) = onward.first, parts.count == count {
            core.noteBundle(parts.reduce(message.count) { $0 - $1.count }, to: receiver)
            return outbox.pass(PassedMessage(message), to: receiver, at: now)
        }
        for (receiver, parts) in onward {
            let pieces = message.withUnsafeBytes { bytes in
                parts.map { [UInt8](UnsafeRawBufferPointer(rebasing: bytes[$0])) }
            }
            send(pieces, to: receiver, at: now)
        }
    }

    /// Takes in a worker's request for a piece; a bundle has no other messages beside pieces.
    private func takeRequest(
        _ bytes: UnsafeRawBufferPointer,
        from peer: RoutingID,
        by requester: Requester?,
        at now: Timestamp
    ) {
        let received = ReceivedMessage(decoding: bytes)
        guard case .success(.worker(.fetchPiece)) = received.content else {
            return logger.debug("dropped a message of a bundle", metadata: ["peer": "\(peer)"])
        }
        core.receive(received, from: peer, by: requester, at: now)
    }
}
