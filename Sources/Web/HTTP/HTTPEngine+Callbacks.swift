import CBatonMicroHTTPD

extension HTTPEngine {
    /// The C functions that the daemon calls, with this engine as their context.
    static let callbacks = cmicrohttpd_callbacks(
        accepts: { context, address in of(context).accepts(HTTPPeer(address)) },
        opened: { context, _, address, descriptor in
            let peer = address.map { HTTPPeer($0) }
            let connection = of(context).opens(peer: peer ?? HTTPPeer(address: "unknown"), descriptor: descriptor)
            return Unmanaged.passRetained(connection).toOpaque()
        },
        closed: { context, opened in
            of(context).closes(Unmanaged<HTTPConnection>.fromOpaque(opened).takeRetainedValue())
        },
        began: { context, pointer, opened, target in
            let engine = of(context)
            let exchange = engine.begins(
                target.map { String(cString: $0) },
                on: Unmanaged<HTTPConnection>.fromOpaque(opened).takeUnretainedValue(),
                handle: HTTPConnectionHandle(library: engine.library, pointer: pointer)
            )
            return Unmanaged.passRetained(exchange).toOpaque()
        },
        came: { context, connection, began, method, version, bytes, count in
            let engine = of(context)
            let exchange = Unmanaged<HTTPExchange>.fromOpaque(began).takeUnretainedValue()
            guard count > 0 else {
                return engine.goes(
                    on: exchange,
                    method: String(cString: method),
                    version: String(cString: version),
                    isWhole: cmicrohttpd_reads_whole_head(engine.library.functions, connection, method, version)
                )
            }
            return engine.comes(UnsafeRawBufferPointer(start: bytes, count: count), of: exchange)
        },
        refuses: { context in of(context).libraryRefuses() },
        ended: { context, began, isAnswered in
            of(context).ends(Unmanaged<HTTPExchange>.fromOpaque(began).takeRetainedValue(), isAnswered: isAnswered)
        }
    )

    /// The engine behind the context of a callback, which is alive until the daemon has stopped.
    private static func of(_ context: UnsafeMutableRawPointer) -> HTTPEngine {
        Unmanaged<HTTPEngine>.fromOpaque(context).takeUnretainedValue()
    }
}
