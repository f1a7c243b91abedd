import BatonLogging
import BatonOperations
import BatonScheduler
import BatonStore
import BatonWire
import BatonZeroMQ

/// Sends the results of prerequisites to the workers that need them as inputs.
///
/// An operation may have any number of inputs of up to a mebibyte each. The coordinator therefore reads inputs in pieces, and
/// reads the next piece when the worker has read the earlier pieces.
extension CoordinatorCore {
    /// Sends an operation's inputs at the pace of its worker, read after all earlier changes are committed.
    func sendInputs(_ inputs: UnsentInputs) {
        unsentInputs[inputs.session, default: Fifo()].append(inputs)
        serveInputs(of: inputs.session)
    }

    /// Reads the inputs that waited for room, as far as the budget has room now.
    func serveInputs() {
        for session in unsentInputs.keys.sorted(by: { $0.rawValue < $1.rawValue }) { serveInputs(of: session) }
    }

    /// Whether any inputs that waited for room have room now.
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

    /// Sends a message of inputs, and schedules the rest of the inputs for a later turn.
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

    /// Returns the room reserved for a message of inputs.
    func returnRoom(of inputs: UnsentInputs) {
        if let peer = inputs.peer { answerBytes.giveBack(UnsentInputs.expectedLength, of: peer) }
    }

    /// Reads inputs again after a failed reading, since a worker asks only once and then waits.
    func sendUnreadInputs() {
        let unread = unreadInputs
        unreadInputs = []
        for inputs in unread { sendInputs(inputs) }
    }
}
