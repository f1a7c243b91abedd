import Synchronization
import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Sent buffers", .timeLimit(.minutes(60)))
struct SentBufferTests {
    private let freed = Counter()

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

    @Test("Each sent buffer arrives unchanged and is freed exactly once")
    func arrival() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        _ = try dealer.send([1])
        let peer = try router.awaitRouted().sender
        for length in [0, 1, 100, 1 << 20] {
            let bytes = [UInt8](repeating: 7, count: length)
            guard case .sent = try router.send(bytes, to: peer, onFree: { [freed] in freed.note() }) else {
                throw Overdue()
            }
            #expect(try dealer.awaitMessage().bytes == bytes)
        }
        // The last buffer is freed with the connection, at the latest.
        dealer.close()
        try freed.reach(4, of: router)
        router.close()
        context.terminate()
        #expect(freed.count == 4)
    }

    @Test("The buffers of an unread connection are freed at its end, and an unroutable buffer never is")
    func unread() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        var options = SocketOptions()
        options.receiveHighWaterMark = 1
        let silent = try dealer(connectedTo: router, options: options)
        _ = try silent.send([1])
        let peer = try router.awaitRouted().sender
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<100 { _ = try router.send(bytes, to: peer, onFree: { [freed] in freed.note() }) }
        #expect(freed.count < 100)
        silent.close()
        try freed.reach(100, of: router)
        // libzmq hears of the end, and then finds no peer with the address.
        var result = SendResult.sent
        while case .sent = result { result = try router.send([2], to: peer) }
        result = try router.send(bytes, to: peer, onFree: { [freed] in freed.note() })
        guard case .unroutable = result else { throw Overdue() }
        router.close()
        context.terminate()
        #expect(freed.count == 100)
    }

    @Test("Ending an accepted connection disconnects its peer and leaves other connections open")
    func ending() throws {
        let context = try Context()
        let router = try Socket(.router, in: context)
        let watch = try AcceptWatch(of: router)
        try router.bind("tcp://127.0.0.1:*")
        let poller = Poller()
        _ = poller.add(watch)
        func nextArrival() throws -> AcceptWatch.Arrival {
            let deadline = ContinuousClock.now + patience
            while ContinuousClock.now < deadline {
                if let arrival = try watch.next() { return arrival }
                try poller.poll(timeout: .seconds(1))
            }
            throw Overdue()
        }
        let first = try dealer(connectedTo: router)
        guard case .accepted = try nextArrival() else { throw Overdue() }
        let second = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: second)
        try second.connect(try router.lastEndpoint)
        guard case .accepted(let descriptor) = try nextArrival() else { throw Overdue() }
        watch.end(descriptor: descriptor)
        _ = try monitor.awaitEvent { kind in
            switch kind {
            case .disconnected, .handshakeFailed: true
            default: false
            }
        }
        _ = try first.send([1])
        #expect(try router.awaitRouted().message.bytes == [1])
        monitor.close()
        watch.close()
        for socket in [first, second, router] { socket.close() }
        context.terminate()
    }
}
