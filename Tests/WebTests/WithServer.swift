import Testing

@_spi(Baton) import BatonThreads
@_spi(Baton) @testable import BatonWeb

/// A handler made of closures.
struct TestHandler: HTTPHandler {
    var mostBodyBytes = 1 << 20
    var refusal: @Sendable (HTTPRequestHead) -> HTTPResponse? = { _ in nil }
    var knowsSender: @Sendable (HTTPRequestHead) -> Bool = { _ in true }
    var respond: @Sendable (HTTPRequest) async -> HTTPResponse = { TestHandler.echo($0) }

    func refusal(of head: HTTPRequestHead) -> HTTPResponse? { refusal(head) }

    func knowsSender(of head: HTTPRequestHead) -> Bool { knowsSender(head) }

    func mostBodyBytes(for head: HTTPRequestHead) -> Int { mostBodyBytes }

    func respond(to request: HTTPRequest) async -> HTTPResponse { await respond(request) }

    /// Tells what the request was.
    static func echo(_ request: HTTPRequest) -> HTTPResponse {
        let head = request.head
        let query = head.query.map { "\($0.name)=\($0.value)" }
        let text = "\(head.method) \(head.path) \(query) \(String(decoding: request.body, as: UTF8.self))"
        return HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: text.utf8)
    }
}

extension HTTPLimits {
    /// Limits whose times no test reaches, however busy the host is.
    static var patient: HTTPLimits {
        HTTPLimits(
            headTime: .seconds(3600),
            requestTime: .seconds(3600),
            idleTime: .seconds(3600),
            stallTime: .seconds(3600),
            halfClosedTime: .seconds(3600)
        )
    }

    /// The same limits with another value of one.
    func with<Value>(_ limit: WritableKeyPath<HTTPLimits, Value>, _ value: Value) -> HTTPLimits {
        var limits = self
        limits[keyPath: limit] = value
        return limits
    }
}

/// Starts a server, calls the body on a thread of its own, and stops the server, after which nothing may be left.
func withServer(
    host: String = "127.0.0.1",
    tls: HTTPTLS? = nil,
    limits: HTTPLimits = .patient,
    _ handler: TestHandler = TestHandler(),
    _ body: @escaping @Sendable (HTTPServer) throws -> Void
) async throws {
    let server = try HTTPServer(host: host, port: 0, tls: tls, limits: limits, handler: handler)
    try await onOwnThread(named: "test") { () throws(any Error) in
        let result = Result { try body(server) }
        server.stop()
        try result.get()
    }
    #expect(server.connectionCount == 0)
    #expect(server.streamCount == 0)
}
