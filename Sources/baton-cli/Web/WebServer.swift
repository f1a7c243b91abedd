@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWeb

/// The web interface of a coordinator in this process.
final class WebServer: Sendable {
    /// The address for a browser and other programs.
    let url: String

    private let server: HTTPServer
    private let interface: WebInterface
    private let addressFile: WebAddressFile
    /// Nil without encryption.
    private let certificate: CertificateFiles?
    private let coordinator: CoordinatorServer

    /// Starts the web interface of a coordinator.
    ///
    /// Without the options --http and --http-cert, a web interface that cannot start is a warning.
    ///
    /// - Parameters:
    ///   - home: the state directory, in which the token of its user is made.
    ///   - isInsecure: whether the coordinator has no keys.
    /// - Returns: nil if the interface is off, or cannot be had and nobody has asked for it.
    /// - Throws: ``CommandFailure`` if the interface that somebody has asked for cannot be had.
    static func start(
        _ arguments: HTTPArguments,
        of coordinator: CoordinatorServer,
        home: String,
        isInsecure: Bool,
        _ logger: Logger
    ) throws -> WebServer? {
        guard case .at(let host, let port) = arguments.address else { return nil }
        do {
            // Read once: a renewal may replace the files meanwhile.
            let tls = try CertificateFiles(arguments)?.read()
            let server = try WebServer(arguments, host, port, tls, of: coordinator, home: home, isInsecure: isInsecure)
            logger.notice("web interface", metadata: ["url": "\(server.url)"])
            if let tls { try server.note(tls, logger) }
            return server
        } catch {
            guard arguments.http == nil, arguments.httpCert == nil else { throw error }
            logger.warning("no web interface", metadata: ["reason": "\(CommandFailure(error).message)"])
            return nil
        }
    }

    private init(
        _ arguments: HTTPArguments,
        _ host: String,
        _ port: Int,
        _ tls: HTTPTLS?,
        of coordinator: CoordinatorServer,
        home: String,
        isInsecure: Bool
    ) throws {
        certificate = CertificateFiles(arguments)
        self.coordinator = coordinator
        let isEncrypted = certificate != nil
        let isLoopback = HostNames(boundTo: host, port: port).isLoopback
        guard isLoopback || isEncrypted || arguments.httpInsecure else {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "notEncrypted",
                "The web interface at \(host):\(port) can be reached from other hosts, and would send its tokens unencrypted.",
                advice: "Give --http-cert and --http-key, or take that into account with --http-insecure."
            )
        }
        let localFile = LocalTokenFile(home: home)
        _ = try localFile.tokenOrNew()
        let tokens = TokenRegistry(KeyDirectory(home: home), localFile: localFile, isInsecure: isInsecure)
        let handler = LateHandler()
        let server: HTTPServer
        do throws(HTTPServerError) {
            server = try HTTPServer(host: host, port: port, tls: tls, handler: handler)
        } catch {
            throw CommandFailure(error)
        }
        let names = HostNames(boundTo: host, port: server.port, names: arguments.httpHost)
        interface = WebInterface(
            RequestGuard(names, tokens, isInsecure: isInsecure),
            CoordinatorCluster(server: coordinator),
            version: BatonVersion.current,
            temporaryFilesIn: try Surroundings.path("TMPDIR") ?? "/tmp"
        )
        handler.set(interface)
        self.server = server
        url = "\(isEncrypted ? "https" : "http")://\(names.authority(isEncrypted: isEncrypted))/"
        addressFile = WebAddressFile(home: home)
        try addressFile.note(url)
    }

    /// Takes over the certificate and the key from their files, such as renewed ones.
    ///
    /// Files that cannot be used are a line of the log, and the earlier certificate stays in use.
    func reload(_ logger: Logger) {
        guard let certificate else { return }
        do {
            let tls = try certificate.read()
            do throws(HTTPServerError) { try server.replaceCertificate(by: tls) } catch { throw CommandFailure(error) }
            try note(tls, logger)
        } catch {
            logger.error(
                "the certificate of HTTPS stays as it was",
                metadata: ["file": "\(certificate.certificate)", "reason": "\(CommandFailure(error).text)"]
            )
        }
    }

    /// Tells the log, the metrics, and once it is time "baton health", when a certificate expires.
    private func note(_ tls: HTTPTLS, _ logger: Logger) throws {
        let seconds: Int64?
        do throws(HTTPServerError) { seconds = try tls.expiration() } catch { throw CommandFailure(error) }
        interface.noteCertificate(expiringAt: seconds)
        guard let seconds, let certificate else { return }
        let expiration = Timestamp(rawValue: seconds * 1_000_000)
        coordinator.note(
            HealthNotice(
                from: expiration,
                "The certificate of HTTPS, \(certificate.certificate), expired at \(expiration.localText): renew it, and reload "
                    + "the coordinator by SIGHUP."
            )
        )
        let metadata: Logger.Metadata = [
            "expires": "\(expiration.localText)", "file": "\(certificate.certificate)",
        ]
        if expiration <= Timestamp.now {
            logger.warning("the certificate of HTTPS has expired", metadata: metadata)
        } else {
            logger.notice("the certificate of HTTPS is in use", metadata: metadata)
        }
    }

    /// Ends the web interface; blocks until open answers are sent, for a second at most.
    func stop() {
        server.stop()
        addressFile.forget(url)
    }
}
