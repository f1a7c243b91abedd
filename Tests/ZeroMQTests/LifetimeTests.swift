import Foundation
import Testing
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

@Suite("Lifetime of sockets and contexts", .timeLimit(.minutes(60)))
struct LifetimeTests {
    @Test("A closed socket answers every call with an error")
    func closedSocketAnswersEvery() throws {
        let context = try Context()
        let socket = try boundRouter(in: context)
        socket.close()
        socket.close()
        let id = try #require(RoutingID([1]))
        for call: () throws -> Void in [
            { _ = try socket.send([1]) }, { _ = try socket.send([1], to: id) }, { _ = try socket.send(frames: [[1]]) },
            { _ = try socket.receive() }, { _ = try socket.receiveRouted() }, { _ = try socket.lastEndpoint },
            { try socket.bind("tcp://127.0.0.1:*") }, { try socket.connect("tcp://127.0.0.1:1") },
            { _ = try SocketMonitor(of: socket) },
        ] {
            let error = try #require(throws: ZeroMQError.self) { try call() }
            #expect(error.reason == .closed)
        }
    }

    @Test("The termination of a context does not wait for messages without a receiver")
    func terminationContextDoesWait() throws {
        let context = try Context()
        let dealer = try Socket(.dealer, in: context)
        try dealer.connect("tcp://127.0.0.1:1")
        #expect(try dealer.send([UInt8](repeating: 1, count: 100_000)) == .sent)
        dealer.close()
        context.terminate()
        context.terminate()
    }

    @Test("The messages of a socket that lingers are sent before its context ends")
    func messagesSocketLingersSent() throws {
        let receiving = try Context()
        let router = try boundRouter(in: receiving)
        let sending = try Context()
        var options = SocketOptions()
        options.linger = nil
        let dealer = try Socket(.dealer, in: sending, options: options)
        try dealer.connect(try router.lastEndpoint)
        for number in 0..<100 {
            #expect(try dealer.send([UInt8(number)]) == .sent)
        }
        dealer.close()
        sending.terminate()
        for number in 0..<100 {
            let received = try router.awaitRouted()
            #expect(received.message.bytes == [UInt8(number)])
        }
    }

    @Test("A terminated context opens no socket")
    func terminatedContextOpensNo() throws {
        let context = try Context()
        context.terminate()
        let error = try #require(throws: ZeroMQError.self) { _ = try Socket(.dealer, in: context) }
        #expect(error.reason == .terminated)
    }

    @Test("A context is released with the last of its sockets and monitors")
    func contextReleasedLastSockets() throws {
        weak var released: Context?
        do {
            let context = try Context()
            released = context
            var router: Socket? = try Socket(.router, in: context)
            let monitor = try SocketMonitor(of: #require(router))
            try router?.bind("tcp://127.0.0.1:*")
            router = nil
            _ = try monitor.awaitEvent { $0 == .monitorStopped }
        }
        #expect(released == nil)
    }

    @Test("The shutdown of a context wakes a polling thread with an error and lets the context end")
    func shutdownContextWakesPolling() throws {
        let context = try Context()
        let events = try PolledMailbox<ZeroMQError?>()
        let isReady = try PolledMailbox<Void>()
        Thread.detachNewThread {
            do throws(ZeroMQError) {
                let router = try Socket(.router, in: context)
                let poller = Poller()
                _ = poller.add(router)
                isReady.post(())
                while true { try poller.poll() }
            } catch {
                events.post(error)
            }
        }
        #expect(try isReady.awaitElements(1).count == 1)
        context.shutDown()
        let errors = try events.awaitElements(1)
        #expect(errors.first??.reason == .terminated)
        context.terminate()
    }
}

extension Mailbox where Alarm == Waker {
    /// Takes elements until there are as many as wanted.
    func awaitElements(_ count: Int) throws -> [Element] {
        let poller = Poller()
        _ = poller.add(bell)
        var elements: [Element] = []
        let deadline = ContinuousClock.now + patience
        while elements.count < count {
            guard ContinuousClock.now < deadline else { throw Overdue() }
            try poller.poll(timeout: .seconds(1))
            elements += takeAll()
        }
        return elements
    }
}
