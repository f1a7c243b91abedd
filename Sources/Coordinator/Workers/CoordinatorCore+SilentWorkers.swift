@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) package import BatonZeroMQ

/// Workers of which no message has come for long: their bytes may be on the way yet.
extension CoordinatorCore {
    /// Notes the connection that brought the hello of a worker's session.
    package func note(_ connection: TCPConnection?, of session: SessionID, at now: Timestamp) {
        guard scheduler.isCurrent(session) else { return }
        workers.note(connection, of: session, at: now)
    }

    /// The connections of the workers whose silence has consequences at the end of this turn.
    ///
    /// Look at them, and tell of the bytes that have arrived (``bytesArrived(in:at:)``), before the turn ends.
    ///
    /// - Parameter isDrained: whether the turn handled all messages that had arrived.
    package func silentConnections(
        at now: Timestamp,
        isDrained: Bool
    ) -> [(session: SessionID, connection: TCPConnection)] {
        note(now)
        guard !isSilent, let deadline = scheduler.nextDeadline, deadline <= now,
            lateness.allowsClock(at: now, isDrained: isDrained)
        else { return [] }
        return scheduler.silentSessions(at: now).compactMap { session, lastHeard in
            workers.connection(of: session, heardAt: lastHeard).map { (session, $0) }
        }
    }

    /// Takes in that bytes of a worker's message arrived last at this time.
    package func bytesArrived(in session: SessionID, at time: Timestamp) {
        apply(.workerBytesArrived(session, at: time))
    }
}
