@_spi(Baton) import BatonKeys
@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) package import BatonZeroMQ

/// Refuses messages that the sender's key does not permit, before any part of the core sees them.
extension CoordinatorCore {
    /// Whether a worker's message may be handled; if not, a hello is answered and any other message is dropped.
    ///
    /// - Parameter requester: the sender; nil for a coordinator without keys.
    func permits(_ message: WorkerMessage, by requester: Requester?, from peer: RoutingID) -> Bool {
        guard let requester, !requester.role.permitsWork else { return true }
        if case .hello = message {
            send(CoordinatorMessage.refused(.noWorker(requester)).encoded(), to: peer)
        }
        return false
    }

    /// Whether a client's message may be handled; if not, it is answered with the reason.
    ///
    /// - Parameter requester: the sender; nil for a coordinator without keys.
    func permits(_ message: ClientMessage, by requester: Requester?, from peer: RoutingID) -> Bool {
        guard let requester else { return true }
        switch message {
        case .hello:
            if requester.role.permitsRequests { return true }
            send(ClientReply.refused(.noClient(requester)).encoded(), to: peer)
        case .request(let number, let request):
            if requester.role.permits(request) { return true }
            refuse(number, .notPermitted(request, to: requester), to: peer)
        }
        return false
    }

    /// Ends the business of peers whose key was revoked, and tells them the reason.
    ///
    /// A worker is lost at once: its operations run again on other workers, and the loss does not count. The requests of a client
    /// that wait for their turns are dropped. The caller has to end the connections.
    ///
    /// - Parameter now: the present moment; must never go backwards.
    package func revoke(_ peers: [(peer: RoutingID, requester: Requester)], at now: Timestamp) {
        note(now)
        for (peer, requester) in peers {
            if requester.role == .worker {
                send(CoordinatorMessage.refused(.revoked(requester)).encoded(), to: peer)
            } else {
                send(ClientReply.refused(.revoked(requester)).encoded(), to: peer)
            }
            for session in workers.sessions(at: peer) {
                apply(.workerExpelled(session, Self.expulsion(of: requester)))
                workers.forget(session)
            }
            connectionEnded(peer)
        }
    }

    /// The cause of an expulsion, for the beginning of a sentence about one of the worker's operations.
    private static func expulsion(of requester: Requester) -> String {
        "The key \(requester.name) of its worker was revoked"
    }
}
