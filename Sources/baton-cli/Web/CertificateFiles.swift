@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWeb

/// The files with the certificate of the web interface and its key.
struct CertificateFiles: Sendable {
    /// The path of the certificate, which the certificates of its issuers follow in the file.
    let certificate: String
    private let key: String

    /// The most bytes of the certificates: a hundred long ones have fewer.
    private static let mostBytes = 1 << 20

    /// Names the files of the options; nil without encryption.
    init?(_ arguments: HTTPArguments) {
        guard let certificate = arguments.httpCert, let key = arguments.httpKey else { return nil }
        (self.certificate, self.key) = (certificate, key)
    }

    /// Reads the files.
    ///
    /// - Throws: ``CommandFailure`` or `KeyError` if a file cannot be read, or if all users may read the key, whichever file it is in.
    func read() throws -> HTTPTLS {
        let chain = String(
            decoding: try InputFile.ordinaryBytes(of: certificate, atMost: Self.mostBytes),
            as: UTF8.self
        )
        // Some programs write the key and the certificates into one file.
        if chain.contains("PRIVATE KEY-----") { try checkKey(inFileOf: certificate) }
        return HTTPTLS(
            certificate: chain,
            key: String(decoding: try CertificateKeyFile.content(of: key), as: UTF8.self)
        )
    }

    /// Refuses a file with a private key that all users may read.
    private func checkKey(inFileOf path: String) throws(KeyError) {
        do throws(KeyError) {
            _ = try CertificateKeyFile.content(of: path)
        } catch {
            var error = error
            error.message = "The file of --http-cert holds a private key. \(error.message)"
            throw error
        }
    }
}
