import Synchronization

/// The least level of the lines of a process's loggers, which can change while they are used.
@_spi(Baton) public final class LogThreshold: Sendable {
    private let position: Atomic<Int>

    /// Creates a threshold.
    public init(_ level: Logger.Level) {
        position = Atomic(level.severity)
    }

    /// The level.
    public var level: Logger.Level { Logger.Level.allCases[position.load(ordering: .relaxed)] }

    /// Changes the level, for the lines from now on.
    public func set(_ level: Logger.Level) { position.store(level.severity, ordering: .relaxed) }

    /// Whether a line of a level is written.
    func admits(_ level: Logger.Level) -> Bool { level.severity >= position.load(ordering: .relaxed) }
}
