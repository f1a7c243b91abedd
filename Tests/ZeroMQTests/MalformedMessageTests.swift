import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Malformed messages", .timeLimit(.minutes(60)))
struct MalformedMessageTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    @Test("A router takes a message of several frames as one malformed message", arguments: [2, 3, 50])
    func routerTakesMessageSeveral(frameCount: Int) throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        let frames = (0..<frameCount).map { [UInt8($0)] }
        #expect(try dealer.send(frames: frames) == .sent)
        #expect(try dealer.send([42]) == .sent)

        let malformed = try router.awaitRouted()
        #expect(malformed.message.isMalformed == true)
        #expect(malformed.message.frameCount == frameCount)
        #expect(malformed.message.count == 0)
        let next = try router.awaitRouted()
        #expect(next.message.isMalformed == false)
        #expect(next.message.bytes == [42])
        #expect(next.sender == malformed.sender)
    }

    @Test("A dealer takes a message of several frames as one malformed message", arguments: [2, 3, 50])
    func dealerTakesMessageSeveral(frameCount: Int) throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.send([]) == .sent)
        let sender = try router.awaitRouted().sender
        let frames = (0..<frameCount).map { [UInt8($0)] }
        #expect(try router.send(frames: [sender.bytes] + frames) == .sent)
        #expect(try router.send([42], to: sender) == .sent)

        let malformed = try dealer.awaitMessage()
        #expect(malformed.isMalformed == true)
        #expect(malformed.frameCount == frameCount)
        #expect(malformed.bytes == [])
        let next = try dealer.awaitMessage()
        #expect(next.isMalformed == false)
        #expect(next.bytes == [42])
    }

    @Test("A message without frames cannot be sent")
    func messageWithoutFramesCannot() throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        #expect(throws: ZeroMQError.self) { try dealer.send(frames: []) }
    }

    @Test("A message of an address without a body reaches no peer and disturbs none")
    func messageAddressWithoutBody() throws {
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.send([]) == .sent)
        let sender = try router.awaitRouted().sender
        #expect(try router.send(frames: [sender.bytes]) == .sent)
        #expect(try router.send([42], to: sender) == .sent)
        let next = try dealer.awaitMessage()
        #expect(next.bytes == [42])
    }

    @Test("The longest message passes, and one byte more costs its sender the connection")
    func longestMessagePassesOne() throws {
        var options = SocketOptions()
        options.maximumMessageSize = 1_000
        let router = try boundRouter(in: context, options: options)
        let good = try dealer(connectedTo: router)
        #expect(try good.send([1]) == .sent)
        let goodSender = try router.awaitRouted().sender

        let bad = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: bad)
        try bad.connect(try router.lastEndpoint)
        #expect(try bad.send([UInt8](repeating: 2, count: 1_000)) == .sent)
        let longest = try router.awaitRouted()
        #expect(longest.message.count == 1_000)
        #expect(try bad.send([UInt8](repeating: 3, count: 1_001)) == .sent)
        _ = try monitor.awaitEvent { $0 == .disconnected }
        bad.close()

        #expect(try router.send([4], to: goodSender) == .sent)
        let reply = try good.awaitMessage()
        #expect(reply.bytes == [4])
        #expect(try good.send([5]) == .sent)
        let next = try router.awaitRouted()
        #expect(next.message.bytes == [5])
    }
}
