@_spi(Baton) import BatonClient
@_spi(Baton) import BatonNetworkFaults
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("A client on a slow line", .timeLimit(.minutes(60)))
struct SlowLineTests {
    /// A relay to a server, whose first connection is slow.
    private func relay(to endpoint: String, bytesOfTurn: Int) throws -> Relay {
        let target = try #require(Endpoint(endpoint, for: .connecting))
        var random = SystemRandomNumberGenerator()
        let relay = try Relay(host: target.host, target: try #require(UInt16(target.port)), using: &random)
        relay.mode = .trickling(bytes: bytesOfTurn, connections: 1)
        return relay
    }

    @Test("A submission that takes longer than the coordinator may be silent arrives once, over the first connection")
    func largeSubmission() async throws {
        let command = ["echo"] + Array(repeating: String(repeating: "x", count: 1 << 10), count: 1 << 10)
        let submission = Submission(
            key: "once",
            templates: [Template(work: Work(.commands([command])))],
            entries: [Entry(template: 0, queue: 0)]
        )
        let asked = Shared<[Request]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            asked { $0.append(request) }
            return [.send(.reply(number, .job(JobNumber(12), operations: 1, isNew: true)))]
        })
        // Seven seconds for the submission.
        let relay = try relay(to: fake.endpoint, bytesOfTurn: 3_000)
        var options = ClientOptions(version: "test")
        options.probeAfter = .seconds(1)
        options.silenceLimit = .seconds(4)
        let connection = try ClientConnection(endpoint: "tcp://127.0.0.1:\(relay.port)", options: options)
        #expect(try await connection.submit(submission).number == JobNumber(12))
        #expect(asked { $0 } == [.submit(submission)])
        #expect(relay.connectionCount == 1)
        fake.stop()
    }

    @Test("A welcome may take longer than its limit as long as the handshake gets on")
    func welcome() async throws {
        let fake = try FakeCoordinator(answering: { number, _ in [.send(.reply(number, .document([1])))] })
        let relay = try relay(to: fake.endpoint, bytesOfTurn: 1)
        // Some three seconds for the handshake, and a quarter of a second for this hello: behind the handshake, the client sees no
        // byte move, and a busy machine may take several times as long.
        var options = ClientOptions(version: "v")
        options.welcomeTimeout = .seconds(2)
        let connection = try ClientConnection(endpoint: "tcp://127.0.0.1:\(relay.port)", options: options)
        #expect(try await connection.document(.status) == [1])
        #expect(relay.connectionCount == 1)
        fake.stop()
    }
}
