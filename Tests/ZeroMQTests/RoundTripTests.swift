@_spi(Baton) import BatonTestSockets
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Round trips of messages", .timeLimit(.minutes(60)))
struct RoundTripTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    @Test("A message travels to a router and back unchanged", arguments: [0, 1, 33, 34, 65_536, 1 << 20])
    func messageTravelsRouterBack(size: Int) throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }

        #expect(try dealer.send(body) == .sent)
        let request = try router.awaitRouted()
        #expect(request.message.count == size)
        #expect(request.message.bytes == body)
        #expect(request.message.isMalformed == false)

        #expect(try router.send(body.reversed(), to: request.sender) == .sent)
        let reply = try dealer.awaitMessage()
        #expect(reply.bytes == body.reversed())
        #expect(reply.isMalformed == false)
    }

    @Test("A socket receives nothing where nothing was sent")
    func socketReceivesNothingWhere() throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.isSilent())
        #expect(try router.isSilent())
    }

    @Test("The messages of one sender keep their order")
    func messagesOneSenderKeep() throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        for number in 0..<5_000 {
            #expect(try dealer.send([UInt8(number & 0xFF), UInt8(number >> 8)]) == .sent)
        }
        for number in 0..<5_000 {
            let received = try router.awaitRouted()
            #expect(received.message.bytes == [UInt8(number & 0xFF), UInt8(number >> 8)])
        }
    }

    @Test("A router tells its peers apart by their addresses")
    func routerTellsPeersApart() throws {
        let router = try boundRouter(in: context)
        let dealers = try (0..<10).map { _ in try dealer(connectedTo: router) }
        for (number, dealer) in dealers.enumerated() {
            #expect(try dealer.send([UInt8(number)]) == .sent)
        }
        var senders: [UInt8: RoutingID] = [:]
        for _ in dealers {
            let received = try router.awaitRouted()
            #expect(received.sender.count == 5)
            senders[received.message.bytes[0]] = received.sender
        }
        #expect(Set(senders.values).count == dealers.count)
        for (number, sender) in senders {
            #expect(try router.send([number, number], to: sender) == .sent)
        }
        for (number, dealer) in dealers.enumerated() {
            let reply = try dealer.awaitMessage()
            #expect(reply.bytes == [UInt8(number), UInt8(number)])
        }
    }

    @Test("A peer may choose its own address", arguments: [1, 8, 9, 255])
    func peerMayChooseOwn(length: Int) throws {
        let id = try #require(RoutingID((1...length).map { UInt8($0) }))
        var options = SocketOptions()
        options.routingID = id
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router, options: options)
        #expect(try dealer.send([7]) == .sent)
        let received = try router.awaitRouted()
        #expect(received.sender == id)
        #expect(try router.send([8], to: id) == .sent)
        let reply = try dealer.awaitMessage()
        #expect(reply.bytes == [8])
    }

    @Test("A message outlives its socket and may go to another thread")
    func messageOutlivesSocketMay() async throws {
        let message = try {
            let router = try boundRouter(in: context)
            let dealer = try dealer(connectedTo: router)
            #expect(try dealer.send([UInt8](repeating: 9, count: 100_000)) == .sent)
            let sender = try router.awaitRouted().sender
            #expect(try router.send([UInt8](repeating: 5, count: 100_000), to: sender) == .sent)
            return try dealer.awaitMessage()
        }()
        #expect(await sum(of: message) == 500_000)
    }

    @concurrent private func sum(of message: consuming Message) async -> Int {
        message.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
    }

    @Test("A literal IPv6 address needs no option")
    func literalIPv6AddressNeeds() throws {
        let router = try Socket(.router, in: context)
        do {
            try router.bind("tcp://[::1]:*")
        } catch {
            // A host without IPv6.
            #expect(error.reason == .addressNotAvailable)
            return
        }
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.send([1]) == .sent)
        let received = try router.awaitRouted()
        #expect(received.message.bytes == [1])
    }

    @Test("A message that waits for its connection is sent once there is one")
    func messageWaitsConnectionSent() throws {
        // A port without a listener, at an address where no other test takes it.
        let former = try boundRouter(in: try Context(), at: LoopbackAddress.unique())
        let endpoint = try former.lastEndpoint
        former.close()
        former.context.terminate()
        let dealer = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: dealer)
        try dealer.connect(endpoint)
        #expect(try dealer.send([3]) == .sent)
        _ = try monitor.awaitEvent { if case .connectRetried = $0 { true } else { false } }

        let router = try Socket(.router, in: context, options: .patient)
        try router.bindPatiently(endpoint)
        let received = try router.awaitRouted()
        #expect(received.message.bytes == [3])
    }
}
