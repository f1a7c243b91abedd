import Synchronization

/// A server of HTTP/1.1 on top of libmicrohttpd, which is loaded by the first server and not before.
///
/// One thread reads and writes all connections, and a second thread ends connections that are past their time. Tasks handle the
/// requests; the connection of a request waits meanwhile.
@_spi(Baton) public final class HTTPServer: Sendable {
    /// The host that was given.
    public let host: String
    /// The port that the server listens at.
    public let port: Int

    private struct Running {
        var daemon: HTTPDaemon
        var watch: HTTPConnectionWatch
    }

    private let engine: HTTPEngine
    private let running: Mutex<Running?>

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - host: A numerical address, such as `127.0.0.1`, `::1` or `[::1]`; `::` takes clients of IPv4 too.
    ///   - port: The port; 0 picks a free one.
    ///   - tls: The certificate of an encrypted server.
    ///   - limits: What clients may take of the server.
    ///   - handler: Answers the requests.
    /// - Throws: ``HTTPServerError``; after an error, nothing is left open.
    public convenience init(
        host: String,
        port: Int,
        tls: HTTPTLS? = nil,
        limits: HTTPLimits = HTTPLimits(),
        handler: any HTTPHandler
    ) throws(HTTPServerError) {
        try self.init(
            host: host,
            port: port,
            tls: tls,
            limits: limits,
            handler: handler,
            libraryNames: HTTPLibrary.usualNames
        )
    }

    init(
        host: String,
        port: Int,
        tls: HTTPTLS? = nil,
        limits: HTTPLimits = HTTPLimits(),
        handler: any HTTPHandler,
        libraryNames: [String]
    ) throws(HTTPServerError) {
        let library = try HTTPLibrary.load(libraryNames)
        guard tls == nil || library.hasTLS else {
            throw HTTPServerError(
                .tlsMissing,
                "The library libmicrohttpd of this host cannot encrypt. Install another build of it."
            )
        }
        engine = try HTTPEngine(library: library, handler: handler, limits: limits, isEncrypted: tls != nil)
        let listener = try HTTPListener(host: host, port: port)
        let watch: HTTPConnectionWatch
        do {
            watch = try HTTPConnectionWatch(engine)
        } catch {
            HTTPListener.end(listener.descriptor)
            throw error
        }
        do {
            running = Mutex(Running(daemon: try HTTPDaemon(engine, listener: listener, tls: tls), watch: watch))
        } catch {
            watch.stop()
            throw error
        }
        self.host = host
        self.port = listener.port
    }

    deinit { stop() }

    /// The number of open connections.
    public var connectionCount: Int { engine.connections.count }

    /// The number of open streams.
    public var streamCount: Int { engine.streams.count }

    /// Replaces the certificate of new connections, for example by a renewed one; open connections keep theirs.
    ///
    /// The method has no effect on a stopped server.
    ///
    /// - Throws: ``HTTPServerError`` with ``HTTPServerError/Code/tlsUnusable`` if the certificate and the key cannot be used, or the
    ///   server does not encrypt; the certificate stays as it was.
    public func replaceCertificate(by tls: HTTPTLS) throws(HTTPServerError) {
        guard engine.isEncrypted else {
            throw HTTPServerError(
                .tlsUnusable,
                "The server at \(host):\(port) does not encrypt, and has no certificate."
            )
        }
        let failure = running.withLock { running -> HTTPServerError? in
            do throws(HTTPServerError) {
                try running?.daemon.replaceCertificate(by: tls)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Ends the server; a second call waits for the first.
    ///
    /// Takes no more connections, ends streams, answers requests that are still handled with 503 and cancels their tasks. Blocks
    /// until those answers are sent, at most for ``HTTPLimits/stopTime``, then closes all connections. Nothing is asked of the
    /// handler afterwards, although cancelled tasks may still run. The handler must not call this method in a callback that does
    /// not wait.
    public func stop() {
        running.withLock { running in
            guard let (daemon, watch) = running.map({ ($0.daemon, $0.watch) }) else { return }
            running = nil
            engine.stop()
            engine.answers.waitUntilNone(for: engine.limits.stopTime)
            engine.endConnections()
            daemon.stop()
            watch.stop()
        }
    }
}
