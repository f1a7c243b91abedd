import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Endpoints and socket options", .timeLimit(.minutes(60)))
struct EndpointTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    @Test("localhost is an address to listen at, of which libzmq knows nothing")
    func localhost() throws {
        let socket = try Socket(.router, in: context)
        try socket.bind("tcp://localhost:*")
        #expect(try socket.lastEndpoint.hasPrefix("tcp://127.0.0.1:"))
    }

    @Test("A port that is in use is refused with a sentence, and can be bound once it is free")
    func portUseRefusedSentence() throws {
        let first = try boundRouter(in: context)
        let endpoint = try first.lastEndpoint
        let second = try Socket(.router, in: context)
        let error = try #require(throws: ZeroMQError.self) { try second.bind(endpoint) }
        #expect(error.reason == .addressInUse)
        #expect(
            error.description
                == "Cannot listen at \(endpoint): the address is in use. "
                + "Choose another port, or stop the process that listens there."
        )
        // The port is free again once its socket is closed, and the second socket is still of use.
        first.close()
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                try second.bind(endpoint)
                break
            } catch {
                // The I/O thread closes the listener a moment later.
                guard error.reason == .addressInUse, ContinuousClock.now < deadline else { throw error }
            }
        }
        #expect(try second.lastEndpoint == endpoint)
    }

    @Test("The port that the system has chosen is part of the last endpoint")
    func portSystemHasChosen() throws {
        let router = try Socket(.router, in: context)
        #expect(try router.lastEndpoint == "")
        try router.bind("tcp://127.0.0.1:*")
        let port = try router.lastEndpoint.split(separator: ":").last.flatMap { UInt16($0) }
        #expect(try #require(port) > 0)
        #expect(try router.lastEndpoint.hasPrefix("tcp://127.0.0.1:"))
    }

    @Test(
        "An endpoint that cannot be bound is refused with its reason",
        arguments: [
            ("", ZeroMQError.Reason.invalidEndpoint), ("nonsense", .invalidEndpoint),
            ("tcp://127.0.0.1", .invalidEndpoint),
            ("ftp://127.0.0.1:1", .invalidEndpoint), ("tcp://127.0.0.1:99999", .invalidEndpoint),
            ("tcp://127.0.0.1:-1", .invalidEndpoint), ("tcp://127.0.0.1:port", .invalidEndpoint),
            ("tcp://192.0.2.1:7461", .addressNotAvailable), ("tcp://no-such-interface:7461", .addressNotAvailable),
        ]
    )
    func endpointCannotBoundRefused(
        endpoint: String,
        reason: ZeroMQError.Reason
    ) throws {
        let router = try Socket(.router, in: context)
        let error = try #require(throws: ZeroMQError.self) { try router.bind(endpoint) }
        #expect(error.reason == reason)
        #expect(error.subject == endpoint)
    }

    @Test(
        "An endpoint that cannot be connected to is refused with a sentence",
        arguments: [
            "", "nonsense", "tcp://127.0.0.1", "ftp://127.0.0.1:1", "tcp://127.0.0.1:99999", "tcp://127.0.0.1:0",
            "tcp://127.0.0.1:*", "tcp://127.0.0.1:", "tcp://a b:1",
        ]
    )
    func endpointCannotConnectedRefused(endpoint: String) throws {
        let dealer = try Socket(.dealer, in: context)
        let error = try #require(throws: ZeroMQError.self) { try dealer.connect(endpoint) }
        #expect(error.reason == .invalidEndpoint)
        #expect(error.description.hasPrefix("Cannot connect to \(endpoint): it is not a valid endpoint."))
    }

    @Test("An option that libzmq refuses is named in the error")
    func optionLibzmqRefusesNamed() throws {
        var options = SocketOptions()
        options.sendHighWaterMark = -1
        let error = try #require(throws: ZeroMQError.self) { _ = try Socket(.dealer, in: context, options: options) }
        #expect(error.subject == "ZMQ_SNDHWM")
        let other = try #require(throws: ZeroMQError.self) { _ = try Context(ioThreads: -1) }
        #expect(other.subject == "ZMQ_IO_THREADS")
    }

    @Test("A socket accepts a value for each option, and sends to no peer if routing is not mandatory")
    func socketAcceptsValueEach() throws {
        var options = SocketOptions()
        options.linger = nil
        options.maximumMessageSize = nil
        options.keepAlive = nil
        options.maximumReconnectInterval = nil
        options.connectTimeout = nil
        options.handshakeTimeout = nil
        options.reconnectInterval = .zero
        options.isRouterMandatory = false
        options.isRouterHandover = false
        let router = try Socket(.router, in: context, options: options)
        let stranger = try #require(RoutingID([1]))
        // Not mandatory: what cannot be delivered vanishes.
        #expect(try router.send([1], to: stranger) == .sent)
    }
}
