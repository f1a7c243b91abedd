@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWeb

/// The files with the certificate of the web interface and its key.
struct CertificateFiles: Sendable {
    /// The path of the certificate, which the certificates of its issuers follow in the file.
    let certificate: String
    private let key: String

    /// Names the files of the options; nil without encryption.
    init?(_ arguments: HTTPArguments) {
        guard let certificate = arguments.httpCert, let key = arguments.httpKey else { return nil }
        (self.certificate, self.key) = (certificate, key)
    }

    /// Reads the files.
    ///
    /// - Throws: ``CommandFailure`` or `KeyError` if a file cannot be read, or if all users may read the key.
    func read() throws -> HTTPTLS {
        HTTPTLS(
            certificate: String(decoding: try InputFile.bytes(of: certificate), as: UTF8.self),
            key: String(decoding: try CertificateKeyFile.content(of: key), as: UTF8.self)
        )
    }
}
