@_spi(Baton) import BatonThreads
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Streams of the HTTP server", .timeLimit(.minutes(60)))
struct HTTPStreamTests {
    /// A handler that answers with a stream, and hands it to the test.
    private func handler(_ streams: Latch<HTTPStream>) -> TestHandler {
        var handler = TestHandler()
        handler.respond = { request in
            guard request.head.path == ["stream"] else { return TestHandler.echo(request) }
            guard let stream = request.openStream() else { return .tooManyStreams }
            streams.set(stream)
            return HTTPResponse(headers: ["Content-Type": "text/event-stream"], stream: stream)
        }
        return handler
    }

    @Test("What is written comes out in order, as it is written, and the connection goes on behind the end")
    func order() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(handler(streams)) { server in
            let client = try RawClient(port: server.port)
            client.get("/stream")
            let head = try client.head()
            #expect(head.status == 200)
            #expect(head["Content-Type"] == "text/event-stream")
            #expect(head["Transfer-Encoding"] == "chunked")
            let stream = try streams.wait()
            #expect(server.streamCount == 1)
            for number in 0..<200 {
                stream.write([])
                #expect(stream.write("data: \(number)\n".utf8))
                #expect(try String(decoding: client.chunk(), as: UTF8.self) == "data: \(number)\n")
            }
            stream.end()
            stream.end()
            #expect(try client.chunk() == [])
            let ends = Latch<HTTPStream.End>()
            stream.whenOver { ends.set($0) }
            #expect(try ends.wait() == .finished)
            #expect(!stream.write("more".utf8))
            #expect(server.streamCount == 0)
            client.get("/next")
            #expect(try client.answer().status == 200)
        }
    }

    @Test("Bytes that were written before the first look are there, and an end without any is an empty answer")
    func early() async throws {
        var handler = TestHandler()
        handler.respond = { request in
            guard let stream = request.openStream() else { return .tooManyStreams }
            for item in request.head.query { stream.write(item.value.utf8) }
            stream.end()
            return HTTPResponse(status: 201, headers: [:], stream: stream)
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            client.get("/?a=one&b=two")
            #expect(try client.answer().text == "onetwo")
            client.get("/")
            #expect(try client.answer().text == "")
            client.get("/?a=one", method: "HEAD")
            #expect(try client.answer(isHead: true).status == 201)
            #expect(try client.rest() == [])
            let old = try RawClient(port: server.port)
            old.send("GET /?a=old HTTP/1.0\n\n")
            #expect(try old.answer().text == "old")
            #expect(try old.rest() == [])
        }
    }

    @Test("A stream with a length tells it, also to HEAD, and one that ends before it is cut")
    func length() async throws {
        var handler = TestHandler()
        handler.respond = { request in
            guard let stream = request.openStream() else { return .tooManyStreams }
            stream.write("0123456789".utf8)
            stream.end()
            var response = HTTPResponse(headers: [:], stream: stream)
            response.length = request.head.path == ["whole"] ? 10 : 12
            return response
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            client.get("/whole")
            let answer = try client.answer()
            #expect(answer["Content-Length"] == "10" && answer.text == "0123456789")
            client.get("/whole", method: "HEAD")
            let head = try client.answer(isHead: true)
            #expect(head["Content-Length"] == "10" && head["Transfer-Encoding"] == nil)
            client.get("/whole")
            #expect(try client.answer().text == "0123456789")
            client.get("/cut")
            #expect(try client.head()["Content-Length"] == "12")
            #expect(try client.rest().count <= 10)
        }
    }

    @Test("What a slow client has not taken is counted, waited for, and not lost")
    func backPressure() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(handler(streams)) { server in
            let client = try RawClient(port: server.port)
            client.get("/stream")
            _ = try client.head()
            let stream = try streams.wait()
            let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 2) }
            // More than the system holds for both sides.
            for _ in 0..<256 { stream.write(block) }
            #expect(stream.pendingByteCount > 0)
            let isTaken = Latch<Bool>()
            Task { isTaken.set(await stream.wait(untilPending: 0)) }
            #expect(!isTaken.isSet)
            var count = 0
            while count < 256 * block.count {
                let bytes = try client.chunk()
                let start = count % block.count
                #expect(bytes == Array((block + block)[start..<(start + bytes.count)]))
                count += bytes.count
            }
            #expect(try isTaken.wait())
            #expect(stream.pendingByteCount == 0)
        }
    }

    @Test("A client that resets its connection is noticed without a write")
    func reset() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(handler(streams)) { server in
            let client = try RawClient(port: server.port)
            client.get("/stream")
            _ = try client.head()
            let stream = try streams.wait()
            stream.write("one".utf8)
            #expect(try client.chunk() == Array("one".utf8))
            let ends = Latch<HTTPStream.End>()
            stream.whenOver { ends.set($0) }
            client.reset()
            #expect(try ends.wait() == .clientLeft)
            #expect(!stream.write("two".utf8))
            #expect(server.streamCount == 0)
        }
    }

    @Test("A client that closes its connection is noticed at the next write")
    func leaving() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(handler(streams)) { server in
            var client: RawClient? = try RawClient(port: server.port)
            client?.get("/stream")
            _ = try client?.head()
            let stream = try streams.wait()
            let ends = Latch<HTTPStream.End>()
            stream.whenOver { ends.set($0) }
            client = nil
            stream.write(": comment\n\n".utf8)
            #expect(try ends.wait() == .clientLeft)
        }
    }

    @Test("A client that takes nothing loses its connection")
    func stalling() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(limits: .patient.with(\.stallTime, .seconds(2)), handler(streams)) { server in
            var client = try RawClient(port: server.port)
            client.get("/stream")
            // On a busy host, the time may pass before the request is sent.
            while (try? client.head())?.status != 200 {
                client = try RawClient(port: server.port)
                client.get("/stream")
            }
            let stream = try streams.wait()
            let ends = Latch<HTTPStream.End>()
            stream.whenOver { ends.set($0) }
            stream.write([UInt8](repeating: 1, count: 32 << 20))
            #expect(try ends.wait() == .clientLeft)
            withExtendedLifetime(client) {}
        }
    }

    @Test("A half-closed client goes on to get its stream")
    func halfClosed() async throws {
        let streams = Latch<HTTPStream>()
        let limits = HTTPLimits.patient.with(\.halfClosedTime, .milliseconds(50))
        try await withServer(limits: limits, handler(streams)) { server in
            let client = try RawClient(port: server.port)
            client.get("/stream")
            _ = try client.head()
            let stream = try streams.wait()
            client.endSending()
            client.set(timeout: 0, microseconds: 300_000)
            #expect(try client.receive() == .timeout)
            client.set(timeout: 3600)
            stream.write("one".utf8)
            #expect(try client.chunk() == Array("one".utf8))
            stream.end()
            #expect(try client.chunk() == [])
        }
    }

    @Test("A stop ends streams in order, and tells who writes")
    func stop() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(limits: .patient.with(\.stopTime, .seconds(3600)), handler(streams)) { server in
            let client = try RawClient(port: server.port)
            client.get("/stream")
            _ = try client.head()
            let stream = try streams.wait()
            stream.write("last words".utf8)
            let ends = Latch<HTTPStream.End>()
            stream.whenOver { ends.set($0) }
            server.stop()
            #expect(try ends.wait() == .serverStopped)
            #expect(!stream.write("more".utf8))
            #expect(try client.chunk() == Array("last words".utf8))
            #expect(try client.chunk() == [])
            #expect(try client.rest() == [])
        }
    }

    @Test("More streams than the limit are refused, until one has ended")
    func limit() async throws {
        let streams = Latch<HTTPStream>()
        try await withServer(limits: .patient.with(\.mostStreams, 2), handler(streams)) { server in
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for client in clients[..<2] {
                client.get("/stream")
                #expect(try client.head().status == 200)
            }
            clients[2].get("/stream")
            let refusal = try clients[2].answer()
            #expect(refusal.status == 503)
            #expect(refusal["Retry-After"] == "10")
            #expect(server.streamCount == 2)

            let stream = try streams.wait()
            let ends = Latch<HTTPStream.End>()
            stream.whenOver { ends.set($0) }
            stream.end()
            _ = try ends.wait()
            clients[2].get("/stream")
            #expect(try clients[2].head().status == 200)
        }
    }

    @Test("A stream that is never sent takes no place")
    func unused() {
        let supply = HTTPStreamSupply(most: 1)
        var stream = supply.openStream()
        #expect(stream != nil)
        #expect(supply.openStream() == nil)
        stream = nil
        stream = supply.openStream()
        #expect(stream != nil)
        stream?.discard()
        #expect(supply.count == 0)
        stream = nil
        #expect(supply.count == 0)
    }
}
