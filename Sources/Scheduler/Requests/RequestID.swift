/// The ID of a request, for the delivery of the answer to the client.
@_spi(Baton) public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// The number of the request, given by the shell.
    public let rawValue: UInt64

    /// Makes an ID from the number of the request.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
