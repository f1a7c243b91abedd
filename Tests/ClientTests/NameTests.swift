@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
@_spi(Baton) import BatonThreads
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("The name in a client's address", .timeLimit(.minutes(60)))
struct NameTests {
    private func connection(
        _ names: FakeNames,
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> ClientConnection {
        var options = ClientOptions(version: "test")
        options.resolver = names.resolver
        options.reconnectPause = .milliseconds(10)
        change(&options)
        return try ClientConnection(endpoint: FakeNames.endpoint, options: options)
    }

    private func answering(_ byte: UInt8, keys: KeyedServer? = nil) throws -> FakeCoordinator {
        try FakeCoordinator(keys: keys, answering: { number, _ in [.send(.reply(number, .document([byte])))] })
    }

    /// An endpoint that no process listens at any more.
    private func deadEndpoint() throws -> String {
        let fake = try FakeCoordinator()
        fake.stop()
        return fake.endpoint
    }

    @Test("A client reaches its coordinator at the second address of the name if the first one refuses")
    func second() async throws {
        let server = try answering(2)
        let connection = try connection(FakeNames([try deadEndpoint(), server.endpoint]))
        #expect(try await connection.document(.status) == [2])
        server.stop()
    }

    @Test("A client follows a name whose address changes between two connections")
    func moves() async throws {
        let first = try answering(1)
        let names = FakeNames([first.endpoint])
        let connection = try connection(names)
        #expect(try await connection.document(.status) == [1])
        let second = try answering(2)
        names.addresses = [second.endpoint]
        first.stop()
        #expect(try await connection.document(.status) == [2])
        second.stop()
    }

    @Test("A client waits for its coordinator while the name is unknown for a while")
    func returns() async throws {
        let first = try answering(1)
        let lookups = AsyncStream<Void>.makeStream()
        let names = FakeNames([first.endpoint]) { lookups.continuation.yield() }
        let connection = try connection(names)
        #expect(try await connection.document(.status) == [1])
        names.addresses = []
        first.stop()
        async let answer = connection.document(.status)
        var iterator = lookups.stream.makeAsyncIterator()
        for _ in 0..<3 { await iterator.next() }
        let second = try answering(2)
        names.addresses = [second.endpoint]
        #expect(try await answer == [2])
        second.stop()
    }

    @Test("A request to an unknown host fails at once, and so does one to a host that refuses")
    func failures() async throws {
        let names = FakeNames([])
        let connection = try connection(names) { $0.connectTimeout = .seconds(3600) }
        await #expect(throws: ClientError.unknownHost("coordinator.test", endpoint: FakeNames.endpoint)) {
            try await connection.document(.status)
        }
        names.addresses = [try deadEndpoint(), try deadEndpoint()]
        await #expect(throws: ClientError.unreachable(FakeNames.endpoint)) { try await connection.document(.status) }
    }

    @Test("A client passes over the address of another server, and tells of it if no other address is of use")
    func passesOver() async throws {
        let keys = try KeyedServer()
        let (stranger, server) = (try answering(1, keys: try KeyedServer()), try answering(2, keys: keys))
        let security = try keys.admittedPeer()
        let names = FakeNames([stranger.endpoint, server.endpoint])
        let connection = try connection(names) { $0.security = security }
        #expect(try await connection.document(.status) == [2])
        names.addresses = [stranger.endpoint, try deadEndpoint()]
        let other = try self.connection(names) { $0.security = security }
        await #expect(throws: ClientError.notAdmitted(.mismatch, endpoint: FakeNames.endpoint)) {
            try await other.document(.status)
        }
        stranger.stop()
        server.stop()
    }

    @Test("A request keeps its own time limit while the resolver of names blocks, and a later request is answered")
    func blocks() async throws {
        let server = try answering(2)
        let release = SemaphoreBell()
        let names = FakeNames([server.endpoint]) { release.wait() }
        let connection = try connection(names)
        await #expect(throws: ClientError.timedOut(FakeNames.endpoint, after: .milliseconds(20))) {
            try await connection.document(.status, timeout: .milliseconds(20))
        }
        async let answer = connection.document(.status)
        release.ring()
        #expect(try await answer == [2])
        server.stop()
    }

    @Test("A request fails with a sentence about the name if the resolver of names blocks for too long")
    func overdue() async throws {
        let release = SemaphoreBell()
        let connection = try connection(FakeNames([]) { release.wait() }) { $0.connectTimeout = .milliseconds(10) }
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .unknownHost)
        #expect(error?.message.contains("has not been resolved within") == true)
        release.ring()
    }
}
