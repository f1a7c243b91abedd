/// One `name=value` of the query of a request, decoded.
@_spi(Baton) public struct HTTPQueryItem: Hashable, Sendable {
    /// The name, which may occur more than once in a query.
    public var name: String
    /// The value; empty without an equals sign.
    public var value: String
}
