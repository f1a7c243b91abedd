/// Signs of life in the bytes of the connection, while no message arrives.
///
/// A long message takes as long as the line needs, and everything else waits behind it. Before the session takes the coordinator
/// for gone, it therefore has somebody look whether the bytes still move.
extension WorkerSession {
    /// The number of round trips that the answer to a hello may take at least, counted from the last sign of life: the packets of a
    /// handshake may be lost, and are then sent again after some round trips.
    private static let roundTripsOfWelcome = 4

    /// Whether the surroundings should look at the connection, and tell with ``Event/connectionSeen(signAt:roundTrip:)`` before the
    /// next tick.
    public func isLookDue(at now: Duration) -> Bool {
        switch connection {
        // Only the last moment counts: before the welcome there is nothing to compare with.
        case .greeting: lastHeard + welcomePatience <= now
        case .welcomed(let times):
            lookDueAt.map { $0 <= now } ?? false || lastHeard + times.longestSilence <= now
        case .away, .opening, .standingBy, .refused, .over: false
        }
    }

    /// When the next look is due, unless something is heard before; nil without a welcome.
    ///
    /// The first look of a silence only remembers what the later ones compare.
    var lookDueAt: Duration? {
        guard case .welcomed(let times) = connection else { return nil }
        return max(lastHeard + times.silenceBeforeLook, lastLook + times.lookInterval)
    }

    /// How long the coordinator may take for its next sign of life before the welcome.
    var welcomePatience: Duration { max(configuration.patience.welcome, farPatience) }

    /// Takes in what a look at the connection has shown.
    mutating func noteLook(_ sign: Duration?, roundTrip: Duration, now: Duration) {
        lastLook = now
        switch connection {
        case .greeting, .welcomed: break
        case .away, .opening, .standingBy, .refused, .over: return
        }
        farPatience = roundTrip * Self.roundTripsOfWelcome
        guard let sign = sign.map({ min($0, now) }), sign > lastHeard else { return }
        lastHeard = sign
        if isWelcomed { lastContact = sign }
    }
}
