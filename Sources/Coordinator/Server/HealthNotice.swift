@_spi(Baton) public import BatonOperations

/// A sentence that "baton health" adds from a moment on, about a part of the process that the coordinator does not know.
@_spi(Baton) public struct HealthNotice: Hashable, Sendable {
    /// The moment.
    public var from: Timestamp
    /// The sentence.
    public var sentence: String

    /// Describes a notice.
    public init(from: Timestamp, _ sentence: String) {
        self.from = from
        self.sentence = sentence
    }
}
