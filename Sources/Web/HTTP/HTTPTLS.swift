/// What a server needs for encrypted connections.
@_spi(Baton) public struct HTTPTLS: Sendable {
    /// The certificate, followed by the certificates of its issuers, as PEM text.
    public var certificate: String
    /// The key of the certificate, as PEM text without a password.
    public var key: String

    /// When the certificate expires, in seconds since the start of 1970 in UTC; nil for what is no certificate.
    ///
    /// - Throws: ``HTTPServerError`` if the library libmicrohttpd cannot be loaded.
    public func expiration() throws(HTTPServerError) -> Int64? {
        try HTTPLibrary.load(HTTPLibrary.usualNames).expiration(of: certificate)
    }

    /// Creates the pair.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
