@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Decides when the log tells that a peer of another version was refused: once an hour for each build, because a service manager
/// may start a refused worker again and again.
struct RefusedVersions {
    /// The time for which a build is not told again.
    static let interval = Duration.seconds(3600)
    /// The most builds to remember: peers may name any build.
    static let limit = 64

    private var toldAt: [Greeting: Timestamp] = [:]

    /// Notes a refused peer.
    ///
    /// - Returns: whether the log shall tell it.
    mutating func isNews(_ greeting: Greeting, at now: Timestamp) -> Bool {
        if let last = toldAt[greeting], now - last < Self.interval { return false }
        toldAt = toldAt.filter { now - $0.value < Self.interval }
        guard toldAt.count < Self.limit else { return false }
        toldAt[greeting] = now
        return true
    }
}
