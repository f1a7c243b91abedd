@_spi(Baton) public import BatonOperations

/// The ID of a request, for the delivery of the answer to the client, with the name of the requester.
@_spi(Baton) public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// The number of the request, given by the shell.
    public let rawValue: UInt64
    /// Who asks, for the record; nil if nobody is known.
    public let requester: RequesterName?

    /// Makes an ID from the number of the request.
    public init(rawValue: UInt64) {
        self.init(rawValue: rawValue, by: nil)
    }

    /// Makes an ID from the number of the request and the name of the requester.
    public init(rawValue: UInt64, by: String?) {
        self.rawValue = rawValue
        requester = by.map { RequesterName($0) }
    }

    /// Whether two IDs are of the same request.
    public static func == (one: RequestID, other: RequestID) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the number, which alone identifies the request.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
