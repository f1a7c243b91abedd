import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Misbehaving clients of the HTTP server", .timeLimit(.minutes(60)))
struct HTTPMisbehaviourTests {
    /// A handler that waits for its cancellation or for a gate.
    private func handler(began: Latch<Void>, cancelled: Latch<Void>, gate: Latch<Void>) -> TestHandler {
        var handler = TestHandler()
        handler.respond = { request in
            guard request.head.path == ["wait"] else { return TestHandler.echo(request) }
            began.open()
            await withTaskCancellationHandler {
                await gate.value()
            } onCancel: {
                cancelled.open()
            }
            return TestHandler.echo(request)
        }
        return handler
    }

    @Test("A reset of the connection cancels the handling of its request")
    func reset() async throws {
        let (began, cancelled, gate) = (Latch<Void>(), Latch<Void>(), Latch<Void>())
        try await withServer(handler(began: began, cancelled: cancelled, gate: gate)) { server in
            let client = try RawClient(port: server.port)
            client.get("/wait")
            try began.wait()
            client.reset()
            try cancelled.wait()
            gate.open()
        }
    }

    @Test("A client that closed its sending side gets its answer, also after the handling was cancelled")
    func halfClosed() async throws {
        let (began, cancelled, gate) = (Latch<Void>(), Latch<Void>(), Latch<Void>())
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.get("/")
            client.endSending()
            #expect(try client.answer().status == 200)
            #expect(try client.rest() == [])
        }
        let limits = HTTPLimits.patient.with(\.halfClosedTime, .milliseconds(50))
        try await withServer(limits: limits, handler(began: began, cancelled: cancelled, gate: gate)) { server in
            let client = try RawClient(port: server.port)
            client.get("/wait")
            try began.wait()
            #expect(!cancelled.isSet)
            client.endSending()
            try cancelled.wait()
            gate.open()
            #expect(try client.answer().status == 200)
            #expect(try client.rest() == [])
        }
    }

    @Test("A client that closed its sending side before its request was handled gets its answer beside other clients")
    func halfClosedEarly() async throws {
        let closed = Latch<Void>()
        var handler = TestHandler()
        handler.respond = { request in
            if request.head.path == ["wait"] { await closed.value() }
            return TestHandler.echo(request)
        }
        try await withServer(handler) { server in
            // The daemon looks first at the connection that has been silent for the longest time.
            let other = try RawClient(port: server.port)
            other.get("/")
            #expect(try other.answer().status == 200)
            let client = try RawClient(port: server.port)
            client.get("/wait")
            client.endSending()
            closed.open()
            #expect(try client.answer().status == 200)
        }
    }

    @Test(
        "A request that the library refuses by itself is answered once",
        arguments: [
            ("Content-Length: abc\n", 400), ("Content-Length: -5\n", 400), ("Content-Length: 5x\n", 400),
            ("Content-Length: \n", 400), ("Content-Length: 5, 5\n", 400),
            ("Content-Length: 99999999999999999999999\n", 413), ("Content-Length: x\nContent-Length: 5\n", 400),
            ("Cookie: \(String(repeating: "a;", count: 2_000))\n", 431),
        ] as [(String, Int)]
    )
    func refusedByLibrary(header: String, status: Int) async throws {
        try await withServer { server in
            // Beside it, heads that are not complete, and a good request.
            let slow = try RawClient(port: server.port)
            slow.send("POST / HTTP/1.1\nHost: test\nContent-Length: 5\n")
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\n\(header)\nhello")
            #expect(try client.answer().status == status)
            #expect(try client.rest() == [])
            slow.send("\nhello")
            #expect(try slow.answer().status == 200)
        }
    }

    /// The lines that hide a body of N bytes from some readers, and not from others.
    private static let ambiguousLines = [
        "Content-Length : N\n", "Content-Length\t: N\n", "Content-Length:\n N\n", "X: y\n Content-Length: N\n",
        "X: y\n\tz\nContent-Length: N\n", "X:\n y\n", " Content-Length: N\n", "\tX: y\n", "Content-Length: N\0\n",
        "Content-Length: N\0, 0\n", "Content-Length\0: N\n", "X: y\rContent-Length: N\n", "\0Content-Length: N\n",
        "X: y\n\0\nContent-Length: N\n", "Content-Length: 0\nContent-Length: N\n", "Transfer-Encoding : chunked\n",
        "Transfer-Encoding:\n chunked\n", ": N\n", "(Content-Length): N\n", "Content-Length\u{C}: N\n",
    ]

    @Test(
        "What hides in a body that readers find differently is not carried out",
        arguments: ambiguousLines,
        [true, false]
    )
    func hidden(lines: String, isFirst: Bool) async throws {
        var handler = TestHandler()
        handler.respond = { request in
            Issue.record("\(request.head.method) \(request.head.path) was carried out")
            return HTTPResponse(status: 200)
        }
        try await withServer(handler) { server in
            let body = "GET /hidden HTTP/1.1\r\nHost: test\r\n\r\n"
            let lines = lines.replacing("N", with: "\(body.utf8.count)")
            let head = isFirst ? lines + "Host: test\n" : "Host: test\n" + lines
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\n\(head)\n\(body.replacing("\r\n", with: "\n"))")
            #expect(try client.answer().status == 400)
            #expect(try client.rest() == [])
        }
    }

    @Test(
        "A request with a line that does not end with CR LF, or a zero byte in its first line, is refused",
        arguments: [
            "GET / HTTP/1.1\nHost: test\r\n\r\n", "GET / HTTP/1.1\r\nHost: test\n\r\n",
            "GET / HTTP/1.1\r\nHost: test\r\nX: y\nZ: z\r\n\r\n", "GET / HTTP/1.1\r\nHost: test\r\n\n",
            "GET /a\0b HTTP/1.1\r\nHost: test\r\n\r\n", "GET\0 / HTTP/1.1\r\nHost: test\r\n\r\n",
            "GET /?a\0b HTTP/1.1\r\nHost: test\r\n\r\n",
        ]
    )
    func lineEnds(request: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send(request.utf8)
            #expect(try client.answer().status == 400)
            #expect(try client.rest() == [])
        }
    }

    @Test("A head that comes byte by byte, with spaces around its values, is taken, and so is the next")
    func slowHead() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                let head = "POST  /?a=b&c HTTP/1.1\r\nHost:test\r\nX:\r\nY: \t y \t\r\nContent-Length:2\r\n\r\n"
                for byte in (head + "ok").utf8 { client.send([byte]) }
                #expect(try client.answer().text == #"POST [] ["a=b", "c="] ok"#)
            }
        }
    }

    @Test("A request may have as many arguments as its first line has room for")
    func manyArguments() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            for target in ["/?" + String(repeating: "a&", count: 5_000), "/?", "/?b=c"] {
                client.get(target)
                #expect(try client.answer().status == 200)
            }
            client.get("/?b=c")
            #expect(try client.answer().text == #"GET [] ["b=c"] "#)
        }
    }

    @Test("A request without a host is answered once")
    func noHost() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\n\n")
            #expect(try client.answer().status == 400)
            #expect(try client.rest() == [])
        }
    }

    @Test(
        "A body with an encoding is refused with 415, before it is read",
        arguments: ["gzip", "identity, br", "deflate"]
    )
    func encodedBody(coding: String) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\nContent-Encoding: \(coding)\nContent-Length: 5\n\nhello")
            let answer = try client.answer()
            #expect(answer.status == 415 && answer["Accept-Encoding"] == "identity")
            client.send("POST / HTTP/1.1\nHost: test\nContent-Encoding: identity\nContent-Length: 5\n\nhello")
            #expect(try client.answer().status == 200)
        }
    }

    @Test(
        "Garbage ends the connection, and nothing else",
        arguments: [
            "\0\0\0\0\0\0\0\0\n\n", "GET\n\n", "GET /\n\n", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\n\n",
            "GET / HTTP/9.9\nHost: a\n\n",
            "GET / HTTP/1.1\nHost: test\n\0\0\0:\n\n", "GET /\0x HTTP/1.1\nHost: test\n\n", "= = =\n\n",
            "GET / FTP/1.1\n\n",
            "POST / HTTP/1.1\nHost: test\nTransfer-Encoding: chunked\n\nzz\n", "\n\n\n\n",
            "POST / HTTP/1.1\nHost: test\nTransfer-Encoding: chunked\n\nffffffffffffffffff\n",
            "POST / HTTP/1.1\nHost: test\nContent-Length: -1\n\n", " \n : \n\n", "GET / HTTP/1.1\nHost : test\n: x\n\n",
        ]
    )
    func garbage(text: String) async throws {
        try await withServer(limits: .patient.with(\.halfClosedTime, .milliseconds(50))) { server in
            let client = try RawClient(port: server.port)
            client.send(text)
            client.endSending()
            _ = try client.rest()
            let other = try RawClient(port: server.port)
            other.get("/")
            #expect(try other.answer().status == 200)
        }
    }

    @Test("A request that ends in the middle reaches no handler")
    func cutOff() async throws {
        var handler = TestHandler()
        handler.respond = { _ in
            Issue.record("half a request was handled")
            return HTTPResponse(status: 200)
        }
        try await withServer(limits: .patient.with(\.halfClosedTime, .milliseconds(50)), handler) { server in
            let request = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nabcd"
            for count in stride(from: 0, to: request.utf8.count, by: 3) {
                let client = try RawClient(port: server.port)
                client.send(request.utf8.prefix(count))
                client.endSending()
                _ = try client.rest()
            }
        }
    }

    @Test("Beside silent, slow, huge and cut-off clients, others are served")
    func others() async throws {
        try await withServer(TestHandler(mostBodyBytes: 1_000)) { server in
            let bad = try (0..<64).map { _ in try RawClient(port: server.port) }
            for (number, client) in bad.enumerated() {
                switch number % 4 {
                case 0: break
                case 1: client.send("GET / HTTP/1.1\nHost")
                case 2: client.send("POST / HTTP/1.1\nHost: test\nContent-Length: 999\n\nx")
                default:
                    client.get("/")
                    client.endSending()
                }
            }
            let good = try RawClient(port: server.port)
            for _ in 0..<100 {
                good.get("/")
                #expect(try good.answer().status == 200)
            }
        }
    }
}
