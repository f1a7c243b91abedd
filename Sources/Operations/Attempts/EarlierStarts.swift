/// What the earlier processes of a worker's directory have started, as a later process there tells it.
///
/// None of these attempts runs any more. An attempt that one of these lives was sent, and that is not named here, never started or
/// has an end that a coordinator has acknowledged.
@_spi(Baton) public struct EarlierStarts: Hashable, Sendable {
    /// The most lives that are told of; a worker that was started more often meanwhile does not tell of the first ones.
    public static let maximumLives = 32

    /// The lives whose starts are all known.
    public var lives: [WorkerLife]
    /// The attempts that these lives have started, and whose ends no coordinator has acknowledged.
    public var attempts: [StartedAttempt]

    /// Tells of earlier lives.
    public init(lives: [WorkerLife] = [], attempts: [StartedAttempt] = []) {
        self.lives = lives
        self.attempts = attempts
    }
}
