/// The reason why a server cannot start.
@_spi(Baton) public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed.
    public enum Code: Hashable, Sendable {
        /// The library libmicrohttpd cannot be loaded.
        case libraryMissing
        /// The host is not a numerical address, or the port is not a number of 0 to 65535.
        case badAddress
        /// Another program listens there.
        case addressInUse
        /// The host has no such address.
        case addressNotAvailable
        /// The user may not listen there.
        case notPermitted
        /// The library cannot encrypt.
        case tlsMissing
        /// The certificate or its key is unusable.
        case tlsUnusable
        /// The system lacks something else.
        case other
    }

    /// What failed.
    public var code: Code
    /// The failure, and what to do, as sentences.
    public var description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
