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
        // The welcome may arrive before the event of the connection that carried all outstanding requests.
        if case .connecting = link { markAllAsSent() }
        link = .welcomed
        hasBeenWelcomed = true
        guard awaySince != nil else { return }
        awaySince = nil
        tell(.back)
    }

    func connectionChanged(_ event: SocketEvent.Kind) {
        switch (event, link) {
        case (.connected, .connecting):
            link = .greeting(since: .now)
            markAllAsSent()
        case (.connectRetried, .connecting):
            nobodyListens()
        case (.handshakeFailed, _), (.disconnected, _):
            if hasBeenWelcomed { loseConnection() } else { failAll(.notCoordinator(endpoint)) }
        default:
            break
        }
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
