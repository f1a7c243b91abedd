import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Connections with CURVE", .timeLimit(.minutes(60)))
struct CurveTests {
    @Test("A peer with a known key is connected, and its messages have its user id")
    func knownKey() throws {
        let server = try CurveServer()
        let key = try server.admittedKey("7")
        let visitor = try Visitor(to: server, key: key)
        _ = try visitor.socket.send([1, 2, 3])
        try work(server, [visitor]) { !visitor.received.isEmpty }
        #expect(visitor.received == [[1, 2, 3]])
        #expect(visitor.diagnosis.conclusion == .connected)
        #expect(server.received == [.init(userID: "7", address: "127.0.0.1", bytes: [1, 2, 3])])
        let request = try #require(server.requests.first)
        #expect(request.key == key.publicKey)
        #expect(request.domain == CurveServer.domain)
        #expect(request.address == "127.0.0.1")
        #expect(server.failures == [])
    }

    @Test("A peer with an unknown key is refused with status 400, and nothing of it is read")
    func unknownKey() throws {
        let server = try CurveServer()
        let visitor = try Visitor(to: server, key: try CurveKeyPair.generate())
        _ = try visitor.socket.send([1])
        try work(server, [visitor]) { visitor.diagnosis.conclusion != .pending && !server.failures.isEmpty }
        #expect(visitor.diagnosis.conclusion == .refused(status: 400))
        #expect(visitor.diagnosis.needsNewSocket)
        #expect(server.failures.contains { $0.reason == .authentication(400) })
        try checkThatStrangersAreUnread(by: server)
    }

    @Test("A revoked key is refused at the next connection, and the present connection keeps its user id")
    func revokedKey() throws {
        let server = try CurveServer()
        let key = try server.admittedKey("laptop")
        let first = try Visitor(to: server, key: key)
        try work(server, [first]) { first.diagnosis.conclusion == .connected }
        server.users[key.publicKey] = nil
        _ = try first.socket.send([1])
        let second = try Visitor(to: server, key: key)
        try work(server, [first, second]) { !first.received.isEmpty && second.diagnosis.conclusion != .pending }
        #expect(second.diagnosis.conclusion == .refused(status: 400))
        #expect(server.received == [.init(userID: "laptop", address: "127.0.0.1", bytes: [1])])
    }

