/// Why the coordinator has not taken a piece of a sent file.
@_spi(Baton) public struct SentPieceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer for the sender.
    public var refusal: Refusal
    /// Whether the file would have room if unneeded files gave way.
    public var lacksRoom: Bool

    /// Describes a failure.
    public init(_ refusal: Refusal, lacksRoom: Bool = false) {
        self.refusal = refusal
        self.lacksRoom = lacksRoom
    }

    /// The sentence.
    public var description: String { refusal.description }
}
