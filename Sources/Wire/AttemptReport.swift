public import BatonOperations

/// What became of a worker's attempts.
public struct AttemptReport: Hashable, Sendable {
    /// Attempts whose code may run from now on and that are not over.
    ///
    /// Each is reported once a session. A completion says itself when its attempt started.
    public var started: [AttemptStart]
    /// Attempts that were recalled or cancelled before they started, and never will.
    public var returned: [AttemptToken]
    /// Attempts that are over; each is sent again after the next hello until it is acknowledged.
    public var completions: [Completion]

    /// Puts a report together.
    public init(started: [AttemptStart] = [], returned: [AttemptToken] = [], completions: [Completion] = []) {
        self.started = started
        self.returned = returned
        self.completions = completions
    }
}
