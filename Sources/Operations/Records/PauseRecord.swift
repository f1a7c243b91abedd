/// The pause of an executing operation: its processes stand still until somebody continues or cancels it.
///
/// A pause is one of an attempt, and ends with it.
@_spi(Baton) public struct PauseRecord: Hashable, Sendable {
    /// Who asked, such as the name of a key; nil if nobody is known.
    public var by: String?
    /// When the pause was asked for.
    public var since: Timestamp

    /// Describes a pause.
    public init(by: String? = nil, since: Timestamp) {
        self.by = by
        self.since = since
    }
}
