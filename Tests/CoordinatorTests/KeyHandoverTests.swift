import Testing
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("The keys of a coordinator, for one that stands in for it", .timeLimit(.minutes(60)))
struct KeyHandoverTests {
    private static let request = Request.document(.coordinatorKeys)

    /// Waits until a key is revoked on disk.
    private func waitForRevocation(of token: JoinToken, at coordinator: KeyedCoordinator) async throws {
        while try coordinator.keys.table()?[token.publicKey()]?.isRevoked != true { await Task.yield() }
    }

    @Test("A coordinator's key gets them once, is revoked with the answer, and is admitted no more")
    func once() async throws {
        let coordinator = try KeyedCoordinator()
        let token = try coordinator.authorize("b", .coordinator)
        let peer = try coordinator.connect(token)
        guard case .document(let bytes) = try peer.ask(Self.request) else { throw Unexpected(answer: "no keys") }
        let keys = try CoordinatorKeys(decoding: bytes)
        #expect(try keys.server == coordinator.keys.serverKey())
        try await waitForRevocation(of: token, at: coordinator)
        let late = try coordinator.connect(token)
        let number = try late.begin(Self.request)
        // The next coordinator has a different key, and also gets the keys.
        let next = try coordinator.connect(as: .coordinator)
        guard case .document = try next.ask(Self.request) else { throw Unexpected(answer: "no keys") }
        #expect(try late.answerNow(to: number) == nil)
        try coordinator.stop()
    }

    @Test("Of requests that are sent together, one is answered with the keys at most")
    func together() throws {
        let coordinator = try KeyedCoordinator()
        let token = try coordinator.authorize("b", .coordinator)
        let peer = try coordinator.connect(token)
        for _ in 0..<3 { _ = try peer.begin(Self.request) }
        var (given, refused) = (0, 0)
        // What comes behind the revocation has no answer but the word of it.
        reading: while given + refused < 3, let message = try peer.receiveAsClient() {
            switch message {
            case .reply(_, .document): given += 1
            case .reply(_, .refused(let refusal)):
                refused += 1
                #expect(refusal.code == .notAllowed && refusal.message.contains("is used up"), "\(refusal)")
            default: break reading
            }
        }
        #expect(given == 1)
        try coordinator.stop()
    }

    @Test("No other role gets them, and the key of a coordinator does nothing else", arguments: Role.allCases)
    func roles(role: Role) throws {
        let coordinator = try KeyedCoordinator()
        let peer = try coordinator.connect(as: role)
        if role == .coordinator {
            for request in [Request.document(.status), .submit(.noOperations([[]])), .document(.workers)] {
                guard case .refused(let refusal) = try peer.ask(request) else { throw Unexpected(answer: "\(request)") }
                #expect(refusal.code == .notAllowed)
            }
        } else {
            guard case .refused(let refusal) = try peer.ask(Self.request) else { throw Unexpected(answer: "keys") }
            #expect(refusal.code == .notAllowed)
        }
        try coordinator.stop()
    }

    @Test("A coordinator without keys has none to give")
    func keyless() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let peer = try Peer(harness.server.endpoint)
        guard case .refused(let refusal) = try peer.ask(Self.request) else { throw Unexpected(answer: "keys") }
        #expect(refusal.code == .notAllowed && refusal.message.contains("runs without keys"))
        try harness.stop()
    }
}
