import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The web interface of a coordinator that is starting", .timeLimit(.minutes(60)))
struct LateHandlerTests {
    private func head(_ method: String, _ target: String) throws -> HTTPRequestHead {
        try HTTPRequestHead(
            method: method,
            target: target,
            headers: ["Host": "127.0.0.1:7462"],
            peer: HTTPPeer(address: "127.0.0.1")
        )
    }

    /// The answer to a request, as the server asks for it.
    private func answer(_ handler: LateHandler, _ method: String, _ target: String) async throws -> HTTPResponse {
        let head = try head(method, target)
        if let refusal = handler.refusal(of: head) { return refusal }
        return await handler.respond(to: HTTPRequest(head: head))
    }

    @Test(
        "Everything is answered with an error document that says when to ask again",
        arguments: [
            ("GET", "/api/v1/status"), ("GET", "/metrics"), ("POST", "/api/v1/jobs"), ("DELETE", "/nothing"),
            ("POST", "/healthz"), ("GET", "/healthz/more"),
        ]
    )
    func starting(method: String, target: String) async throws {
        let handler = LateHandler()
        let answer = try await answer(handler, method, target)
        #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
        let head = try head(method, target)
        #expect(handler.refusal(of: head) != nil && handler.mostBodyBytes(for: head) == 0)
        let schemas = try AnswerSchemas.own.get()
        #expect(try schemas.objections(to: answer, of: head).isEmpty)
        #expect(schemas.headerObjections(to: answer, of: head).isEmpty)
        #expect(answer.headers["Content-Type"] == "application/json" && answer.text.contains(#""code":"unavailable""#))
        for name in AnswerSchemas.usual where name != "Content-Security-Policy" {
            #expect(answer.headers[name] != nil, "\(name)")
        }
    }

    @Test("The process says that it answers, and not that it is ready", arguments: ["GET", "HEAD"])
    func words(method: String) async throws {
        let handler = LateHandler()
        let living = try await answer(handler, method, "/healthz")
        #expect(living.status == 200 && living.text == "ok\n")
        let ready = try await answer(handler, method, "/readyz")
        #expect(ready.status == 503 && ready.text == "unavailable\n")
        #expect(handler.response(to: HTTPFailure(413, "Too much.")).text.contains(#""message":"Too much.""#))
    }

    @Test("Once the interface is known, it answers everything")
    func known() async throws {
        let handler = LateHandler()
        var interface = TestHandler()
        interface.respond = { _ in .text("known") }
        handler.set(interface)
        for target in ["/healthz", "/readyz", "/api/v1/status"] {
            #expect(try await answer(handler, "GET", target).text == "known", "\(target)")
        }
    }
}
