@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("The authenticator", .timeLimit(.minutes(60)))
struct AuthenticatorTests {
    static let key = [UInt8](repeating: 7, count: 32)
    static let request: [[UInt8]] = [
        [], Array("1.0".utf8), Array("1".utf8), Array("d".utf8), Array("192.0.2.1".utf8), [], Array("CURVE".utf8), key,
    ]

    let context: Context
    let authenticator: Authenticator
    let asker: Socket

    init() throws {
        context = try Context()
        authenticator = try Authenticator(context: context)
        asker = try Socket(.dealer, in: context)
        try asker.connect("inproc://zeromq.zap.01")
    }

    /// The number of frames of the answer to a request, after one to another request that is certainly answered.
    private func isAnswered(_ frames: [[UInt8]], _ verdict: Authenticator.Verdict = .refused) throws -> Int {
        var answers = 0
        _ = try asker.send(frames: frames)
        _ = try asker.send(frames: Self.request)
        while try authenticator.answerPending({ _ in verdict }) > 0 {}
        while let answer = try asker.receive() {
            #expect(answer.frameCount == 7)
            answers += 1
        }
        return answers - 1
    }

    @Test("A request passes its key, domain and address")
    func passes() throws {
        var seen: [Authenticator.Request] = []
        _ = try asker.send(frames: Self.request)
        #expect(
            try authenticator.answerPending {
                seen.append($0)
                return .refused
            } == 1
        )
        #expect(seen.map(\.key.bytes) == [Self.key])
        #expect(seen.map(\.domain) == ["d"])
        #expect(seen.map(\.address) == ["192.0.2.1"])
        #expect(try authenticator.answerPending { _ in .refused } == 0)
    }

    @Test("A limit leaves the remaining requests for the next call")
    func limited() throws {
        for _ in 0..<5 { _ = try asker.send(frames: Self.request) }
        #expect(try authenticator.answerPending(limit: 3) { _ in .refused } == 3)
        #expect(try authenticator.answerPending { _ in .refused } == 2)
    }

    @Test("A request that cannot be answered is passed over")
    func unanswerable() throws {
        #expect(try isAnswered([[1]]) == 0)
        #expect(try isAnswered([[], Array("1.0".utf8)]) == 0)
        #expect(try isAnswered([[1], Array("1.0".utf8), [1], [2]]) == 0)
    }

    @Test("A malformed request is answered without a question")
    func malformed() throws {
        var requests: [[[UInt8]]] = []
        for index in 1..<Self.request.count { requests.append(Array(Self.request[..<max(3, index)])) }
        for (index, bytes) in [
            (1, Array("2.0".utf8)), (3, [UInt8](repeating: 1, count: 256)), (3, [0xFF]), (4, [0xC0]),
            (6, Array("NULL".utf8)), (7, [UInt8](repeating: 1, count: 31)),
        ] {
            var request = Self.request
            request[index] = bytes
            requests.append(request)
        }
        requests.append(Self.request + [[1]])
        requests.append(Self.request + [[UInt8]](repeating: [1], count: 100))
        for request in requests {
            _ = try asker.send(frames: request)
            var isAsked = false
            try authenticator.answerPending { _ in
                isAsked = true
                return .accepted(userID: "1")
            }
            #expect(!isAsked)
            #expect(try asker.receive()?.frameCount == 7)
        }
    }

    @Test("Random frames disturb no later request", arguments: [1, 2, UInt64.random(in: .min ... .max)])
    func randomFrames(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<500 {
            var frames = Self.request
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let length = Int.random(in: 0...300, using: &generator)
                let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: frames[Int.random(in: 0..<frames.count, using: &generator)] = bytes
                case 1: frames.insert(bytes, at: Int.random(in: 0...frames.count, using: &generator))
                default: if frames.count > 1 { frames.removeLast() }
                }
            }
            #expect((0...1).contains(try isAnswered(frames)), "seed \(seed)")
        }
    }

    @Test("A context has one authenticator at a time")
    func single() throws {
        let error = #expect(throws: ZeroMQError.self) { try Authenticator(context: context) }
        #expect(error?.reason == .addressInUse)
        authenticator.close()
        _ = try Authenticator(context: context)
    }

    @Test(
        "A user id that libzmq cannot carry refuses the peer",
        arguments: ["", "a\u{0}", String(repeating: "a", count: 256)]
    )
    func userID(text: String) throws {
        let server = try CurveServer()
        let visitor = try Visitor(to: server, key: try server.admittedKey(text))
        try work(server, [visitor]) { visitor.diagnosis.conclusion != .pending }
        #expect(visitor.diagnosis.conclusion == .refused(status: 500))
    }

    @Test("A user id of 255 bytes arrives")
    func longUserID() throws {
        let server = try CurveServer()
        let text = String(repeating: "é", count: 127) + "a"
        let visitor = try Visitor(to: server, key: try server.admittedKey(text))
        _ = try visitor.socket.send([1])
        try work(server, [visitor]) { !visitor.received.isEmpty }
        #expect(server.received.map(\.userID) == [text])
    }

    @Test("Without CURVE, a peer chooses its user id itself, which is why nobody may read it there")
    func spoofed() throws {
        let router = try boundRouter(in: context)
        let stranger = try RawConnection.connected(to: try router.lastEndpoint)
        func property(_ name: String, _ value: String) -> [UInt8] {
            [UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, UInt8(value.utf8.count)] + Array(value.utf8)
        }
        let ready = [5] + Array("READY".utf8) + property("Socket-Type", "DEALER") + property("User-Id", "admin")
        stranger.send(Garbage.greeting + [0x04, UInt8(ready.count)] + ready)
        // libzmq takes a message only after its own READY, which follows its greeting of 64 bytes.
        stranger.await(bytes: 64 + 8)
        stranger.send([0x00, 1, 42])
        try withExtendedLifetime(stranger) {
            let received = try router.awaitRouted()
            #expect(received.message.bytes == [42])
            #expect(received.message.userID == "admin")
        }
    }

    @Test("A message inside the process has no user id, address or descriptor")
    func insideProcess() throws {
        let router = try boundRouter(in: context, at: "inproc://inside")
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect("inproc://inside")
        _ = try dealer.send([1])
        let received = try router.awaitRouted()
        #expect(received.message.userID == nil)
        #expect(received.message.peerAddress == nil)
        #expect(received.message.connectionDescriptor == nil)
    }
}
