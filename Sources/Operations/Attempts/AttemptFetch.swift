/// How far a worker has come with the files that an attempt needs before its start.
@_spi(Baton) public struct AttemptFetch: Hashable, Sendable {
    /// The attempt.
    public var token: AttemptToken
    /// The bytes that are there of all files that the attempt needs, each content once.
    public var present: UInt64

    /// Describes how far the files of an attempt have come.
    public init(_ token: AttemptToken, present: UInt64) {
        self.token = token
        self.present = present
    }
}
