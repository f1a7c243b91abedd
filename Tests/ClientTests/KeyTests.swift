@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("A client's key", .timeLimit(.minutes(60)))
struct KeyTests {
    private let submission = Submission(
        templates: [Template(work: Work(.noOperation))],
        entries: [Entry(template: 0, queue: 0)]
    )

    private func options(_ security: SocketSecurity) -> ClientOptions {
        var options = ClientOptions(version: "test")
        options.security = security
        options.reconnectPause = .milliseconds(10)
        // Only the handshakes may tell, not a timer.
        options.connectTimeout = .seconds(3600)
        options.welcomeTimeout = .seconds(3600)
        options.probeAfter = .seconds(3600)
        options.silenceLimit = .seconds(3600)
        options.awayLimit = .seconds(3600)
        return options
    }

    private func answering(at endpoint: String = LoopbackAddress.unique(), keys: KeyedServer?) throws -> FakeCoordinator
    {
        try FakeCoordinator(
            at: endpoint,
            keys: keys,
            answering: { number, _ in [.send(.reply(number, .document([7])))] }
        )
    }

    /// The error of a request, and of a submission that must not be sent twice, each on a new connection.
    private func errors(at endpoint: String, _ security: SocketSecurity) async throws -> [ClientError] {
        var errors: [ClientError] = []
        let options = options(security)
        let first = try ClientConnection(endpoint: endpoint, options: options)
        let error = await #expect(throws: ClientError.self) { try await first.document(.status) }
        let second = try ClientConnection(endpoint: endpoint, options: options)
        let another = await #expect(throws: ClientError.self) { try await second.submit(submission) }
        errors += [error, another].compactMap(\.self)
        return errors
    }

    @Test("A client with an admitted key is answered")
    func admitted() async throws {
        let keys = try KeyedServer()
        let server = try answering(keys: keys)
        let connection = try ClientConnection(endpoint: server.endpoint, options: options(try keys.admittedPeer()))
        #expect(try await connection.document(.status) == [7])
    }

    @Test("A client with an unknown key is told that the key is not admitted")
    func unknown() async throws {
        let keys = try KeyedServer()
        let server = try answering(keys: keys)
        let error = ClientError.notAdmitted(.refused, endpoint: server.endpoint)
        #expect(error.code == .keyRefused)
        #expect(try await errors(at: server.endpoint, try keys.unknownPeer()) == [error, error])
    }

    @Test("A client of a server with another key is told that the keys do not fit")
    func otherServer() async throws {
        let server = try answering(keys: try KeyedServer())
        let error = ClientError.notAdmitted(.mismatch, endpoint: server.endpoint)
        #expect(error.code == .keyMismatch)
        #expect(try await errors(at: server.endpoint, try KeyedServer().unknownPeer()) == [error, error])
    }

    @Test("A client with a key and a server without one are told that the keys do not fit")
    func plainServer() async throws {
        let server = try answering(keys: nil)
        let error = ClientError.notAdmitted(.mismatch, endpoint: server.endpoint)
        #expect(try await errors(at: server.endpoint, try KeyedServer().unknownPeer()) == [error, error])
    }

    @Test("A client without a key is told that the server requires one", arguments: 0..<20)
    func plainClient(_: Int) async throws {
        let server = try answering(keys: try KeyedServer())
        let error = ClientError.notAdmitted(.missing, endpoint: server.endpoint)
        #expect(error.code == .keyMismatch)
        #expect(try await errors(at: server.endpoint, .none) == [error, error])
    }

