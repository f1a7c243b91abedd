import Synchronization
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Messages that are passed on", .timeLimit(.minutes(60)))
struct PassedMessageTests {
    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func note() { value.withLock { $0 += 1 } }

        /// Waits until the count is at least a number, and processes the socket's commands meanwhile.
        func reach(_ number: Int, of socket: Socket) throws {
            let poller = Poller()
            _ = poller.add(socket)
            let deadline = ContinuousClock.now + patience
            while count < number {
                guard ContinuousClock.now < deadline else { throw Overdue() }
                try poller.poll(timeout: .milliseconds(1))
            }
        }
    }

    private let freed = Counter()

    /// Bytes that differ from place to place.
    private func bytes(_ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

    @Test("A message of any length passes through a ROUTER unchanged, and is freed exactly once")
    func passing() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let (sender, receiver) = (try dealer(connectedTo: router), try dealer(connectedTo: router))
        _ = try receiver.send([1])
        let peer = try router.awaitRouted().sender
        let lengths = [0, 1, 33, 34, 1023, 1024, 1025, 8192, 100_000, 1 << 20]
        for length in lengths {
            _ = try sender.send(bytes(length))
            let routed = try router.awaitRouted()
            let passed = PassedMessage(routed.message)
            #expect(passed.count == length && passed.bytes == bytes(length))
            guard case .sent = try router.send(passed, to: peer, onFree: { [freed] in freed.note() }) else {
                throw Overdue()
            }
            #expect(try receiver.awaitMessage().bytes == bytes(length))
        }
        // The last message is freed with the connection, at the latest.
        receiver.close()
        try freed.reach(lengths.count, of: router)
        for socket in [sender, router] { socket.close() }
        context.terminate()
        #expect(freed.count == lengths.count)
    }

    @Test("A message for a peer that is gone is kept, and goes to another peer")
    func unroutable() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let (sender, receiver) = (try dealer(connectedTo: router), try dealer(connectedTo: router))
        _ = try receiver.send([1])
        let peer = try router.awaitRouted().sender
        let nobody = try #require(RoutingID(Array("nobody".utf8)))
        for length in [10, 100_000] {
            _ = try sender.send(bytes(length))
            let routed = try router.awaitRouted()
            let passed = PassedMessage(routed.message)
            guard case .unroutable = try router.send(passed, to: nobody, onFree: { [freed] in freed.note() }) else {
                throw Overdue()
            }
            #expect(freed.count == 0)
            _ = try router.send(passed, to: peer, onFree: {})
            #expect(try receiver.awaitMessage().bytes == bytes(length))
        }
        for socket in [sender, receiver, router] { socket.close() }
        context.terminate()
    }

    @Test("Bytes that were written into their message arrive as they are, and are freed exactly once")
    func filled() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let receiver = try dealer(connectedTo: router)
        _ = try receiver.send([1])
        let peer = try router.awaitRouted().sender
        let nobody = try #require(RoutingID(Array("nobody".utf8)))
        let lengths = [0, 1, 33, 34, 1023, 1024, 100_000, 1 << 20]
        for length in lengths {
            let whole = bytes(length)
            let parts = [whole.prefix(length / 3), whole.dropFirst(length / 3)].map { Array($0) }
            let message = FilledBytes(count: length) { memory in
                var place = 0
                for byte in parts.joined() {
                    memory[place] = byte
                    place += 1
                }
            }
            #expect(message.count == length)
            guard case .unroutable = try router.send(message, to: nobody, onFree: { [freed] in freed.note() }),
                case .sent = try router.send(message, to: peer, onFree: { [freed] in freed.note() })
            else { throw Overdue() }
            #expect(try receiver.awaitMessage().bytes == whole)
        }
        receiver.close()
        try freed.reach(lengths.count, of: router)
        router.close()
        context.terminate()
        #expect(freed.count == lengths.count)
    }

    @Test("The messages of a DEALER arrive in order, and each is freed exactly once")
    func fromDealer() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let sender = try dealer(connectedTo: router)
        let lengths = [0, 5, 40, 70_000, 1 << 20, 3]
        for length in lengths {
            guard case .sent = try sender.send(bytes(length), onFree: { [freed] in freed.note() }) else {
                throw Overdue()
            }
        }
        for length in lengths { #expect(try router.awaitRouted().message.bytes == bytes(length)) }
        router.close()
        sender.close()
        context.terminate()
        #expect(freed.count == lengths.count)
    }
}
