import BatonTestSockets
@_spi(Baton) import BatonThreads
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The stop of the HTTP server", .timeLimit(.minutes(60)))
struct HTTPStopTests {
    @Test("Requests that are still handled are answered, and their tasks cancelled")
    func suspended() async throws {
        let gates = (0..<8).map { _ in (began: Latch<Void>(), cancelled: Latch<Void>()) }
        var handler = TestHandler()
        handler.respond = { request in
            let gate = gates[request.head.query.count]
            gate.began.open()
            await withTaskCancellationHandler {
                await gate.cancelled.value()
            } onCancel: {
                gate.cancelled.open()
            }
            return HTTPResponse(status: 200)
        }
        try await withServer(limits: .patient.with(\.stopTime, .seconds(3600)), handler) { server in
            let clients = try gates.indices.map { number in
                let client = try RawClient(port: server.port)
                client.get("/?" + String(repeating: "a&", count: number))
                return client
            }
            for gate in gates { try gate.began.wait() }
            server.stop()
            for gate in gates { try gate.cancelled.wait() }
            for client in clients {
                #expect(try client.answer().status == 503)
                #expect(try client.rest() == [])
            }
        }
    }

    @Test("A handler that does not mind the cancellation does not keep the server, and its answer goes nowhere")
    func stubborn() async throws {
        let (began, gate, over) = (Latch<Void>(), Latch<Void>(), Latch<HTTPStream.End>())
        var handler = TestHandler()
        handler.respond = { request in
            began.open()
            await gate.value()
            guard let stream = request.openStream() else { return HTTPResponse(status: 500) }
            stream.whenOver { over.set($0) }
            return HTTPResponse(headers: [:], stream: stream)
        }
        try await withServer(limits: .patient.with(\.stopTime, .seconds(3600)), handler) { server in
            let client = try RawClient(port: server.port)
            client.get("/")
            try began.wait()
            server.stop()
            #expect(try client.answer().status == 503)
            gate.open()
            #expect(try over.wait() == .serverStopped)
        }
    }

    @Test("A server stops while the library refuses requests by itself")
    func refusals() async throws {
        // libmicrohttpd 0.9.75 ends the process by a null pointer if a stop comes between the two steps of such an answer.
        for _ in 0..<200 {
            try await withServer { server in
                let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
                for client in clients { client.send("POST / HTTP/1.1\nHost: test\nContent-Length: x\n\n") }
                #expect(try clients[0].answer().status == 400)
                server.stop()
                #expect(server.connectionCount == 0)
            }
        }
    }

    @Test("Connections with half a request, none or a slow reader do not keep the server for ever")
    func halfway() async throws {
        var handler = TestHandler()
        let began = Latch<Void>()
        handler.respond = { request in
            if request.head.path == ["large"] { began.open() }
            return HTTPResponse(status: 200, body: [UInt8](repeating: 0, count: 32 << 20))
        }
        try await withServer(limits: .patient.with(\.stopTime, .milliseconds(10)), handler) { server in
            let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
            clients[1].send("GET / HT")
            clients[2].send("POST / HTTP/1.1\nHost: test\nContent-Length: 10\n\n123")
            clients[3].get("/large")
            try began.wait()
            server.stop()
            for client in clients[..<3] { #expect(try client.rest() == []) }
        }
    }

    @Test("Several stops at once are one, and a released server stops by itself")
    func idempotence() async throws {
        // An address of its own, where no other test takes the port that becomes free.
        let host = LoopbackAddress.uniqueHost()
        let port: Int
        do {
            let server = try HTTPServer(host: host, port: 0, handler: TestHandler())
            port = server.port
            await withTaskGroup { group in
                for _ in 0..<8 { group.addTask { await onOwnThread(named: "test") { server.stop() } } }
            }
            server.stop()
        }
        do { _ = try HTTPServer(host: host, port: port, handler: TestHandler()) }
        _ = try HTTPServer(host: host, port: port, handler: TestHandler())
    }

    @Test("Clients that come and go during a stop neither stop it nor crash it")
    func busyStop() async throws {
        // An address of its own, where no other server takes the port that becomes free.
        let host = LoopbackAddress.uniqueHost()
        for _ in 0..<10 {
            let (warm, stopped) = (Latch<Void>(), Latch<Void>())
            let server = try HTTPServer(host: host, port: 0, handler: TestHandler())
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        await onOwnThread(named: "test") {
                            while !stopped.isSet {
                                guard let client = try? RawClient(port: server.port, host: host) else { return }
                                client.get("/")
                                client.get("/")
                                guard let answer = try? client.answer() else { continue }
                                if answer.status == 200 { warm.open() }
                            }
                        }
                    }
                }
                group.addTask {
                    await warm.value()
                    await onOwnThread(named: "test") { server.stop() }
                    stopped.open()
                }
            }
            #expect(server.connectionCount == 0)
        }
    }
}
