@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Handles replies from the coordinator and events of the connection.
extension ClientLoop {
    func receive(_ message: borrowing Message) {
        let decoded = message.withUnsafeBytes { bytes -> Result<ClientReply, WireError> in
            do throws(WireError) {
                return .success(try ClientReply(decoding: bytes))
            } catch {
                return .failure(error)
            }
        }
        switch decoded {
        case .success(.welcome): welcomed()
        case .success(.refused(let refusal)): failAll(.refused(refusal))
        case .success(.reply(let number, let reply)): resolve(number, .success(reply))
        case .failure(let error):
            failAll(hasBeenWelcomed ? .malformedReply(error.description) : .notCoordinator(endpoint))
        }
    }

    func welcomed() {
        // The welcome may be read before the event of the handshake, which the requests have followed.
        if !hasAgreed { markAllAsSent() }
        link = .welcomed
        hasBeenWelcomed = true
        obstacle = nil
        guard awaySince != nil else { return }
        awaySince = nil
        tell(.back)
    }

    func connectionChanged(_ event: SocketEvent.Kind) {
        let (hadAgreed, before) = (hasAgreed, diagnosis.conclusion)
        diagnosis.note(event)
        switch (event, link) {
        case (.connected, .connecting):
            link = .greeting(since: .now)
        case (.handshakeSucceeded, _):
            markAllAsSent()
        // libzmq tries again after a broken handshake.
        case (.connectDelayed, .greeting):
            link = .connecting(since: .now)
        case (.connectRetried, .connecting):
            nobodyListens()
        case (.disconnected, _) where hadAgreed:
            if hasBeenWelcomed { loseConnection() } else { failAll(.notCoordinator(endpoint)) }
        case (.handshakeFailed, _), (.disconnected, _):
            if diagnosis.conclusion != before { handshakesFailed() } else if hasBeenWelcomed { noteAbsence() }
        default:
            break
        }
    }

    /// Acts on a conclusion about handshakes that failed.
    ///
    /// A coordinator that was present before may come back as it was: the client waits for it, unless it refuses the key.
    private func handshakesFailed() {
        let found = KeyObstacle(diagnosis.conclusion, of: endpoint, with: options.security)
        if let found, found == .refused || !hasBeenWelcomed {
            return failAll(.notAdmitted(found, endpoint: endpoint))
        }
        guard hasBeenWelcomed else { return failAll(.notCoordinator(endpoint)) }
        obstacle = found ?? obstacle
        if diagnosis.needsNewSocket { loseConnection() } else { noteAbsence() }
    }

    /// Waits for a coordinator that was present before (libzmq reconnects on its own); otherwise fails all requests.
    func nobodyListens() {
        guard !hasBeenWelcomed else { return noteAbsence() }
        if let host = HostName.unresolvable(in: endpoint) {
            failAll(.unknownHost(host, endpoint: endpoint))
        } else {
            failAll(.unreachable(endpoint))
        }
    }

    /// Closes the socket, since late replies are of no use, and schedules a new socket after a pause.
    func loseConnection() {
        closeLink(until: nil)
        for request in pending.values where !request.isRepeatable && request.mayHaveArrived {
            resolve(request.number, .failure(.submissionUnanswered(endpoint)))
        }
        guard !pending.isEmpty else { return }
        link = .down(until: .now + options.reconnectPause)
        noteAbsence()
    }

    private func noteAbsence() {
        guard awaySince == nil, !pending.isEmpty else { return }
        awaySince = .now
        tell(.away)
    }
}
