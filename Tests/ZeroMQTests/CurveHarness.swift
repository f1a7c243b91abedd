@_spi(Baton) import BatonZeroMQ

/// A CURVE server at a free port of the loopback interface, with an authenticator that knows some keys.
final class CurveServer {
    static let domain = "tests"

    let key: CurveKeyPair
    let context: Context
    let authenticator: Authenticator
    let router: Socket
    let watch: AcceptWatch
    /// The user ids of the known keys.
    var users: [CurvePublicKey: String] = [:]
    /// The requests so far.
    private(set) var requests: [Authenticator.Request] = []
    /// The messages so far, with their user ids.
    private(set) var received: [Received] = []
    /// The failed handshakes so far.
    private(set) var failures: [Failure] = []
    private(set) var acceptedCount = 0
    private var isAuthenticating = true

    struct Received: Equatable {
        var userID: String?
        var address: String?
        var bytes: [UInt8]
    }

    struct Failure: Equatable {
        var reason: SocketEvent.HandshakeFailure
        var peer: String?
    }

    init(options: SocketOptions = .patient) throws {
        key = try CurveKeyPair.generate()
        context = try Context()
        authenticator = try Authenticator(context: context)
        var options = options
        options.security = .curveServer(secretKey: key.secretKey, domain: Self.domain)
        router = try Socket(.router, in: context, options: options)
        watch = try AcceptWatch(of: router, reportsHandshakes: true)
        try router.bind("tcp://127.0.0.1:*")
    }

    var endpoint: String {
        get throws { try router.lastEndpoint }
    }

    /// Makes a key that the server knows under a user id.
    func admittedKey(_ userID: String) throws -> CurveKeyPair {
        let pair = try CurveKeyPair.generate()
        users[pair.publicKey] = userID
        return pair
    }

    /// Leaves the server without an authenticator.
    func closeAuthenticator() {
        isAuthenticating = false
        authenticator.close()
    }

    func sources(in poller: Poller) {
        if isAuthenticating { _ = poller.add(authenticator) }
        _ = poller.add(router)
        _ = poller.add(watch)
    }

    /// Answers handshakes, and answers each message by the same bytes.
    func work() throws {
        if isAuthenticating {
            try authenticator.answerPending { request in
                requests.append(request)
                return users[request.key].map { .accepted(userID: $0) } ?? .refused
            }
        }
        while let next = try router.receiveRouted() {
            received.append(
                Received(userID: next.message.userID, address: next.message.peerAddress, bytes: next.message.bytes)
            )
            _ = try router.send(next.message.bytes, to: next.sender)
        }
        while let arrival = try watch.next() {
            switch arrival {
            case .accepted: acceptedCount += 1
            case .failed: break
            case .handshakeFailed(let reason, let peer): failures.append(Failure(reason: reason, peer: peer))
            }
        }
    }
}

/// A socket that connects to a server in a context of its own, with its monitor and diagnosis.
final class Visitor {
    let socket: Socket
    let monitor: SocketMonitor
    private(set) var diagnosis = HandshakeDiagnosis()
    private(set) var received: [[UInt8]] = []

    init(to endpoint: String, security: SocketSecurity, routingID: RoutingID? = nil) throws {
        var options = SocketOptions.patient
        options.security = security
        options.routingID = routingID
        socket = try Socket(.dealer, in: try Context(), options: options)
        monitor = try SocketMonitor(of: socket)
        try socket.connect(endpoint)
    }

    /// A visitor with a key.
    convenience init(to server: CurveServer, key: CurveKeyPair, routingID: RoutingID? = nil) throws {
        let security = SocketSecurity.curveClient(server: server.key.publicKey, key: key)
        try self.init(to: try server.endpoint, security: security, routingID: routingID)
    }

    func sources(in poller: Poller) {
        _ = poller.add(socket)
        _ = poller.add(monitor)
    }

    func work() throws {
        while let event = try monitor.next() { diagnosis.note(event.kind) }
        while let message = try socket.receive() { received.append(message.bytes) }
    }
}

/// Lets a server and its visitors work until a condition holds.
func work(_ server: CurveServer?, _ visitors: [Visitor], until condition: () throws -> Bool) throws {
    let poller = Poller()
    server?.sources(in: poller)
    for visitor in visitors { visitor.sources(in: poller) }
    let deadline = ContinuousClock.now + patience
    while ContinuousClock.now < deadline {
        try server?.work()
        for visitor in visitors { try visitor.work() }
        if try condition() { return }
        try poller.poll(timeout: .seconds(1))
    }
    throw Overdue()
}