    @Test("A key that is revoked between two connections fails the requests of a welcomed client at once")
    func revoked() async throws {
        let keys = try KeyedServer()
        let first = try answering(keys: keys)
        let connection = try ClientConnection(endpoint: first.endpoint, options: options(try keys.admittedPeer()))
        #expect(try await connection.document(.status) == [7])
        first.stop()
        keys.areRevoked = true
        let second = try answering(at: first.endpoint, keys: keys)
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.message == ClientError.notAdmitted(.refused, endpoint: first.endpoint).message)
        second.stop()
    }

    @Test("A client waits for a coordinator that ends between the handshake and the welcome")
    func endsBeforeWelcome() async throws {
        let keys = try KeyedServer()
        let first = try FakeCoordinator(keys: keys, greeting: { _ in [.vanish] })
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: first.endpoint, options: options(try keys.admittedPeer())) {
            notices.continuation.yield($0)
        }
        async let answer = connection.document(.status)
        var iterator = notices.stream.makeAsyncIterator()
        #expect(await iterator.next() == .away)
        let second = try answering(at: first.endpoint, keys: keys)
        #expect(try await answer == [7])
        second.stop()
    }

    // "baton cancel" reported a coordinator that was stopped for 14 s as none after 5 s, and its change was carried out.
    @Test("D14 A client waits for a coordinator that has proven its key, and is silent before its welcome")
    func silentBeforeWelcome() async throws {
        let keys = try KeyedServer()
        let greetings = Shared(0)
        let asked = Shared<[Request]>([])
        let server = try FakeCoordinator(
            keys: keys,
            greeting: { _ in
                let number = greetings { count in
                    count += 1
                    return count
                }
                return number == 1 ? [] : [.send(.welcomeOfTest)]
            },
            answering: { number, request in
                let isFirst = asked { asked in
                    asked.append(request)
                    return asked.count == 1
                }
                return isFirst ? [] : [.send(.reply(number, .oneChange))]
            }
        )
        var options = options(try keys.admittedPeer())
        options.welcomeTimeout = .milliseconds(300)
        let connection = try ClientConnection(endpoint: server.endpoint, options: options)
        let change = Request.cancel([.job(JobNumber(7))], queue: nil)
        var report: ChangeReport?
        while report == nil {
            do throws(ClientError) {
                report = try await connection.change(change)
            } catch {
                // On a busy host the limit may pass before the handshake ends: then nobody has proven anything.
                try #require(error.code == .silent, "\(error)")
            }
        }
        #expect(report?.changed == 1)
        #expect(asked { $0.allSatisfy { $0 == change } })
        server.stop()
    }

    @Test("D14 A client says that a coordinator which has proven its key is silent, also when it waits no longer")
    func silentForTooLong() async throws {
        let keys = try KeyedServer()
        let server = try FakeCoordinator(keys: keys, greeting: { _ in [] })
        var options = options(try keys.admittedPeer())
        options.welcomeTimeout = .milliseconds(300)
        options.awayLimit = .milliseconds(600)
        let notices = Shared<[ClientNotice]>([])
        var error: ClientError?
        repeat {
            let connection = try ClientConnection(endpoint: server.endpoint, options: options) { notice in
                notices { $0.append(notice) }
            }
            error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
            // On a busy host the limit may pass before the handshake ends: then nobody has proven anything.
        } while error?.code == .silent
        #expect(error?.code == .lost && error?.message.contains("reads its record") == true, "\(error?.message ?? "")")
        #expect(notices { $0 } == [.silent])
        server.stop()
    }

    @Test("A welcomed client waits for its coordinator while another process without keys has the address")
    func replaced() async throws {
        let keys = try KeyedServer()
        let first = try answering(keys: keys)
        let notices = AsyncStream<ClientNotice>.makeStream()
        let connection = try ClientConnection(endpoint: first.endpoint, options: options(try keys.admittedPeer())) {
            notices.continuation.yield($0)
        }
        #expect(try await connection.document(.status) == [7])
        first.stop()
        let stranger = try answering(at: first.endpoint, keys: nil)
        async let answer = connection.document(.status)
        var iterator = notices.stream.makeAsyncIterator()
        #expect(await iterator.next() == .away)
        stranger.stop()
        let second = try answering(at: first.endpoint, keys: keys)
        #expect(try await answer == [7])
        second.stop()
    }

    @Test("A welcomed client that waits in vain is told that the keys do not fit", arguments: [true, false])
    func staysAway(hasKey: Bool) async throws {
        let keys = try KeyedServer()
        let (before, after) = hasKey ? (keys, nil) : (nil, keys)
        let first = try answering(keys: before)
        var options = options(hasKey ? try keys.admittedPeer() : .none)
        options.awayLimit = .seconds(3)
        let connection = try ClientConnection(endpoint: first.endpoint, options: options)
        #expect(try await connection.document(.status) == [7])
        first.stop()
        let second = try answering(at: first.endpoint, keys: after)
        let expected = ClientError.notAdmitted(hasKey ? .mismatch : .missing, endpoint: first.endpoint)
        // The first connection may have taken the request before it ended.
        let error = await #expect(throws: ClientError.self) { try await connection.document(.status) }
        #expect(error?.code == expected.code && error?.message == expected.message)
        second.stop()
    }

    @Test(
        "A process that ends each connection is reported as no coordinator, and not as one of another key",
        arguments: [true, false]
    )
    func closingServer(hasKey: Bool) async throws {
        let server = try ClosingServer()
        let options = options(hasKey ? try KeyedServer().admittedPeer() : .none)
        let connection = try ClientConnection(endpoint: server.endpoint, options: options)
        await #expect(throws: ClientError.notCoordinator(server.endpoint)) { try await connection.document(.status) }
    }

    @Test("No description of the options or of an error has a key")
    func descriptions() throws {
        let pair = try CurveKeyPair.generate()
        let options = options(.curveClient(server: try CurveKeyPair.generate().publicKey, key: pair))
        var dumped = ""
        dump(options, to: &dumped)
        for text in ["\(options)", String(reflecting: options), dumped] {
            #expect(!text.contains(pair.secretKey.z85))
        }
    }

    @Test("Every hello of an operation carries the proof of its token, and other hellos carry none")
    func operation() async throws {
        let claim = OperationClaim(incarnation: 1, recordToken: 2, job: 3, operation: 4, attempt: 5, worker: 6)
        let issuer = try #require(OperationIssuer(bytes: Array(0..<96)))
        let token = issuer.token(for: claim)
        for expected in [nil, Secret(token.proof.bytes)] {
            let proofs = Shared<[Secret?]>([])
            let onProof: @Sendable (Secret?) -> Void = { proof in proofs { $0.append(proof) } }
            let first = try FakeCoordinator(onProof: onProof, answering: { _, _ in [.vanish] })
            var options = options(.none)
            options.operationToken = expected == nil ? nil : token
            let away = AsyncStream<ClientNotice>.makeStream()
            let connection = try ClientConnection(endpoint: first.endpoint, options: options) {
                away.continuation.yield($0)
            }
            async let document = connection.document(.status)
            var iterator = away.stream.makeAsyncIterator()
            #expect(await iterator.next() == .away)
            let second = try FakeCoordinator(
                at: first.endpoint,
                onProof: onProof,
                answering: { number, _ in [.send(.reply(number, .document([7])))] }
            )
            #expect(try await document == [7])
            second.stop()
            #expect(proofs { $0 } == [expected, expected])
        }
    }

    @Test("The way to a coordinator sets the protection and the token together")
    func credential() throws {
        func options(_ variable: String, _ text: String) throws -> ClientOptions {
            let lookup = KeyLookup(
                environment: [variable: text, "BATON_COORDINATOR": "tcp://h:1"],
                directory: KeyDirectory(path: "/no/keys")
            )
            return ClientOptions(version: "test", to: try lookup.access(for: [.client], at: nil))
        }
        let issuer = try #require(OperationIssuer(bytes: Array(0..<96)))
        let claim = OperationClaim(incarnation: 1, recordToken: 2, job: 3, operation: 4, attempt: 5, worker: 6)
        let token = issuer.token(for: claim)
        let acting = try options("BATON_TOKEN", token.text)
        #expect(acting.operationToken == token)
        #expect(acting.security == .curveClient(server: token.server, key: try token.keyPair()))
        let key = JoinToken(
            server: try CurveKeyPair.generate().publicKey,
            secretKey: try CurveKeyPair.generate().secretKey,
            role: .client,
            name: try #require(KeyName("laptop"))
        )
        let own = try options("BATON_KEY", key.text)
        #expect(own.operationToken == nil)
        #expect(own.security == .curveClient(server: key.server, key: try key.keyPair()))
    }
}
