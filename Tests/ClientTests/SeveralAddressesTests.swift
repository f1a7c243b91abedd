@_spi(Baton) import BatonOperations
import BatonTestSockets
@_spi(Baton) import BatonThreads
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonClient

@Suite("A client with several addresses", .timeLimit(.minutes(60)))
struct SeveralAddressesTests {
    private var options: ClientOptions {
        var options = ClientOptions.patient
        options.reconnectPause = .milliseconds(10)
        return options
    }

    /// An endpoint that no process listens at any more.
    private func deadEndpoint() throws -> String {
        let fake = try FakeCoordinator()
        fake.stop()
        return fake.endpoint
    }

    /// The welcome of a coordinator of the record of these tests.
    private static func welcome(epoch: UInt32) -> ClientReply {
        .welcome(
            protocolVersion: ProtocolVersion.newest,
            version: "test",
            epoch: epoch,
            rank: LeaderRank(
                record: Incarnation(rawValue: 7),
                epoch: epoch,
                incarnation: Incarnation(rawValue: 100 + UInt64(epoch))
            )
        )
    }

    private static let standsBy = ClientReply.leadership(Leadership(isLeading: false))

    /// A coordinator that leads, and answers every request with its epoch.
    private func leader(
        at endpoint: String = LoopbackAddress.unique(),
        epoch: UInt32,
        onHello: @escaping @Sendable () -> Void = {},
        onRequest: @escaping @Sendable (Request) -> Void = { _ in }
    ) throws -> FakeCoordinator {
        try FakeCoordinator(
            at: endpoint,
            greeting: { _ in
                onHello()
                return [.send(Self.welcome(epoch: epoch))]
            },
            answering: { number, request in
                onRequest(request)
                return [.send(.reply(number, .document([UInt8(epoch)])))]
            }
        )
    }

    /// A coordinator that stands by.
    private func standby(
        _ saying: ClientReply = Self.standsBy,
        onRequest: @escaping @Sendable (Request) -> Void = { _ in }
    ) throws -> FakeCoordinator {
        try FakeCoordinator(
            greeting: { _ in [.send(saying)] },
            answering: { _, request in
                onRequest(request)
                return []
            }
        )
    }

    // MARK: - The choice

