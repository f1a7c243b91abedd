@_spi(Baton) import BatonKeys
@_spi(Baton) public import BatonWire

/// A connection from a part of the coordinator's process, such as its web interface, to the coordinator.
///
/// The coordinator serves the connection like a client's: by the role of its key, in fair turns with all other clients, and
/// within the same budgets. No method blocks a thread.
@_spi(Baton) public final class InProcessConnection: Sendable {
    private let peers: InProcessPeers
    private let peer: UInt64
    private let requester: Requester?

    init(_ peers: InProcessPeers, by requester: Requester?) {
        self.peers = peers
        self.requester = requester
        peer = peers.makePeer()
    }

    deinit {
        close()
    }

    /// The number of the newest event in the record, which costs the coordinator no question.
    ///
    /// The answers to later requests know of all events up to this one.
    public var newestEvent: UInt64 { peers.newestEvent }

    /// Sends a request, and waits for the answer.
    ///
    /// A connection has one open request: a request beside another one has no answer. The cancellation of the task closes the
    /// connection.
    ///
    /// - Returns: the answer; nil after the end of the coordinator, the revocation of the key, or ``close()``.
    public func ask(_ request: Request) async -> Reply? {
        // The same check as for messages of others, on the thread of the caller.
        let message = ClientMessage.request(0, request).encoded().withUnsafeBytes { ReceivedMessage(decoding: $0) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                peers.ask(message, from: peer, by: requester) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            close()
        }
    }

    /// Ends the connection; an open request is left without an answer, and its effect, if any, stays.
    public func close() { peers.leave(peer) }
}
