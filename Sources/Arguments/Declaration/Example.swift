/// An example call in the help, with an explanation.
@_spi(Baton) public struct Example: Sendable, Equatable {
    /// The complete command line, for example `baton submit -- make`.
    public let line: String

    /// The effect of the line, as one sentence without a full stop; empty if the line needs no explanation.
    public let explanation: String

    /// Creates an example with a line and an explanation.
    public init(_ line: String, _ explanation: String = "") {
        self.line = line
        self.explanation = explanation
    }
}
