/// A key that a coordinator admits, or has admitted.
@_spi(Baton) public struct AuthorizedKey: Hashable, Sendable {
    /// The number of the key in its table.
    public let number: KeyNumber
    /// The name for people, which no other unrevoked key of the table has.
    public let name: KeyName
    /// What the key's holder may do.
    public let role: Role
    /// By what the coordinator recognizes the key.
    public let identity: KeyIdentity
    /// When the key was authorized, in seconds since the start of 1970 in UTC.
    public let madeAt: Int64
    /// When the key was revoked, in seconds since the start of 1970 in UTC; nil for a key that is admitted.
    public internal(set) var revokedAt: Int64?

    /// The times that a table takes, in seconds since the start of 1970 in UTC: up to the end of year 9999.
    ///
    /// The text of a table has no negative numbers, and documents have years of four digits.
    private static let times: ClosedRange<Int64> = 0...253_402_300_799

    /// The time, or the nearest one that a table takes, because a clock may be wrong.
    static func nearest(_ time: Int64) -> Int64 { min(max(time, times.lowerBound), times.upperBound) }

    /// Whether the key is no longer admitted.
    public var isRevoked: Bool { revokedAt != nil }
}
