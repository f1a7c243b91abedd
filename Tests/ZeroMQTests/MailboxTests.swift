import Foundation
import Synchronization
import Testing
@_spi(Baton) import BatonThreads

@_spi(Baton) @testable import BatonZeroMQ

@Suite("Wakers and mailboxes", .timeLimit(.minutes(60)))
struct MailboxTests {
    @Test("Many wake-ups before a poll cost one write")
    func manyWakeUpsBefore() throws {
        let waker = try Waker()
        for _ in 0..<1_000 { waker.ring() }
        var writes: UInt64 = 0
        #expect(read(waker.descriptor, &writes, 8) == 8)
        #expect(writes == 1)
    }

    @Test("A waker works again after each poll")
    func wakerWorksAgainAfter() throws {
        let waker = try Waker()
        let poller = Poller()
        let source = poller.add(waker)
        for _ in 0..<100 {
            waker.ring()
            waker.ring()
            #expect(try poller.poll(timeout: patience) == 1)
            #expect(poller.isReadable(source))
            #expect(try poller.poll(timeout: .zero) == 0)
        }
    }

    @Test("Wake-ups that arrive while the poller resets are not lost for ever")
    func wakeUpsArriveWhile() throws {
        let waker = try Waker()
        let isDone = Once()
        for _ in 0..<2 {
            Thread.detachNewThread {
                while !isDone.isSet { waker.ring() }
            }
        }
        defer { isDone.set() }
        let poller = Poller()
        _ = poller.add(waker)
        for _ in 0..<50_000 {
            guard try poller.poll(timeout: patience) == 1 else { throw Overdue() }
        }
    }

    @Test("The descriptor of a waker is not passed on to child processes")
    func descriptorWakerPassedChild() throws {
        let waker = try Waker()
        #expect(fcntl(waker.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("Elements leave a mailbox in the order in which they were posted")
    func elementsLeaveMailboxOrder() throws {
        let mailbox = try PolledMailbox<Int>()
        mailbox.post(1)
        mailbox.post(contentsOf: [2, 3])
        mailbox.post(contentsOf: [])
        mailbox.post(4)
        #expect(mailbox.takeAll() == [1, 2, 3, 4])
        #expect(mailbox.takeAll().isEmpty)
    }

    @Test("A post of no elements wakes no poller")
    func postNoElementsWakes() throws {
        let mailbox = try PolledMailbox<Int>()
        let poller = Poller()
        _ = poller.add(mailbox.bell)
        mailbox.post(contentsOf: [])
        #expect(try poller.poll(timeout: .zero) == 0)
    }

    @Test("Concurrent posts to a mailbox all arrive, those of each thread in order")
    func concurrentPostsMailboxAll() throws {
        let posters = 8
        let posts = 5_000
        let mailbox = try PolledMailbox<(poster: Int, number: Int)>()
        for poster in 0..<posters {
            Thread.detachNewThread {
                for number in 0..<posts {
                    if number.isMultiple(of: 3) {
                        mailbox.post(contentsOf: CollectionOfOne((poster: poster, number: number)))
                    } else {
                        mailbox.post((poster, number))
                    }
                }
            }
        }
        let poller = Poller()
        let source = poller.add(mailbox.bell)
        var next = [Int](repeating: 0, count: posters)
        var isOrdered = true
        // A lost wake-up shows as a poll that finds nothing while something is to come.
        while next.contains(where: { $0 < posts }) {
            guard try poller.poll(timeout: patience) == 1 else { throw Overdue() }
            #expect(poller.isReadable(source))
            for (poster, number) in mailbox.takeAll() {
                isOrdered = isOrdered && next[poster] == number
                next[poster] += 1
            }
        }
        #expect(isOrdered)
        #expect(next == [Int](repeating: posts, count: posters))
    }

    @Test("Two threads that answer each other never miss a wake-up")
    func twoThreadsAnswerEach() throws {
        let there = try PolledMailbox<Int>()
        let back = try PolledMailbox<Int>()
        let rounds = 20_000
        Thread.detachNewThread {
            let poller = Poller()
            _ = poller.add(there.bell)
            var answered = 0
            while answered < rounds, (try? poller.poll(timeout: patience)) == 1 {
                for number in there.takeAll() {
                    back.post(number + 1)
                    answered += 1
                }
            }
        }
        let poller = Poller()
        _ = poller.add(back.bell)
        for round in 0..<rounds {
            there.post(round)
            var answer: [Int] = []
            while answer.isEmpty {
                guard try poller.poll(timeout: patience) == 1 else { throw Overdue() }
                answer = back.takeAll()
            }
            #expect(answer == [round + 1])
        }
    }
}

/// Something that happens at most once, seen by all threads.
private final class Once: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}
