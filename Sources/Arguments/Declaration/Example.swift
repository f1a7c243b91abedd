/// A call that the help shows, and what it does.
public struct Example: Sendable, Equatable {
    /// The whole line as it is typed, such as `baton submit -- make`.
    public let line: String

    /// One sentence without a full stop that says what the line does; empty where the line speaks for itself.
    public let explanation: String

    /// Shows a line, with what it does.
    public init(_ line: String, _ explanation: String = "") {
        self.line = line
        self.explanation = explanation
    }
}
