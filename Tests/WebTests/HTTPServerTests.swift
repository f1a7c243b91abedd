import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The HTTP server", .timeLimit(.minutes(60)))
struct HTTPServerTests {
    @Test("A request comes to the handler in whole, and the answer back")
    func request() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST /a%20b/c?x=1+2&y HTTP/1.1\nHost: test\nContent-Length: 5\n\nhello")
            let answer = try client.answer()
            #expect(answer.status == 200)
            #expect(answer.reason == "OK")
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer["Date"] != nil)
            #expect(answer.text == #"POST ["a b", "c"] ["x=1 2", "y="] hello"#)
        }
    }

    @Test("A target in the absolute form is that of its path")
    func absolute() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for scheme in ["http", "HTTP"] {
                client.send("GET \(scheme)://127.0.0.1:\(server.port)/a%20b/c?x=1 HTTP/1.1\nHost: test\n\n")
                #expect(try client.answer().text == #"GET ["a b", "c"] ["x=1"] "#)
            }
        }
    }

    @Test("The handler sees the client, the version, and each header")
    func head() async throws {
        let heads = Latch<HTTPRequestHead>()
        var handler = TestHandler()
        handler.respond = { request in
            heads.set(request.head)
            return HTTPResponse(status: 204)
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            client.send("PURGE /x?%41=b HTTP/1.1\nHost: a\nX-One:  1 \nhOST: b\nAccept: ü\nX-Empty:\n\n")
            #expect(try client.answer().status == 204)
            let head = try heads.wait()
            #expect(head.method == "PURGE")
            #expect(head.target == "/x?%41=b")
            #expect(head.version == "HTTP/1.1")
            #expect(head.peer == HTTPPeer(address: "127.0.0.1"))
            #expect(!head.isEncrypted)
            #expect(head.headers.values(of: "host") == ["a", "b"])
            #expect(head.headers["x-one"] == "1")
            #expect(head.headers["accept"] == "ü")
            #expect(head.headers["x-empty"] == "")
        }
    }

    @Test("A connection takes request after request, and HEAD has no body")
    func keepAlive() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for number in 0..<20 {
                let method = number % 2 == 0 ? "GET" : "HEAD"
                client.get("/\(number)", method: method)
                let answer = try client.answer(isHead: method == "HEAD")
                #expect(answer.status == 200)
                #expect(answer["Content-Length"] == String(#"\#(method) ["\#(number)"] [] "#.count))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("Requests that come together are answered in order")
    func pipelining() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(
                (0..<50).map { "POST /\($0) HTTP/1.1\nHost: test\nContent-Length: 3\n\n\(100 + $0)" }.joined()
                    + "GET /last HTTP/1.1\nHost: test\nConnection: close\n\n"
            )
            for number in 0..<50 { #expect(try client.answer().text == #"POST ["\#(number)"] [] \#(100 + number)"#) }
            #expect(try client.answer().text == #"GET ["last"] [] "#)
            #expect(try client.rest() == [])
        }
    }

    @Test("A client of HTTP/1.0 gets its answer, and the end of the connection")
    func old() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET /old HTTP/1.0\n\n")
            #expect(try client.answer().text == #"GET ["old"] [] "#)
            #expect(try client.rest() == [])
        }
    }

    // Readers disagree about extensions of chunks, about their line ends, and about trailers.
    @Test("A body in chunks is put together, and ends the connection")
    func chunks() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\nTransfer-Encoding: chunked\n\n3\nabc\n")
            client.send("1;x=y\nd\n0\nTrailer: no\n\nGET /next HTTP/1.1\nHost: test\n\n")
            let answer = try client.answer()
            #expect(answer.text == "POST [] [] abcd" && answer["Connection"]?.lowercased() == "close")
            #expect(try client.rest() == [])
        }
    }

    @Test("A large body and a large answer come over whole")
    func large() async throws {
        var handler = TestHandler(mostBodyBytes: 8 << 20)
        handler.respond = { HTTPResponse(status: 200, body: $0.body) }
        try await withServer(handler) { server in
            let body = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\nContent-Length: \(body.count)\n\n")
            client.send(body)
            #expect(try client.answer().body == body)
        }
    }

    @Test("Who expects an answer before the body is told to go on")
    func expectation() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\nExpect: 100-continue\nContent-Length: 2\n\n")
            #expect(try client.answer().status == 100)
            client.send("ok")
            #expect(try client.answer().text == "POST [] [] ok")
        }
    }

    @Test("A refused request does not reach the handler, and a short body does not end the connection")
    func refusal() async throws {
        var handler = TestHandler()
        handler.refusal = { $0.path == ["secret"] ? HTTPResponse(status: 401, body: "no".utf8) : nil }
        handler.respond = { request in
            if request.head.path == ["secret"] { Issue.record("a refused request was handled") }
            return TestHandler.echo(request)
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            client.get("/secret")
            #expect(try client.answer().status == 401)
            client.send("POST /secret HTTP/1.1\nHost: test\nContent-Length: 4\n\nbody")
            #expect(try client.answer().status == 401)
            client.get("/open")
            #expect(try client.answer().status == 200)

            // Without the body that it would not take anyway.
            client.send("POST /secret HTTP/1.1\nHost: test\nExpect: 100-continue\nContent-Length: 4\n\n")
            #expect(try client.answer().status == 401)
            #expect(try client.rest() == [])

            let other = try RawClient(port: server.port)
            other.send("POST /secret HTTP/1.1\nHost: test\nTransfer-Encoding: chunked\n\n")
            #expect(try other.answer().status == 401)
            #expect(try other.rest() == [])
        }
    }

    @Test("An answer with a malformed header is not sent", arguments: ["a\r\nX: b", "a\n", "a\r"])
    func malformedAnswer(value: String) async throws {
        var handler = TestHandler()
        handler.respond = { _ in HTTPResponse(status: 200, headers: ["X-Value": value], body: "secret".utf8) }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            client.get("/")
            let answer = try client.answer()
            #expect(answer.status == 500)
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test(
        "A request that two servers could understand differently is refused",
        arguments: [
            ("GET /%zz HTTP/1.1\nHost: test\n\n", [400]),
            ("GET http://me@test/ HTTP/1.1\nHost: test\n\n", [400]),
            ("OPTIONS * HTTP/1.1\nHost: test\n\n", [400]),
            ("GET / HTTP/1.1\n\n", [400]),
            ("GET / HTTP/1.1\nHost: test\nX: a\u{1}b\n\n", [400]),
            ("POST / HTTP/1.1\nHost: test\nContent-Length: 1\nContent-Length: 2\n\na", [400]),
            ("POST / HTTP/1.1\nHost: test\nContent-Length: 1\nTransfer-Encoding: chunked\n\n0\n\n", [400]),
            ("POST / HTTP/1.1\nHost: test\nTransfer-Encoding: gzip\n\na", [501]),
            ("POST / HTTP/1.1\nHost: test\nContent-Length: x\n\n", [400]),
        ]
    )
    func ambiguity(request: String, statuses: [Int]) async throws {
        var handler = TestHandler()
        handler.respond = { _ in
            Issue.record("a malformed request was handled")
            return HTTPResponse(status: 200)
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            client.send(request)
            client.endSending()
            #expect(statuses.contains(try client.answer().status))
        }
    }

    @Test("64 clients at once get their own answers")
    func manyClients() async throws {
        try await withServer { server in
            let clients = try (0..<64).map { _ in try RawClient(port: server.port) }
            for round in 0..<20 {
                for (number, client) in clients.enumerated() { client.get("/\(round)?\(number)") }
                for (number, client) in clients.enumerated() {
                    #expect(try client.answer().text == #"GET ["\#(round)"] ["\#(number)="] "#)
                }
            }
            #expect(server.connectionCount == 64)
        }
    }
}
