@_spi(Baton) public import BatonOperations

/// The pause of an executing operation, until somebody continues or cancels it (RT6).
@_spi(Baton) public struct PauseDocument: Document {
    /// Who asked for it, by the name of a key; null if nobody is known.
    public var by: String?
    /// When it was asked for.
    public var since: Timestamp

    /// Describes a pause.
    public init(by: String?, since: Timestamp) {
        self.by = by
        self.since = since
    }

    /// Who paused the operation, as the end of a sentence: ` by laptop`; empty if nobody is known.
    public var byWhom: String { by.map { " by \($0.asShown)" } ?? "" }
}
