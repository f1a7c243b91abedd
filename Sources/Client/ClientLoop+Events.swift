@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Handles replies from the coordinator and events of the connection.
extension ClientLoop {
    func receive(_ message: borrowing Message) {
        switch decode(message) {
        case .success(.welcome(_, _, _, let rank)):
            let wasStandby = if case .standingBy = link { true } else { false }
            welcomed()
            if let present = places.present { places.noteLeading(rank, at: present, now: .now) }
            if wasStandby { sendAll() }
        case .success(.leadership(let leadership)): heard(leadership)
        case .success(.refused(let refusal)): failAll(.refused(refusal))
        case .success(.reading(let percent)): noteReading(percent)
        case .success(.reply(let number, var reply)):
            if pending[number]?.isRepeated == true { reply.noteRepetition() }
            resolve(number, .success(reply))
        case .failure(let error):
            if hasBeenWelcomed {
                failAll(.malformedReply(error.description))
            } else {
                passOver(.notCoordinator(endpoint))
            }
        }
    }

    func decode(_ message: borrowing Message) -> Result<ClientReply, WireError> {
        message.withUnsafeBytes { bytes -> Result<ClientReply, WireError> in
            do throws(WireError) {
                return .success(try ClientReply(decoding: bytes))
            } catch {
                return .failure(error)
            }
        }
    }

    func welcomed() {
        // The welcome may be read before the event of the handshake, which the requests have followed.
        if !hasAgreed { markAllAsSent() }
        link = .welcomed
        hasBeenWelcomed = true
        obstacle = nil
        passedOver = nil
        fruitlessSearches = 0
        isSilent = false
        hasToldStandby = false
        guard awaySince != nil else { return }
        awaySince = nil
        tell(.back)
    }

    /// Asks again soon while the coordinator reads a large request: the answer to a change is late only from then on.
    private func noteReading(_ percent: UInt8) {
        isBeingRead = true
        for (number, request) in pending where request.lateAt != nil {
            pending[number]?.lateAt = .now + options.lateAfter
            pending[number]?.isProbed = false
        }
        tell(.reading(percent: Int(percent)))
    }

    /// Tells that nothing of the coordinator's reading will follow.
    func endReading() {
        guard isBeingRead else { return }
        isBeingRead = false
        tell(.reading(percent: 100))
    }

    func connectionChanged(_ event: SocketEvent.Kind) {
        let hadAgreed = hasAgreed
        let isNews = diagnosis.note(event)
        switch (event, link) {
        case (.connected, .connecting):
            link = .greeting(since: .now)
        case (.handshakeSucceeded, _):
            markAllAsSent()
            // A server that has proven the coordinator's key is the coordinator, also if it ends or is silent before its welcome.
            if options.security != .none { hasBeenWelcomed = true }
            if case .greeting = link { link = .greeting(since: .now) }
        // libzmq tries again after a broken handshake.
        case (.connectDelayed, .greeting):
            link = .connecting(since: .now)
        case (.connectRetried, .connecting):
            nobodyListens()
        case (.disconnected, _) where hadAgreed:
            if hasBeenWelcomed { loseConnection() } else { passOver(.notCoordinator(endpoint)) }
        case (.handshakeFailed, _), (.disconnected, _):
            if isNews { handshakesFailed() } else if hasBeenWelcomed { noteAbsence() }
        default:
            break
        }
    }

    /// Acts on a conclusion about handshakes that failed.
    ///
    /// A coordinator that was present before may come back as it was: the client waits for it, unless it refuses the key.
    private func handshakesFailed() {
        let found = KeyObstacle(diagnosis.conclusion, of: place, with: options.security)
        guard hasBeenWelcomed else {
            return passOver(found.map { .notAdmitted($0, endpoint: endpoint) } ?? .notCoordinator(endpoint))
        }
        if found == .refused { return failAll(.notAdmitted(.refused, endpoint: endpoint)) }
        obstacle = found ?? obstacle
        // The name may lead to another address by now.
        loseConnection()
    }

    /// Waits for a coordinator that was present before; otherwise fails all requests.
    func nobodyListens() {
        if hasBeenWelcomed { loseConnection() } else { failAll(.unreachable(endpoint)) }
    }

    /// Closes the socket, since late replies are of no use, and schedules a new socket after a pause.
    ///
    /// - Parameter isSilent: whether the coordinator has agreed on a connection, and then said nothing.
    func loseConnection(isSilent: Bool = false) {
        self.isSilent = isSilent
        closeLink(until: nil)
        giveUpUncertain()
        guard !pending.isEmpty else { return }
        guard places.list.isEmpty else {
            noteAbsence()
            return choose()
        }
        link = .down(until: .now + nextPause())
        noteAbsence()
    }

    /// Fails the requests that must not be sent again.
    func giveUpUncertain() {
        for request in pending.values where !request.isRepeatable && request.mayHaveArrived {
            resolve(request.number, .failure(.submissionUnanswered(endpoint)))
        }
    }

    func noteAbsence() {
        guard awaySince == nil, !pending.isEmpty else { return }
        awaySince = .now
        tell(isSilent ? .silent : .away)
    }
}

extension Reply {
    /// Says in the report of a change that the coordinator may have carried it out before, for a report tells of one time alone.
    fileprivate mutating func noteRepetition() {
        guard case .changed(var report) = self else { return }
        report.notes.append(
            "The coordinator went away before it answered, and the request was sent again: what it may have changed the first time is "
                + "not counted here."
        )
        self = .changed(report)
    }
}
