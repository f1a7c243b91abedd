import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonThreads

@_spi(Baton) @testable import BatonZeroMQ

@Suite("Pollers", .timeLimit(.minutes(60)))
struct PollerTests {
    @Test(
        "A poll without events does not end before its timeout",
        arguments: [Duration.zero, .nanoseconds(1), .microseconds(300), .milliseconds(2), .milliseconds(20)]
    )
    func pollWithoutEventsDoes(timeout: Duration) throws {
        let waker = try Waker()
        let poller = Poller()
        let source = poller.add(waker)
        let start = ContinuousClock.now
        #expect(try poller.poll(timeout: timeout) == 0)
        #expect(ContinuousClock.now - start >= timeout)
        #expect(!poller.isReadable(source))
    }

    @Test(
        "The timeout of a poll is rounded up to milliseconds",
        arguments: [
            (Duration.zero, Int32(0)), (.nanoseconds(1), 1), (.microseconds(999), 1), (.milliseconds(1), 1),
            (.milliseconds(1) + .nanoseconds(1), 2), (.seconds(2), 2_000), (.seconds(-1), 0), (.milliseconds(-1), 0),
            (.seconds(Int64.max), Int32.max), (.seconds(2_147_483), Int32.max),
        ]
    )
    func timeoutPollRoundedUp(duration: Duration, milliseconds: Int32) {
        #expect(duration.milliseconds == milliseconds)
    }

    @Test("A poll reports only the sources that are readable")
    func pollReportsOnlySources() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        let waker = try Waker()
        let poller = Poller()
        let ofRouter = poller.add(router)
        let ofDealer = poller.add(dealer)
        let ofWaker = poller.add(waker)

        #expect(try dealer.send([1]) == .sent)
        #expect(try poller.poll(timeout: patience) == 1)
        #expect(poller.isReadable(ofRouter))
        #expect(!poller.isReadable(ofDealer))
        #expect(!poller.isReadable(ofWaker))
        // Level-triggered: it stays readable until it has been read.
        #expect(try poller.poll(timeout: .zero) == 1)

        let sender = try router.awaitRouted().sender
        #expect(try poller.poll(timeout: .zero) == 0)
        #expect(!poller.isReadable(ofRouter))
        #expect(try router.send([2], to: sender) == .sent)
        waker.ring()
        while !poller.isReadable(ofDealer) { try poller.poll(timeout: patience) }
        let reply = try dealer.awaitMessage()
        #expect(reply.bytes == [2])
    }

    @Test("A message is found although another call has taken its signal", arguments: 1...20 as ClosedRange<UInt64>)
    func takenSignals(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let context = try Context()
        let router = try boundRouter(in: context)
        let dealer = try dealer(connectedTo: router)
        let poller = Poller()
        let ofRouter = poller.add(router)
        let ofDealer = poller.add(dealer)
        #expect(try dealer.send([0]) == .sent)
        let sender = try router.awaitRouted().sender
        for _ in 0..<200 {
            var (atRouter, atDealer) = (Int.random(in: 1...3, using: &generator), 0)
            for _ in 0..<atRouter { #expect(try dealer.send([1]) == .sent) }
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    #expect(try router.send([2], to: sender) == .sent)
                    atDealer += 1
                case 1: try poller.poll(timeout: .zero)
                default: sched_yield()
                }
            }
            while atRouter + atDealer > 0 {
                try #require(try poller.poll(timeout: patience) > 0, "seed \(seed)")
                // Perhaps fewer than wait, and perhaps one more.
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    if poller.isReadable(ofRouter), try router.receiveRouted() != nil { atRouter -= 1 }
                    if poller.isReadable(ofDealer), try dealer.receive() != nil { atDealer -= 1 }
                }
            }
            #expect(try poller.poll(timeout: .zero) == 0, "seed \(seed)")
        }
    }

    @Test("A plain descriptor is readable when it has bytes and when its other end is closed")
    func plainDescriptorReadableWhen() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let poller = Poller()
        let source = poller.add(fileDescriptor: ends[0])
        #expect(try poller.poll(timeout: .zero) == 0)
        var byte: UInt8 = 1
        #expect(write(ends[1], &byte, 1) == 1)
        #expect(try poller.poll(timeout: patience) == 1)
        #expect(poller.isReadable(source))
        #expect(read(ends[0], &byte, 1) == 1)
        #expect(try poller.poll(timeout: .zero) == 0)
        close(ends[1])
        #expect(try poller.poll(timeout: patience) == 1)
        #expect(poller.isReadable(source))
        close(ends[0])
    }

    @Test("A removed source stays silent although its place is used again")
    func removedSourceStaysSilent() throws {
        let first = try Waker()
        let second = try Waker()
        let poller = Poller()
        let ofFirst = poller.add(first)
        first.ring()
        poller.remove(ofFirst)
        poller.remove(ofFirst)
        #expect(try poller.poll(timeout: .zero) == 0)

        let ofSecond = poller.add(second)
        second.ring()
        #expect(try poller.poll(timeout: patience) == 1)
        #expect(poller.isReadable(ofSecond))
        #expect(!poller.isReadable(ofFirst))
        poller.remove(ofFirst)
        second.ring()
        #expect(try poller.poll(timeout: patience) == 1)
    }

    @Test("A poll of a socket that was closed but not removed fails with an error")
    func pollSocketWasClosed() throws {
        let context = try Context()
        let router = try boundRouter(in: context)
        let poller = Poller()
        let source = poller.add(router)
        router.close()
        let error = try #require(throws: ZeroMQError.self) { try poller.poll(timeout: .zero) }
        #expect(error.reason == .closed)
        poller.remove(source)
        #expect(try poller.poll(timeout: .zero) == 0)
    }

    @Test("A poller polls a hundred sources")
    func pollerPollsMoreSources() throws {
        let poller = Poller()
        let wakers = try (0..<100).map { _ in try Waker() }
        let sources = wakers.map { poller.add($0) }
        for number in stride(from: 0, to: 100, by: 7) { wakers[number].ring() }
        #expect(try poller.poll(timeout: patience) == 15)
        for (number, source) in sources.enumerated() {
            #expect(poller.isReadable(source) == number.isMultiple(of: 7))
        }
    }
}
