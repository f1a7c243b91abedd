@_spi(Baton) import BatonZeroMQ

/// Signs of life in the bytes of the connection, while no message arrives.
///
/// A large request takes as long as the line needs, and a probe waits behind it. Before the loop takes the coordinator for gone, it
/// therefore looks whether the bytes still move.
extension ClientLoop {
    /// The number of round trips that the answer to a hello may take at least, counted from the last sign of life: the packets of a
    /// handshake may be lost, and are then sent again after some round trips.
    static let roundTripsOfWelcome = 4

    /// How long the coordinator may take for its next sign of life before the welcome.
    var welcomePatience: Duration { max(options.welcomeTimeout, farPatience) }

    /// Looks at the connection, and returns the time of the latest sign of life in its bytes; nil if nobody can tell.
    ///
    /// The first look of a silence only remembers what the later ones compare.
    func lookForSignOfLife(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        lastLook = now
        guard let sign = wire?.signOfLife() else { return nil }
        farPatience = sign.roundTrip * Self.roundTripsOfWelcome
        return now - sign.age
    }
}
