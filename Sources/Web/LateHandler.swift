import Synchronization

/// A handler that is known only after its server has a port, which the handler needs.
@_spi(Baton) public final class LateHandler: HTTPHandler {
    private let handler = Mutex<(any HTTPHandler)?>(nil)

    /// Makes a handler that answers `/healthz` alone until ``set(_:)`` is called; all other addresses are 503.
    public init() {}

    /// Sets the handler; requests before are answered with 503.
    public func set(_ handler: any HTTPHandler) { self.handler.withLock { $0 = handler } }

    private var known: (any HTTPHandler)? { handler.withLock { $0 } }

    /// The refusal of the handler, or of a coordinator that is starting.
    public func refusal(of head: HTTPRequestHead) -> HTTPResponse? {
        if let known { return known.refusal(of: head) }
        return Self.asksForLife(head) ? nil : Self.starting(head)
    }

    /// Whether the handler knows the sender; nobody is known before it is.
    public func knowsSender(of head: HTTPRequestHead) -> Bool { known?.knowsSender(of: head) ?? false }

    /// The most bytes that the handler takes; none before it is known.
    public func mostBodyBytes(for head: HTTPRequestHead) -> Int { known?.mostBodyBytes(for: head) ?? 0 }

    /// The answer of the handler, or of a coordinator that is starting.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let known { return await known.respond(to: request) }
        return Self.asksForLife(request.head) ? .living : Self.starting(request.head)
    }

    /// The answer of the handler, or that of any web interface.
    public func response(to failure: HTTPFailure) -> HTTPResponse {
        known?.response(to: failure) ?? WebRefusal(failure).response
    }

    /// Whether a supervisor asks if the process answers: one that reads a large record does.
    private static func asksForLife(_ head: HTTPRequestHead) -> Bool {
        head.path == ["healthz"] && (head.method == "GET" || head.method == "HEAD")
    }

    private static func starting(_ head: HTTPRequestHead) -> HTTPResponse {
        if head.path == ["readyz"] { return .unready }
        return WebRefusal(
            503,
            "unavailable",
            "The coordinator is starting. Repeat the request in a second.",
            headers: ["Retry-After": "1"]
        ).response
    }
}
