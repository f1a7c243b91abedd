import CBatonMicroHTTPD

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A running daemon of libmicrohttpd, with one thread that serves all connections.
struct HTTPDaemon: Sendable {
    nonisolated(unsafe) private let pointer: OpaquePointer
    private let listener: Int32

    /// The most connections that the daemon holds beyond the limit, so that it goes on to close what is too much.
    private static let spareConnections = 8

    /// The memory of a connection beside its request's headers.
    private static let tableBytes = 24 << 10

    /// Starts the daemon, which calls the engine until it has stopped.
    init(_ engine: HTTPEngine, listener: HTTPListener, tls: HTTPTLS?) throws(HTTPServerError) {
        var reason = [CChar](repeating: 0, count: 256)
        let inode = Self.inode(listener.descriptor)
        let certificate = tls.map { strdup($0.certificate) } ?? nil
        let key = tls.map { strdup($0.key) } ?? nil
        defer {
            free(certificate)
            free(key)
        }
        let seconds = engine.limits.stallTime.components
        var options = cmicrohttpd_options(
            listener: listener.descriptor,
            most_connections: UInt32(clamping: engine.limits.mostConnections + Self.spareConnections),
            stall_seconds: UInt32(clamping: seconds.seconds + (seconds.attoseconds > 0 ? 1 : 0)),
            // Besides the headers, their table and the answer's headers need room. More would make endless headers expensive: the
            // library searches the line anew with each part that comes, until the memory is full.
            connection_bytes: max(engine.limits.mostHeaderBytes + Self.tableBytes, 1 << 14),
            certificate: certificate,
            key: key,
            context: Unmanaged.passUnretained(engine).toOpaque(),
            callbacks: HTTPEngine.callbacks
        )
        guard let started = cmicrohttpd_start(engine.library.functions, &options, &reason, reason.count) else {
            // The library has closed the listener in some failures, and in others not.
            if Self.inode(listener.descriptor) == inode { HTTPListener.end(listener.descriptor) }
            let sentence = string(reason)
            guard tls != nil else {
                throw HTTPServerError(.other, "libmicrohttpd does not start\(sentence.isEmpty ? "." : ": \(sentence)")")
            }
            throw Self.unusable(sentence)
        }
        pointer = started
        self.listener = listener.descriptor
    }

    /// The error of a certificate that cannot be used with its key.
    private static func unusable(_ reason: String) -> HTTPServerError {
        let end = reason.isEmpty ? "." : ": \(reason)\(reason.hasSuffix(".") ? "" : ".")"
        return HTTPServerError(.tlsUnusable, "The certificate and the key for HTTP cannot be used\(end)")
    }

    /// Gives connections from now on another certificate; open ones keep theirs.
    func replaceCertificate(by tls: HTTPTLS) throws(HTTPServerError) {
        var reason = [CChar](repeating: 0, count: 256)
        guard cmicrohttpd_replace_certificate(pointer, tls.certificate, tls.key, &reason, reason.count) else {
            throw Self.unusable(string(reason))
        }
    }

    /// The inode of a socket, which differs from that of a later socket with the same descriptor.
    private static func inode(_ descriptor: Int32) -> UInt64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    /// Frees the port, closes all connections, none of which may be suspended, and waits for the thread; the daemon is gone afterwards.
    ///
    /// MHD_quiesce_daemon would end the acceptance of connections earlier. It removes the listener from the epoll set at the same time
    /// as the thread may do so, and the thread then ends the process (MHD_epoll in daemon.c of 0.9.75).
    func stop() {
        HTTPListener.shutDown(listener)
        cmicrohttpd_stop(pointer)
    }
}
