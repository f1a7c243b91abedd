@_spi(Baton) import BatonKeys
@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Refuses messages that the sender's key does not permit, before any part of the core sees them.
extension CoordinatorCore {
    /// Whether a worker's message may be handled; if not, a hello is answered and any other message, such as an inquiry, is dropped.
    ///
    /// - Parameter requester: the sender; nil for a coordinator without keys.
    func permits(_ message: WorkerMessage, by requester: Requester?, from peer: RoutingID) -> Bool {
        guard let requester, !requester.role.permitsWork else { return true }
        if case .hello = message {
            send(CoordinatorMessage.refused(.noWorker(requester)).encoded(), to: peer)
        }
        return false
    }

    /// Whether a client's hello may be answered; if not, it is answered with the reason.
    ///
    /// - Parameter requester: the sender; nil for a coordinator without keys.
    func permitsHello(with proof: Secret?, by requester: Requester?, from peer: RoutingID) -> Bool {
        guard let requester, let refusal = objection(toHelloWith: proof, by: requester) else { return true }
        send(ClientReply.refused(refusal).encoded(), to: peer)
        return false
    }

    /// Whether a client's request may be handled; if not, it is answered with the reason.
    ///
    /// - Parameter requester: the sender; nil for a coordinator without keys.
    func permits(_ request: ReceivedRequest, number: UInt64, by requester: Requester?, from peer: RoutingID) -> Bool {
        guard let requester, let refusal = objection(to: request.request, by: requester) else { return true }
        refuse(number, refusal, to: peer)
        return false
    }

    /// The reason for refusing a client's hello; nil for none.
    private func objection(toHelloWith proof: Secret?, by requester: Requester) -> Refusal? {
        guard requester.role.permitsRequests else { return .noClient(requester) }
        if requester.role == .operation { return requester.claim == nil ? .noOperation(requester) : nil }
        // Whoever sends a proof means to act as the operation, and must not act as the holder of another key.
        return proof == nil ? nil : .proofWithKey(of: requester)
    }

    /// The reason for refusing a client's request; nil for none.
    private func objection(to request: Request, by requester: Requester) -> Refusal? {
        if requester.role == .operation {
            guard let claim = requester.claim else { return .noOperation(requester) }
            guard let run = presentRun(of: claim) else { return .ended(claim) }
            guard requester.role.permits(request) else { return .notPermitted(request, to: requester) }
            return objection(to: request, by: claim.operationID, in: run.queue)
        }
        return requester.role.permits(request) ? nil : .notPermitted(request, to: requester)
    }

    /// Ends the business of peers whose key was revoked, and tells them the reason.
    ///
    /// The requests of a client that wait for their turns are dropped. The caller has to end the connections.
    ///
    /// - Parameter now: the present moment; must never go backwards.
    package func revoke(_ revocation: Revocation, at now: Timestamp) {
        note(now)
        for (peer, requester) in revocation.connections {
            if requester.role == .worker {
                send(CoordinatorMessage.refused(.revoked(requester)).encoded(), to: peer)
            } else {
                send(ClientReply.refused(.revoked(requester)).encoded(), to: peer)
            }
            connectionEnded(peer)
        }
        expelWorkers(of: revocation.keys, at: now)
    }

    /// Expels the workers that joined with revoked keys, wherever they are.
    ///
    /// Such a worker is lost at once: its operations run again on other workers, and the loss does not count. A worker may have
    /// no connection at the moment, because the network is cut or because the coordinator was away when the key was revoked.
    ///
    /// - Parameter now: the present moment; must never go backwards.
    package func expelWorkers(of keys: [Requester], at now: Timestamp) {
        note(now)
        for key in keys where key.role == .worker {
            appearances.forget(key: key.number.rawValue)
            for name in scheduler.workers(withKey: key.number.rawValue) {
                if let session = scheduler.session(ofWorker: name) { workers.forget(session) }
                apply(.workerExpelled(name, because: Self.expulsion(of: key)))
            }
        }
    }

    /// The cause of an expulsion, for the beginning of a sentence about one of the worker's operations.
    private static func expulsion(of requester: Requester) -> String {
        "The key \(requester.name) of its worker was revoked"
    }
}
