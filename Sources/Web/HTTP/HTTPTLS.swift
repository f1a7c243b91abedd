/// What a server needs for encrypted connections.
@_spi(Baton) public struct HTTPTLS: Sendable {
    /// The certificate, with those that vouch for it behind it, as PEM text.
    public var certificate: String
    /// The key of the certificate, as PEM text without a password.
    public var key: String

    /// Creates the pair.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
