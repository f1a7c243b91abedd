import BatonLogging
import BatonOperations
import BatonScheduler
import BatonStore
import BatonWire
import BatonZeroMQ

/// The results that operations pass on, on their way to the workers that need them.
///
/// An operation may have any number of inputs of a mebibyte each. So they are read in pieces, and the next when the worker has
/// read those before.
extension CoordinatorCore {
    /// Sends an operation's inputs, read behind all that was to be kept before, as its worker reads them.
    func sendInputs(_ inputs: UnsentInputs) {
        unsentInputs[inputs.session, default: Fifo()].append(inputs)
        serveInputs(of: inputs.session)
    }

    /// Reads what waited for room, as far as there is any now.
    func serveInputs() {
        for session in unsentInputs.keys.sorted(by: { $0.rawValue < $1.rawValue }) { serveInputs(of: session) }
    }

    /// Whether any inputs that waited for room have it now.
    var canServeInputs: Bool {
        unsentInputs.keys.contains { peers[$0].map { hasRoomForInputs($0) } ?? true }
    }

    private func hasRoomForInputs(_ peer: RoutingID) -> Bool {
        let expected = UnsentInputs.expectedLength
        return answerBytes[peer] + expected <= UnsentInputs.shareOfWorker
            || answerBytes.hasRoom(for: expected, of: peer)
    }

    private func serveInputs(of session: SessionID) {
        while let inputs = unsentInputs[session]?.first {
            guard scheduler.isCurrent(session), let peer = peers[session] else {
                unsentInputs[session]?.popFirst()
                openInputs.close(by: session)
                continue
            }
            guard hasRoomForInputs(peer) else { return }
            unsentInputs[session]?.popFirst()
            answerBytes.take(UnsentInputs.expectedLength, for: peer)
            readInputs(inputs, from: peer)
        }
        unsentInputs[session] = nil
    }

    private func readInputs(_ wanted: UnsentInputs, from peer: RoutingID) {
        let logger = logger
        read { store throws(StoreError) -> (message: [UInt8], inputs: UnsentInputs, hasMore: Bool) in
            var inputs = wanted
            inputs.peer = peer
            let sources: [ResultSource]
            if let known = inputs.sources {
                sources = known
            } else {
                sources = try store.dependenciesWithResults(of: inputs.operation)
            }
            inputs.sources = sources
            var piece: [Input] = []
            var length = 0
            while inputs.sent < sources.count {
                let source = sources[inputs.sent]
                if let bytes = try store.result(of: source.operation) {
                    guard piece.isEmpty || length + bytes.count <= UnsentInputs.mostOfMessage else { break }
                    piece.append(Input(name: source.fileName, bytes: bytes))
                    length += bytes.count
                }
                inputs.sent += 1
            }
            let isLast = inputs.sent == sources.count
            return (CoordinatorMessage.inputs(inputs.token, piece, isLast: isLast).encoded(), inputs, !isLast)
        } then: { result in
            switch result {
            case .success(let piece): return .sendInputs(piece.message, piece.inputs, hasMore: piece.hasMore)
            case .failure(let error):
                logger.error(
                    "inputs cannot be read",
                    metadata: ["operation": "\(wanted.operation)", "error": "\(error)"]
                )
                var unread = wanted
                unread.peer = peer
                return .inputsUnread(unread)
            }
        }
    }

    /// Sends inputs that were read, and has the rest of them read in its turn.
    func send(_ message: [UInt8], of inputs: UnsentInputs, hasMore: Bool) {
        returnRoom(of: inputs)
        guard let peer = peers[inputs.session] else { return openInputs.close(by: inputs.session) }
        send(message, to: peer)
        if hasMore {
            unsentInputs[inputs.session, default: Fifo()].append(inputs)
        } else {
            openInputs.close(by: inputs.session)
        }
    }

    /// Notes that a message of inputs is not being made any more.
    func returnRoom(of inputs: UnsentInputs) {
        if let peer = inputs.peer { answerBytes.giveBack(UnsentInputs.expectedLength, of: peer) }
    }

    /// Tries again where inputs could not be read: their workers ask once, and wait.
    func sendUnreadInputs() {
        let unread = unreadInputs
        unreadInputs = []
        for inputs in unread { sendInputs(inputs) }
    }
}
