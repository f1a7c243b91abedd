@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonWeb

/// The web interface of a coordinator in this process.
final class WebServer: Sendable {
    /// The address for a browser and other programs.
    let url: String

    private let server: HTTPServer
    private let addressFile: WebAddressFile

    /// Starts the web interface of a coordinator.
    ///
    /// Without the option --http, a web interface that cannot start is a warning.
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
            let server = try WebServer(arguments, host, port, of: coordinator, home: home, isInsecure: isInsecure)
            logger.notice("web interface", metadata: ["url": "\(server.url)"])
            return server
        } catch {
            guard arguments.http == nil else { throw error }
            logger.warning("no web interface", metadata: ["reason": "\(CommandFailure(error).message)"])
            return nil
        }
    }

    private init(
        _ arguments: HTTPArguments,
        _ host: String,
        _ port: Int,
        of coordinator: CoordinatorServer,
        home: String,
        isInsecure: Bool
    ) throws {
        let isEncrypted = arguments.httpCert != nil
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
        let tls = try Self.tls(arguments)
        let server: HTTPServer
        do throws(HTTPServerError) {
            server = try HTTPServer(host: host, port: port, tls: tls, handler: handler)
        } catch {
            throw CommandFailure(error)
        }
        let names = HostNames(
            boundTo: host,
            port: server.port,
            names: arguments.httpHost,
            isEncrypted: isEncrypted
        )
        handler.set(
            WebInterface(
                RequestGuard(names, tokens, isInsecure: isInsecure),
                CoordinatorCluster(server: coordinator),
                version: BatonVersion.current,
                temporaryFilesIn: try Surroundings.path("TMPDIR") ?? "/tmp"
            )
        )
        self.server = server
        url = "\(isEncrypted ? "https" : "http")://\(host):\(server.port)/"
        addressFile = WebAddressFile(home: home)
        try addressFile.note(url)
    }

    private static func tls(_ arguments: HTTPArguments) throws -> HTTPTLS? {
        guard let certificate = arguments.httpCert, let key = arguments.httpKey else { return nil }
        return HTTPTLS(
            certificate: String(decoding: try InputFile.bytes(of: certificate), as: UTF8.self),
            key: String(decoding: try InputFile.bytes(of: key), as: UTF8.self)
        )
    }

    /// Ends the web interface; blocks until open answers are sent, for a second at most.
    func stop() {
        server.stop()
        addressFile.forget(url)
    }
}