    @Test(
        "Where a coordinator refuses the client, and the others stand by, its requests fail with the refusal",
        arguments: [0, 1, 2]
    )
    func refusedByTheLeader(position: Int) async throws {
        let refusal = Refusal(.notAllowed, "The key is a worker's.")
        let server = try FakeCoordinator(greeting: { _ in [.send(.refused(refusal))] }, answering: { _, _ in [] })
        let others = try (0..<2).map { _ in try standby() }
        var list = others.map(\.endpoint)
        list.insert(server.endpoint, at: position)
        var options = options
        options.refusalPatience = .milliseconds(100)
        let connection = try ClientConnection(endpoint: list.joined(separator: ","), options: options)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .refused && error?.message == refusal.message)
    }

    @Test(
        "Requests reach the coordinator that leads wherever it is in the list, and none of those that stand by",
        arguments: 0..<4
    )
    func leads(position: Int) async throws {
        let misled = Shared(0)
        let server = try leader(epoch: 3)
        let others = try (0..<2).map { _ in try standby { _ in misled { $0 += 1 } } }
        var list = others.map(\.endpoint) + [try deadEndpoint()]
        list.insert(server.endpoint, at: position)
        let connection = try ClientConnection(endpoint: list.joined(separator: ", "), options: options)
        #expect(connection.endpoint == list.joined(separator: ","))
        for _ in 0..<3 { #expect(try await connection.document(.status) == [3]) }
        #expect(misled { $0 } == 0)
    }

    @Test("A name in a list is resolved, and each of its addresses is tried")
    func name() async throws {
        let server = try leader(epoch: 5)
        var options = options
        options.resolver = FakeNames([try deadEndpoint(), server.endpoint]).resolver
        let list = "\(try deadEndpoint()),\(FakeNames.endpoint)"
        let connection = try ClientConnection(endpoint: list, options: options)
        #expect(try await connection.document(.status) == [5])
    }

    @Test(
        "An unanswered request goes to a coordinator of a higher epoch that appears, unless it must not be sent twice",
        arguments: [true, false]
    )
    func outranked(isRepeatable: Bool) async throws {
        let isAsked = SemaphoreBell()
        let older = try FakeCoordinator(
            greeting: { _ in [.send(Self.welcome(epoch: 1))] },
            answering: { _, _ in
                isAsked.ring()
                return []
            }
        )
        let newer = try leader(epoch: 2, onHello: { isAsked.wait() })
        let list = "\(older.endpoint),\(newer.endpoint)"
        let connection = try ClientConnection(endpoint: list, options: options)
        if isRepeatable {
            #expect(try await connection.document(.status) == [2])
        } else {
            await #expect(throws: ClientError.submissionUnanswered(list)) {
                try await connection.change(.deleteQueue("q"))
            }
        }
        older.stop()
        #expect(try await connection.document(.status) == [2])
    }

    @Test(
        "A client goes to the next coordinator once the present one has ended, also if that one listens only later",
        arguments: [true, false]
    )
    func nextLeader(isLate: Bool) async throws {
        let first = try leader(epoch: 1)
        let endpoint = try deadEndpoint()
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: "\(endpoint),\(first.endpoint)", options: options) {
            notices.continuation.yield($0)
        }
        #expect(try await connection.document(.status) == [1])
        first.stop()
        var iterator = notices.stream.makeAsyncIterator()
        let second: FakeCoordinator
        if isLate {
            async let answer = connection.document(.status)
            #expect(await iterator.next() == .away)
            second = try leader(at: endpoint, epoch: 2)
            #expect(try await answer == [2])
            #expect(await iterator.next() == .back)
        } else {
            second = try leader(at: endpoint, epoch: 2)
            #expect(try await connection.document(.status) == [2])
        }
        second.stop()
    }

    @Test("An older copy of the record is never obeyed once the newer one was met, and the newer one is waited for")
    func olderCopy() async throws {
        let misled = Shared(0)
        let hellos = AsyncStream<Void>.makeStream()
        let newer = try leader(epoch: 4)
        let notices = AsyncStream<ClientNotice>.makeStream()
        // The newer one alone leads at first.
        let endpoint = try deadEndpoint()
        let connection = try ClientConnection(endpoint: "\(endpoint),\(newer.endpoint)", options: options) {
            notices.continuation.yield($0)
        }
        #expect(try await connection.document(.status) == [4])
        let copy = try leader(
            at: endpoint,
            epoch: 3,
            onHello: { hellos.continuation.yield() },
            onRequest: { _ in misled { $0 += 1 } }
        )
        newer.stop()
        async let answer = connection.document(.status)
        var (hello, notice) = (hellos.stream.makeAsyncIterator(), notices.stream.makeAsyncIterator())
        #expect(await notice.next() == .away)
        await hello.next()
        let restarted = try leader(at: newer.endpoint, epoch: 5)
        #expect(try await answer == [5])
        #expect(misled { $0 } == 0)
        copy.stop()
        restarted.stop()
    }

    @Test("If only an older copy of the record answers, requests fail with a sentence that says so")
    func onlyOlderCopy() async throws {
        let misled = Shared(0)
        var options = options
        var error: ClientError?
        // On a busy host, the time may pass before the older copy has answered: a longer one tells.
        options.awayLimit = .milliseconds(100)
        repeat {
            let newer = try leader(epoch: 4)
            let endpoint = try deadEndpoint()
            let connection = try ClientConnection(endpoint: "\(endpoint),\(newer.endpoint)", options: options)
            #expect(try await connection.document(.status) == [4])
            let copy = try leader(at: endpoint, epoch: 3, onRequest: { _ in misled { $0 += 1 } })
            newer.stop()
            error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
            copy.stop()
            if error?.message.contains("What answers at \(endpoint) has an older copy of its record.") == true { break }
            options.awayLimit = options.awayLimit * 2
        } while options.awayLimit < .seconds(600)
        #expect(error?.code == .lost)
        #expect(error?.message.contains("has an older copy") == true, "\(String(describing: error))")
        #expect(misled { $0 } == 0)
    }

    // MARK: - Nobody leads

    @Test("Requests to coordinators that all stand by fail after a while, and the owner is told once", arguments: 1...3)
    func allStandBy(count: Int) async throws {
        let fakes = try (0..<count).map { _ in try standby() }
        let list = fakes.map(\.endpoint)
        var options = options
        options.awayLimit = .milliseconds(50)
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: list.joined(separator: ","), options: options) {
            notices.continuation.yield($0)
        }
        let expected = ClientError.standby(list, of: connection.endpoint, after: options.awayLimit)
        #expect(expected.code == .standby)
        await #expect(throws: expected) { try await connection.document(.status) }
        connection.close()
        notices.continuation.finish()
        var heard: [ClientNotice] = []
        for await notice in notices.stream { heard.append(notice) }
        #expect(heard == [.standingBy])
    }

    @Test(
        "A request is answered once a coordinator that stood by leads, and one that must not be sent twice, too",
        arguments: 1...2,
        [true, false]
    )
    func promoted(count: Int, isRepeatable: Bool) async throws {
        let hellos = Shared(0)
        let fake = try FakeCoordinator(
            greeting: { _ in
                let number = hellos { hellos in
                    hellos += 1
                    return hellos
                }
                guard number == 1 else { return [.send(Self.welcome(epoch: 2))] }
                return [.send(Self.standsBy), .send(.leadership(Leadership(isLeading: true)))]
            },
            // With a single address, requests follow the first hello at once, and are left unanswered.
            answering: { number, request in
                guard hellos({ $0 }) > 1 else { return [] }
                if case .deleteQueue = request { return [.send(.reply(number, .oneChange))] }
                return [.send(.reply(number, .document([2])))]
            }
        )
        let list = [fake.endpoint] + (count > 1 ? [try deadEndpoint()] : [])
        let connection = try ClientConnection(endpoint: list.joined(separator: ","), options: options)
        if isRepeatable {
            #expect(try await connection.document(.status) == [2])
        } else {
            #expect(try await connection.change(.deleteQueue("q")).changed == 1)
        }
        #expect(try await connection.document(.status) == [2])
    }

    @Test("A single coordinator that stands by and knows the leader elsewhere fails the request at once, and names it")
    func leaderElsewhere() async throws {
        let fake = try standby(.leadership(Leadership(isLeading: false, leader: "tcp://other:7461")))
        let connection = try ClientConnection(endpoint: fake.endpoint, options: options)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .standby)
        #expect(
            error?.message == "The coordinator at \(fake.endpoint) stands by, and the leader is at tcp://other:7461."
        )
    }

    @Test("Where nobody listens at any address, the request fails at once, and all addresses are named")
    func nobody() async throws {
        let list = [try deadEndpoint(), try deadEndpoint(), try deadEndpoint()]
        let connection = try ClientConnection(endpoint: list.joined(separator: ","), options: options)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .unreachable)
        #expect(error?.message == "No coordinator answers at \(list[0]), \(list[1]) or \(list[2]).")
        // The connection has not given up for ever.
        let fake = try leader(at: list[1], epoch: 1)
        #expect(try await connection.document(.status) == [1])
        fake.stop()
    }

    @Test("Where each address fails for a reason of its own, the request has all of them, and a refused key decides")
    func reasons() async throws {
        let keys = try KeyedServer()
        let server = try FakeCoordinator(keys: keys)
        let (dead, unknown) = (try deadEndpoint(), "tcp://no-such-host.invalid:7461")
        var options = options
        options.resolver = FakeNames([]).resolver
        let absent = try ClientConnection(endpoint: "\(unknown),\(dead)", options: options)
        let first = await #expect(throws: ClientError.self) { try await absent.document(.status) }
        #expect(first?.code == .unknownHost)
        #expect(first?.message.contains("\"no-such-host.invalid\"") == true, "\(String(describing: first))")
        #expect(first?.message.contains("No coordinator answers at \(dead).") == true, "\(String(describing: first))")
        options.security = try keys.unknownPeer()
        let refused = try ClientConnection(endpoint: "\(dead),\(server.endpoint)", options: options)
        let second = await #expect(throws: ClientError.self) { try await refused.document(.status) }
        #expect(second?.code == .keyRefused)
        server.stop()
    }

    @Test(
        "A malformed address in a list fails the request, and is named",
        arguments: [
            ("tcp://a:1,", "an address is missing next to a comma"), ("tcp://a:1,b:2", "in b:2, it does not begin"),
        ]
    )
    func malformed(list: String, reason: String) async throws {
        let connection = try ClientConnection(endpoint: list, options: options)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == .invalidEndpoint)
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }
}