    @Test("A connection is ended by the descriptor of its message")
    func endedByDescriptor() throws {
        let server = try CurveServer()
        let visitor = try Visitor(to: server, key: try server.admittedKey("1"))
        _ = try visitor.socket.send([1])
        let poller = Poller()
        server.sources(in: poller)
        var descriptor: Int32?
        while descriptor == nil {
            try server.authenticator.answerPending { _ in .accepted(userID: "1") }
            descriptor = try server.router.receiveRouted()?.message.connectionDescriptor
            if descriptor == nil { try poller.poll(timeout: .seconds(1)) }
        }
        try visitor.work()
        #expect(visitor.diagnosis.conclusion == .connected)
        server.watch.end(descriptor: try #require(descriptor))
        try work(nil, [visitor]) { visitor.diagnosis.conclusion == .pending }
    }

    @Test("A server with another key is told as a mismatch, and the server hears of a failed handshake")
    func otherServerKey() throws {
        let server = try CurveServer()
        let key = try server.admittedKey("1")
        let other = try CurveKeyPair.generate().publicKey
        let visitor = try Visitor(to: try server.endpoint, security: .curveClient(server: other, key: key))
        _ = try visitor.socket.send([1])
        let start = ContinuousClock.now
        try work(server, [visitor]) { visitor.diagnosis.conclusion == .mismatch && !server.failures.isEmpty }
        // Not only once the time of the handshake is over.
        #expect(ContinuousClock.now - start < patience / 2)
        #expect(server.requests == [])
        #expect(server.failures.allSatisfy { if case .protocol = $0.reason { true } else { false } })
        try checkThatStrangersAreUnread(by: server)
    }

    @Test("A peer without a key and a server with one are told of a mismatch")
    func plainPeer() throws {
        let server = try CurveServer()
        let visitor = try Visitor(to: try server.endpoint, security: .none)
        _ = try visitor.socket.send([1])
        try work(server, [visitor]) { visitor.diagnosis.conclusion == .mismatch && !server.failures.isEmpty }
        #expect(server.requests == [])
        try checkThatStrangersAreUnread(by: server)
    }

    @Test("A peer with a key and a server without one are told of a mismatch")
    func plainServer() throws {
        let router = try boundRouter(in: try Context())
        let security = SocketSecurity.curveClient(
            server: try CurveKeyPair.generate().publicKey,
            key: try CurveKeyPair.generate()
        )
        let visitor = try Visitor(to: try router.lastEndpoint, security: security)
        _ = try visitor.socket.send([1])
        try work(nil, [visitor]) { visitor.diagnosis.conclusion == .mismatch }
        #expect(try router.isSilent())
    }

    @Test("A server of another protocol is told as a mismatch that needs a new socket")
    func otherProtocol() throws {
        let listener = try RawConnection.listening()
        let security = SocketSecurity.curveClient(
            server: try CurveKeyPair.generate().publicKey,
            key: try CurveKeyPair.generate()
        )
        let visitor = try Visitor(to: listener.endpoint, security: security)
        let connection = try listener.accepted()
        connection.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        try withExtendedLifetime(connection) {
            try work(nil, [visitor]) { visitor.diagnosis.conclusion != .pending }
        }
        #expect(visitor.diagnosis.conclusion == .mismatch)
        #expect(visitor.diagnosis.needsNewSocket)
    }

    @Test("A CURVE server without an authenticator accepts nobody")
    func withoutAuthenticator() throws {
        var options = SocketOptions.patient
        options.handshakeTimeout = .seconds(1)
        let server = try CurveServer(options: options)
        let visitor = try Visitor(to: server, key: try server.admittedKey("1"))
        server.closeAuthenticator()
        _ = try visitor.socket.send([1])
        try work(server, [visitor]) { !server.failures.isEmpty }
        #expect(visitor.diagnosis.conclusion != .connected)
        #expect(server.requests == [])
        #expect(server.received == [])
    }

    @Test("A CURVE server needs a domain", arguments: ["", "a\u{0}b", String(repeating: "a", count: 256)])
    func domain(name: String) throws {
        var options = SocketOptions.patient
        options.security = .curveServer(secretKey: try CurveKeyPair.generate().secretKey, domain: name)
        let context = try Context()
        #expect(throws: ZeroMQError.self) { try Socket(.router, in: context, options: options) }
    }

    @Test("The longest message arrives encrypted, and a longer one disconnects its sender", arguments: [0, 1])
    func longestMessage(excess: Int) throws {
        var options = SocketOptions.patient
        options.maximumMessageSize = 1_000
        let server = try CurveServer(options: options)
        let visitor = try Visitor(to: server, key: try server.admittedKey("1"))
        try work(server, [visitor]) { visitor.diagnosis.conclusion == .connected }
        _ = try visitor.socket.send([UInt8](repeating: 7, count: 1_000 + excess))
        try work(server, [visitor]) { !visitor.received.isEmpty || visitor.diagnosis.conclusion == .pending }
        #expect(server.received.map(\.bytes.count) == (excess == 0 ? [1_000] : []))
    }

    @Test("Without the handover, a second peer with an address in use is not read and takes nothing over")
    func withoutHandover() throws {
        var options = SocketOptions.patient
        options.isRouterHandover = false
        let server = try CurveServer(options: options)
        let address = RoutingID("w1".utf8)
        let owner = try Visitor(to: server, key: try server.admittedKey("owner"), routingID: address)
        _ = try owner.socket.send([1])
        try work(server, [owner]) { owner.received.count == 1 }
        let thief = try Visitor(to: server, key: try server.admittedKey("thief"), routingID: address)
        _ = try thief.socket.send([2])
        try work(server, [owner, thief]) { thief.diagnosis.conclusion == .connected }
        // A third peer's round trip gives the thief's message the time to arrive.
        let third = try Visitor(to: server, key: try server.admittedKey("third"))
        _ = try third.socket.send([3])
        try work(server, [owner, thief, third]) { third.received.count == 1 }
        _ = try owner.socket.send([4])
        try work(server, [owner, thief, third]) { owner.received.count == 2 }
        #expect(server.received.map(\.userID) == ["owner", "third", "owner"])
        #expect(thief.received == [])
        #expect(owner.received == [[1], [4]])
    }

    @Test("A key's connections share no user id with other keys")
    func severalKeys() throws {
        let server = try CurveServer()
        let visitors = try (0..<20).map { number in
            let visitor = try Visitor(to: server, key: try server.admittedKey("user\(number)"))
            _ = try visitor.socket.send([UInt8(number)])
            return visitor
        }
        try work(server, visitors) { visitors.allSatisfy { !$0.received.isEmpty } }
        #expect(server.received.count == 20)
        #expect(server.received.allSatisfy { $0.userID == "user\($0.bytes[0])" })
    }

    /// Checks that a known peer is served, and that no other peer's message was read.
    private func checkThatStrangersAreUnread(by server: CurveServer) throws {
        let visitor = try Visitor(to: server, key: try server.admittedKey("good"))
        _ = try visitor.socket.send([42])
        try work(server, [visitor]) { !visitor.received.isEmpty }
        #expect(server.received == [.init(userID: "good", address: "127.0.0.1", bytes: [42])])
    }
}
