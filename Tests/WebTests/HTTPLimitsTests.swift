import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The limits of the HTTP server", .timeLimit(.minutes(60)))
struct HTTPLimitsTests {
    @Test("A body that is told to be too large is refused before it comes")
    func toldBody() async throws {
        try await withServer(TestHandler(mostBodyBytes: 10)) { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\nContent-Length: 10\n\n0123456789")
            #expect(try client.answer().status == 200)
            client.send("POST / HTTP/1.1\nHost: test\nContent-Length: 11\n\n01234567890")
            #expect(try client.answer().status == 413)
            client.send("POST / HTTP/1.1\nHost: test\nContent-Length: 1000000000000\n\n")
            #expect(try client.answer().status == 413)
            #expect(try client.rest() == [])
        }
    }

    @Test("A body in chunks is refused as soon as it is too large")
    func untoldBody() async throws {
        try await withServer(TestHandler(mostBodyBytes: 100_000)) { server in
            let client = try RawClient(port: server.port)
            client.send("POST / HTTP/1.1\nHost: test\nTransfer-Encoding: chunked\n\n")
            let chunk = "10000\n" + String(repeating: "x", count: 65_536) + "\n"
            // The client does not end its body by itself.
            while client.send(chunk) {}
            let answer = try client.answer()
            #expect(answer.status == 413)
            #expect(answer["Connection"] == "close")
            #expect(try client.rest() == [])
        }
    }

    @Test("Bodies of many requests have a limit together, which their answers give back")
    func bodies() async throws {
        let (began, gate) = (Latch<Void>(), Latch<Void>())
        var handler = TestHandler()
        handler.respond = { request in
            guard request.head.path == ["wait"] else { return TestHandler.echo(request) }
            began.open()
            await gate.value()
            return HTTPResponse(status: 200)
        }
        try await withServer(limits: .patient.with(\.mostBodyBytesInAll, 10), handler) { server in
            let first = try RawClient(port: server.port)
            first.send("POST /wait HTTP/1.1\nHost: test\nContent-Length: 6\n\n123456")
            try began.wait()
            let second = try RawClient(port: server.port)
            second.send("POST / HTTP/1.1\nHost: test\nContent-Length: 4\n\n1234")
            #expect(try second.answer().status == 200)
            second.send("POST / HTTP/1.1\nHost: test\nContent-Length: 5\n\n12345")
            #expect(try second.answer().status == 503)
            #expect(try second.rest() == [])
            gate.open()
            #expect(try first.answer().status == 200)
            first.send("POST / HTTP/1.1\nHost: test\nContent-Length: 10\n\n0123456789")
            #expect(try first.answer().status == 200)
        }
    }

    @Test(
        "Headers that are too large are refused, whether the daemon has room for them or not",
        arguments: [5_000, 9_000, 100_000]
    )
    func headers(count: Int) async throws {
        try await withServer(limits: .patient.with(\.mostHeaderBytes, 4_096)) { server in
            let client = try RawClient(port: server.port)
            client.get("/", headers: "X: \(String(repeating: "x", count: 3_900))\n")
            #expect(try client.answer().status == 200)
            client.get("/", headers: "X: \(String(repeating: "x", count: count))\n")
            #expect(try client.answer().status == 431)
            _ = try client.rest()
        }
    }

