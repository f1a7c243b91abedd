import Glibc
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Failed handshakes", .timeLimit(.minutes(60)))
struct HandshakeTests {
    private let start = ContinuousClock.now

    /// The conclusion after some events, each at a number of milliseconds.
    private func diagnosis(_ events: [(Int, SocketEvent.Kind)]) -> HandshakeDiagnosis {
        var diagnosis = HandshakeDiagnosis()
        for (time, event) in events { diagnosis.note(event, at: start + .milliseconds(time)) }
        return diagnosis
    }

    private static func broken(at time: Int, _ code: Int32 = EPIPE) -> [(Int, SocketEvent.Kind)] {
        [
            (time, .connectDelayed), (time, .connected), (time, .handshakeFailed(.system(code))), (time, .disconnected),
            (time, .connectRetried(after: .milliseconds(100))),
        ]
    }

    @Test("After two broken handshakes, the end of libzmq's attempts is news without another conclusion")
    func givenUpLate() {
        var diagnosis = diagnosis(Self.broken(at: 0) + Self.broken(at: 100))
        #expect((diagnosis.conclusion, diagnosis.needsNewSocket) == (.mismatch, false))
        // A peer of another protocol ends the connection, and libzmq does not connect again.
        let events: [SocketEvent.Kind] = [.connectDelayed, .connected, .disconnected, .disconnected]
        #expect(events.map { diagnosis.note($0) } == [false, false, true, false])
        #expect((diagnosis.conclusion, diagnosis.needsNewSocket) == (.mismatch, true))
    }

    @Test("Two broken handshakes within two seconds are a mismatch", arguments: [EPIPE, ECONNRESET])
    func twice(code: Int32) {
        #expect(diagnosis(Self.broken(at: 0, code)).conclusion == .pending)
        let twice = diagnosis(Self.broken(at: 0) + Self.broken(at: 2_000, code))
        #expect(twice.conclusion == .mismatch)
        #expect(!twice.needsNewSocket)
    }

    @Test("Two broken handshakes with more time between them mean nothing")
    func farApart() {
        #expect(diagnosis(Self.broken(at: 0) + Self.broken(at: 2_001)).conclusion == .pending)
        #expect(diagnosis(Self.broken(at: 0) + Self.broken(at: 3_000) + Self.broken(at: 4_000)).conclusion == .mismatch)
    }

    @Test("Handshakes that took too long mean nothing")
    func slow() {
        #expect(diagnosis(Self.broken(at: 0, ETIMEDOUT) + Self.broken(at: 1, EAGAIN)).conclusion == .pending)
    }

    @Test("A handshake that succeeds later replaces a mismatch of broken ones")
    func later() {
        let events = Self.broken(at: 0) + Self.broken(at: 100) + [(200, .connected), (201, .handshakeSucceeded)]
        #expect(diagnosis(events).conclusion == .connected)
        #expect(diagnosis(events + [(300, .disconnected)]).conclusion == .pending)
        #expect(diagnosis(events + [(300, .disconnected)] + Self.broken(at: 400)).conclusion == .pending)
    }

    @Test("A refusal needs a new socket")
    func refused() {
        let refused = diagnosis([(0, .connected), (1, .handshakeFailed(.authentication(400))), (1, .disconnected)])
        #expect(refused.conclusion == .refused(status: 400))
        #expect(refused.needsNewSocket)
    }

    @Test("A mismatch that libzmq notices needs a new socket")
    func noticed() {
        let noticed = diagnosis([(0, .connected), (1, .handshakeFailed(.protocol(0x1100_0002))), (1, .disconnected)])
        #expect(noticed.conclusion == .mismatch)
        #expect(noticed.needsNewSocket)
        let silent = diagnosis([(0, .connected), (1, .disconnected)])
        #expect(silent.conclusion == .mismatch)
        #expect(silent.needsNewSocket)
    }

    @Test("Attempts that reach no server mean nothing")
    func unreachable() {
        let retry = (0, SocketEvent.Kind.connectRetried(after: .milliseconds(100)))
        let events = [(0, .connectDelayed), (0, .closed), retry, (1, .connectDelayed), (1, .closed), retry]
        #expect(diagnosis(events).conclusion == .pending)
    }

    @Test("A refusal is reported as such, and libzmq connects no more with that socket")
    func refusalEndsSocket() throws {
        let server = try CurveServer()
        let key = try CurveKeyPair.generate()
        let visitor = try Visitor(to: server, key: key)
        try work(server, [visitor]) { visitor.diagnosis.needsNewSocket }
        let requests = server.requests.count
        server.users[key.publicKey] = "late"
        // A new socket with the same key is admitted, while the old one makes no further attempt.
        let second = try Visitor(to: server, key: key)
        try work(server, [visitor, second]) { second.diagnosis.conclusion == .connected }
        #expect(server.requests.count == requests + 1)
        #expect(visitor.diagnosis.conclusion == .refused(status: 400))
    }

    @Test("A failed handshake is reported with the address of its peer")
    func reportedWithAddress() throws {
        let server = try CurveServer()
        let stranger = try RawConnection.connected(to: try server.endpoint)
        try work(server, []) { server.acceptedCount == 1 }
        stranger.send(Garbage.greeting)
        try work(server, []) { !server.failures.isEmpty }
        #expect(server.failures == [.init(reason: .protocol(0x1100_0002), peer: stranger.ownAddress)])
    }

    @Test("A peer that goes away in its handshake is reported with its address")
    func goneAway() throws {
        let server = try CurveServer()
        var address = ""
        do {
            let stranger = try RawConnection.connected(to: try server.endpoint)
            address = stranger.ownAddress
            try work(server, []) { server.acceptedCount == 1 }
        }
        try work(server, []) { !server.failures.isEmpty }
        #expect(server.failures.count == 1)
        #expect(server.failures.first?.peer == address)
        guard case .system = server.failures.first?.reason else {
            Issue.record("\(server.failures)")
            return
        }
    }

    @Test("An address is left out if the connection ended before the watch was read")
    func withoutAddress() throws {
        let server = try CurveServer()
        for _ in 0..<20 {
            let stranger = try RawConnection.connected(to: try server.endpoint)
            stranger.send(Garbage.greeting)
            stranger.awaitEnd()
        }
        try work(server, []) { server.failures.count == 20 }
        #expect(server.failures.allSatisfy { $0.peer == nil })
    }

    @Test("A watch that was not asked reports no handshakes")
    func unasked() throws {
        let context = try Context()
        let router = try Socket(.router, in: context, options: .patient)
        let watch = try AcceptWatch(of: router)
        try router.bind("tcp://127.0.0.1:*")
        do { _ = try RawConnection.connected(to: try router.lastEndpoint) }
        let dealer = try dealer(connectedTo: router)
        _ = try dealer.send([1])
        _ = try router.awaitRouted()
        var arrivals: [AcceptWatch.Arrival] = []
        while let arrival = try watch.next() { arrivals.append(arrival) }
        #expect(arrivals.count == 2)
        #expect(arrivals.allSatisfy { if case .accepted = $0 { true } else { false } })
    }
}
