import Foundation
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("A server's greeting", .timeLimit(.minutes(60)))
struct ServerGreetingTests {
    @Test("A server's greeting tells whether it requires CURVE")
    func mechanism() throws {
        let plain = try boundRouter(in: try Context())
        #expect(ServerGreeting.mechanism(at: try plain.lastEndpoint, within: patience) == "NULL")
        let curve = try CurveServer()
        #expect(ServerGreeting.mechanism(at: try curve.endpoint, within: patience) == "CURVE")
    }

    @Test("The host may be a name, of which every address is tried")
    func name() throws {
        let plain = try boundRouter(in: try Context())
        let port = try #require(try plain.lastEndpoint.split(separator: ":").last)
        #expect(ServerGreeting.mechanism(at: "tcp://localhost:\(port)", within: patience) == "NULL")
    }

    @Test(
        "A server of another protocol has no mechanism",
        arguments: [
            "", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "\u{7F}", String(repeating: "\0", count: 64),
        ]
    )
    func otherProtocol(answer: String) async throws {
        let listener = try RawConnection.listening()
        let endpoint = listener.endpoint
        let found = AsyncStream<String?>.makeStream()
        // The listener blocks this thread, and the threads of tasks are few.
        Thread.detachNewThread {
            found.continuation.yield(ServerGreeting.mechanism(at: endpoint, within: patience))
        }
        // The connection ends behind the answer.
        do { try listener.accepted().send(Array(answer.utf8)) }
        var iterator = found.stream.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
    }

    @Test("A server that ends the connection behind its greeting turns everybody away, and has no mechanism")
    func turningAway() async throws {
        let listener = try RawConnection.listening()
        let endpoint = listener.endpoint
        let found = AsyncStream<String?>.makeStream()
        Thread.detachNewThread {
            found.continuation.yield(ServerGreeting.mechanism(at: endpoint, within: patience))
        }
        var greeting: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("CURVE".utf8)
        greeting += [UInt8](repeating: 0, count: 64 - greeting.count)
        do { try listener.accepted().send(greeting) }
        var iterator = found.stream.makeAsyncIterator()
        #expect(await iterator.next() == .some(nil))
    }

    @Test("A silent server has no mechanism once the time is up")
    func silent() throws {
        let listener = try RawConnection.listening()
        #expect(ServerGreeting.mechanism(at: listener.endpoint, within: .milliseconds(50)) == nil)
    }

    @Test(
        "An address without a server has no mechanism",
        arguments: ["ipc:///tmp/none", "tcp://:1", "tcp://127.0.0.1:1"]
    )
    func nobody(endpoint: String) {
        #expect(ServerGreeting.mechanism(at: endpoint, within: patience) == nil)
    }
}
