/// The progress of a running attempt, as its worker reports it.
@_spi(Baton) public struct AttemptProgress: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The progress that the attempt has reported last.
    public var progress: OperationProgress

    /// Describes the progress of an attempt.
    public init(_ token: AttemptToken, _ progress: OperationProgress) {
        self.token = token
        self.progress = progress
    }
}
