@_spi(Baton) public import BatonOperations

/// A report on a worker's attempts.
@_spi(Baton) public struct AttemptReport: Hashable, Sendable {
    /// Attempts that are not over and whose code may run from now on.
    ///
    /// Each start is reported once in a session. A completion itself gives the start of its attempt.
    public var started: [AttemptStart]
    /// Attempts that were recalled or cancelled before their start, and will never start.
    public var returned: [AttemptToken]
    /// Finished attempts; each completion is sent again after the next hello until acknowledged.
    public var completions: [Completion]

    /// Puts a report together.
    public init(started: [AttemptStart] = [], returned: [AttemptToken] = [], completions: [Completion] = []) {
        self.started = started
        self.returned = returned
        self.completions = completions
    }
}
