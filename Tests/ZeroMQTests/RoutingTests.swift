import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Routing to peers", .timeLimit(.minutes(60)))
struct RoutingTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    @Test("A message to an unknown address is unroutable and does not affect the next message")
    func messageUnknownAddressUnroutable() throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        let stranger = try #require(RoutingID([1, 2, 3]))
        #expect(try router.send([1], to: stranger) == .unroutable)

        #expect(try dealer.send([]) == .sent)
        let sender = try router.awaitRouted().sender
        #expect(try router.send([2], to: stranger) == .unroutable)
        #expect(try router.send(frames: [stranger.bytes, [2], [2]]) == .unroutable)
        #expect(try router.send([3], to: sender) == .sent)
        let reply = try dealer.awaitMessage()
        #expect(reply.bytes == [3])
    }

    @Test("A peer that has gone becomes unroutable")
    func peerHasGoneBecomes() throws {
        let router = try Socket(.router, in: context)
        let monitor = try SocketMonitor(of: router)
        try router.bind("tcp://127.0.0.1:*")
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.send([1]) == .sent)
        let sender = try router.awaitRouted().sender
        dealer.close()
        _ = try monitor.awaitEvent { $0 == .disconnected }
        // The I/O thread reports the event a moment before the router has heard of it.
        let deadline = ContinuousClock.now + patience
        var result = SendResult.sent
        while result == .sent, ContinuousClock.now < deadline {
            result = try router.send([2], to: sender)
        }
        #expect(result == .unroutable)
    }

    @Test("A returning peer takes its address over from its old connection")
    func returningPeerTakesAddress() throws {
        var options = SocketOptions()
        options.routingID = RoutingID("w1".utf8)
        // The old connection must not fight for the address: it stands for one that is half open.
        options.reconnectInterval = .seconds(3_600)
        let router = try boundRouter(in: context)
        let old = try dealer(connectedTo: router, options: options)
        #expect(try old.send([1]) == .sent)
        let first = try router.awaitRouted()

        let new = try dealer(connectedTo: router, options: options)
        #expect(try new.send([2]) == .sent)
        let second = try router.awaitRouted()
        #expect(second.message.bytes == [2])
        #expect(second.sender == first.sender)

        #expect(try router.send([3], to: second.sender) == .sent)
        let reply = try new.awaitMessage()
        #expect(reply.bytes == [3])
        #expect(try old.isSilent())
    }

    @Test("A socket at its high-water mark reports that sending would block")
    func socketHighWaterMark() throws {
        var options = SocketOptions()
        options.sendHighWaterMark = 3
        let dealer = try Socket(.dealer, in: context, options: options)
        #expect(try dealer.send([0]) == .wouldBlock)
        // Without a listener, the messages stay in the queue.
        try dealer.connect("tcp://127.0.0.1:1")
        for number in 0..<3 {
            #expect(try dealer.send([UInt8(number)]) == .sent)
        }
        #expect(try dealer.send([3]) == .wouldBlock)
        #expect(try dealer.send(frames: [[3], [4]]) == .wouldBlock)
    }

    @Test("An address of a peer has 1 to 255 bytes")
    func addressPeerHas1() {
        #expect(RoutingID([]) == nil)
        #expect(RoutingID([UInt8](repeating: 1, count: 256)) == nil)
        #expect(RoutingID([0, 0xAB, 7])?.description == "00ab07")
    }

    @Test("An address of a peer gives back its bytes and equals only itself", arguments: [1, 5, 7, 8, 9, 16, 255])
    func addressPeerGivesBack(length: Int) throws {
        let bytes = (0..<length).map { UInt8($0) }
        let id = try #require(RoutingID(bytes))
        #expect(id.bytes == bytes)
        #expect(id.count == length)
        #expect(id == RoutingID(bytes))
        #expect(id.hashValue == RoutingID(bytes)?.hashValue)
        #expect(id != RoutingID(bytes + [0]))
        #expect(id != RoutingID(bytes.dropLast() + [0xFF]))
    }
}