    // The library closed such connections without a word, where a head left it no room for the answer.
    @Test(
        "Headers beyond the usual limit are refused by Baton, not by the library, up to twice as many bytes",
        arguments: [16_500, 23_900, 24_000, 24_100, 24_200, 24_300, 26_000, 32_000]
    )
    func largeHeaders(count: Int) async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.get("/", headers: "X: \(String(repeating: "x", count: count))\n")
            let answer = try client.answer()
            #expect(answer.status == 431 && answer["Content-Type"] == "text/plain; charset=utf-8", "\(answer)")
        }
    }

    @Test("Headers up to the usual limit are taken, in one or in many")
    func usualHeaders() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            client.get("/", headers: "X: \(String(repeating: "x", count: 16_000))\n")
            #expect(try client.answer().status == 200)
            client.get("/", headers: (0..<100).map { "X-\($0): \(String(repeating: "y", count: 100))\n" }.joined())
            #expect(try client.answer().status == 200)
        }
    }

    @Test("A silent client is told that it is too slow, and loses its connection")
    func silence() async throws {
        try await withServer(limits: .patient.with(\.requestTime, .milliseconds(100))) { server in
            let client = try RawClient(port: server.port)
            let answer = try client.answer()
            #expect(answer.status == 408)
            #expect(answer["Connection"] == "close")
            #expect(try client.rest() == [])
        }
    }

    @Test(
        "A client that sends a byte now and then is too slow all the same",
        arguments: [
            "GET / HTTP/1.1\nHost: test\nX: ", "POST / HTTP/1.1\nHost: test\nContent-Length: 1000000\n\n",
            "POST / HTTP/1.1\nHost: test\nTransfer-Encoding: chunked\n\nfffff\n", "",
        ]
    )
    func slowness(beginning: String) async throws {
        try await withServer(limits: .patient.with(\.requestTime, .milliseconds(300))) { server in
            let client = try RawClient(port: server.port)
            client.set(timeout: 0, microseconds: 20_000)
            client.send(beginning)
            // The time without an answer is the pace of the client.
            while try client.receive() == .timeout { client.send("x") }
            #expect(try client.head().status == 408)
        }
    }

    /// A client whose first request has been answered: on a busy host, the time of one may pass before it is sent.
    private static func servedClient(of server: HTTPServer) throws -> RawClient {
        while true {
            let client = try RawClient(port: server.port)
            client.get("/")
            if let answer = try? client.answer(), answer.status == 200 { return client }
        }
    }

    @Test("A request behind another has its own time")
    func slowSecond() async throws {
        try await withServer(limits: .patient.with(\.requestTime, .seconds(2))) { server in
            let client = try Self.servedClient(of: server)
            client.send("GET / HTTP/1.1\n")
            #expect(try client.answer().status == 408)
            #expect(try client.rest() == [])
        }
    }

    @Test("A connection without a further request ends")
    func idleness() async throws {
        try await withServer(limits: .patient.with(\.idleTime, .milliseconds(100))) { server in
            let client = try RawClient(port: server.port)
            client.get("/")
            #expect(try client.answer().status == 200)
            #expect(try client.rest() == [])
        }
    }

    @Test("A further request whose first line does not end is told that it is too slow")
    func slowLine() async throws {
        var limits = HTTPLimits.patient
        limits.requestTime = .milliseconds(400)
        limits.idleTime = .milliseconds(200)
        try await withServer(limits: limits) { server in
            // On a busy host, the connection may end before the beginning of the line is there, as an idle one.
            for _ in 0..<100 {
                let client = try Self.servedClient(of: server)
                client.set(timeout: 0, microseconds: 20_000)
                client.send("GET /")
                var received = RawClient.Received.timeout
                while received == .timeout {
                    received = try client.receive()
                    if received == .timeout { client.send("x") }
                }
                guard received == .some else { continue }
                client.set(timeout: 3600)
                #expect(try client.head().status == 408)
                return
            }
            Issue.record("no client was told that it is too slow")
        }
    }

    @Test(
        "The arrival, the end of the sending side and the next request have deadlines; handling and answers have none"
    )
    func deadlines() {
        let connection = HTTPConnection(
            number: 1,
            peer: HTTPPeer(address: "127.0.0.1"),
            isEncrypted: false,
            descriptor: -1,
            limits: HTTPLimits(
                headTime: .seconds(50_000),
                requestTime: .seconds(100_000),
                idleTime: .seconds(200_000),
                halfClosedTime: .seconds(10_000)
            )
        )
        func secondsLeft() -> Int64? { connection.deadline.map { ($0 - .now).components.seconds } }
        #expect((40_000...50_000).contains(secondsLeft() ?? 0))
        connection.noteHead()
        #expect((90_000...100_000).contains(secondsLeft() ?? 0))
        #expect(connection.beginHandling())
        #expect(secondsLeft() == nil)
        #expect(connection.beginAnswer(isStream: false))
        #expect(secondsLeft() == nil)
        connection.endRequest()
        #expect((190_000...200_000).contains(secondsLeft() ?? 0))
        connection.noteHalfClosed()
        #expect((190_000...200_000).contains(secondsLeft() ?? 0))
        connection.close()
        #expect(secondsLeft() == nil)
        #expect(!connection.beginHandling())
        #expect(!connection.beginAnswer(isStream: false))
    }

    @Test("One address has so many connections, another has its own, and all together have a limit")
    func connections() async throws {
        var limits = HTTPLimits.patient
        limits.mostConnections = 5
        limits.mostConnectionsOfLoopback = 3
        try await withServer(limits: limits) { server in
            func isServed(_ client: RawClient) throws -> Bool {
                client.get("/")
                guard try client.receive() == .some else { return false }
                return try client.answer().status == 200
            }
            var clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients { #expect(try isServed(client)) }
            #expect(try !isServed(RawClient(port: server.port)))
            // Each shows whom it comes from before the next connects, and gives way to nobody.
            var others: [RawClient] = []
            for isExpected in [true, true, false] {
                others.append(try RawClient(port: server.port, from: "127.0.0.2"))
                #expect(try isServed(others[others.count - 1]) == isExpected)
            }
            #expect(try !isServed(RawClient(port: server.port, from: "127.0.0.3")))

            // The place of a client that has left is free, once the server has noticed.
            clients.removeLast().reset()
            while try !isServed(RawClient(port: server.port)) {}
        }
    }

    @Test(
        "Half requests of unknown senders give way to a whole one, the oldest first, and known senders keep their places"
    )
    func halfRequests() async throws {
        var handler = TestHandler()
        handler.knowsSender = { $0.path == ["known"] }
        var limits = HTTPLimits.patient
        limits.mostConnections = 8
        limits.mostConnectionsOfLoopback = 4
        try await withServer(limits: limits, handler) { server in
            let known = try RawClient(port: server.port)
            known.get("/known")
            #expect(try known.answer().status == 200)
            // Three hundred, of several addresses: some send half a head, some nothing, some wait after an answer.
            var half: [RawClient] = []
            for number in 0..<300 {
                let client = try RawClient(port: server.port, from: "127.0.0.\(1 + number % 3)")
                if number.isMultiple(of: 3) { client.send("GET / HTTP/1.1\nHost: test\n") }
                half.append(client)
            }
            for _ in 0..<20 {
                let client = try RawClient(port: server.port)
                client.get("/health")
                #expect(try client.answer().status == 200)
            }
            known.get("/known")
            #expect(try known.answer().status == 200)
            withExtendedLifetime(half) {}
        }
    }

    @Test("Answers that unknown senders do not read give way to a new connection")
    func unreadAnswers() async throws {
        var handler = TestHandler()
        handler.knowsSender = { _ in false }
        // More than the system keeps for a client that reads nothing.
        let large = [UInt8](repeating: 120, count: 16 << 20)
        handler.respond = { $0.head.path == ["large"] ? HTTPResponse(status: 200, body: large) : TestHandler.echo($0) }
        var limits = HTTPLimits.patient
        limits.mostConnections = 4
        limits.mostConnectionsOfLoopback = 4
        try await withServer(limits: limits, handler) { server in
            var readers: [RawClient] = []
            for _ in 0..<4 {
                let client = try RawClient(port: server.port)
                client.get("/large")
                #expect(try client.head().status == 200)
                readers.append(client)
            }
            for _ in 0..<4 {
                let client = try RawClient(port: server.port)
                client.get("/health")
                #expect(try client.answer().status == 200)
            }
            withExtendedLifetime(readers) {}
        }
    }

    @Test("The head of a request has a time of its own, within that of the whole request")
    func slowHead() async throws {
        var limits = HTTPLimits.patient
        limits.headTime = .milliseconds(300)
        limits.requestTime = .seconds(1_000)
        try await withServer(limits: limits) { server in
            let client = try RawClient(port: server.port)
            client.set(timeout: 0, microseconds: 20_000)
            client.send("GET / HTTP/1.1\nX: ")
            while try client.receive() == .timeout { client.send("x") }
            #expect(try client.head().status == 408)
        }
    }

    @Test("Addresses of other hosts have a limit of their own")
    func addresses() {
        let connections = HTTPConnections(limits: .patient.with(\.mostConnections, 6))
        var limits = HTTPLimits.patient
        limits.mostConnections = 6
        limits.mostConnectionsOfAddress = 2
        limits.mostConnectionsOfLoopback = 4
        let table = HTTPConnections(limits: limits)
        let (far, near) = (HTTPPeer(address: "10.0.0.1"), HTTPPeer(address: "::1"))
        #expect(connections.hasRoom(for: far))
        let first = table.add(peer: far, isEncrypted: false, descriptor: -1)
        #expect(table.hasRoom(for: far))
        _ = table.add(peer: far, isEncrypted: false, descriptor: -1)
        #expect(!table.hasRoom(for: far))
        #expect(table.hasRoom(for: HTTPPeer(address: "10.0.0.2")))
        for _ in 0..<4 { _ = table.add(peer: near, isEncrypted: false, descriptor: -1) }
        #expect(!table.hasRoom(for: HTTPPeer(address: "10.0.0.2")))
        table.remove(first)
        table.remove(first)
        #expect(table.hasRoom(for: far))
        #expect(!table.hasRoom(for: near))
        #expect(table.count == 5)
    }
}
