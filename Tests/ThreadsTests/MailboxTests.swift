@_spi(Baton) import BatonThreads
import Synchronization
import Testing

@Suite("Mailboxes", .timeLimit(.minutes(60)))
struct MailboxTests {
    @Test("Elements come out in the order in which they were posted")
    func order() {
        let mailbox = Mailbox<Int, CountingBell>(bell: CountingBell())
        mailbox.post(1)
        mailbox.post(contentsOf: [2, 3])
        mailbox.post(4)
        #expect(mailbox.takeAll() == [1, 2, 3, 4])
        #expect(mailbox.takeAll().isEmpty)
    }

    @Test("Posts before a taking ring once, and nothing posted rings nothing")
    func oneRing() {
        let bell = CountingBell()
        let mailbox = Mailbox<Int, CountingBell>(bell: bell)
        mailbox.post(contentsOf: [])
        #expect(bell.rings == 0)
        for number in 0..<100 { mailbox.post(number) }
        #expect(bell.rings == 1)
        _ = mailbox.takeAll()
        mailbox.post(contentsOf: [1, 2])
        mailbox.ring()
        #expect(bell.rings == 2)
    }

    @Test("An owner that works until the mailbox is empty hears no bell before")
    func silence() {
        let bell = CountingBell()
        let mailbox = Mailbox<Int, CountingBell>(bell: bell)
        mailbox.post(1)
        #expect(bell.rings == 1)
        #expect(mailbox.take(mayThenSleep: true).elements == [1])
        mailbox.post(2)
        #expect(bell.rings == 1)
        #expect(mailbox.take(mayThenSleep: true).elements == [2])
        #expect(mailbox.take(mayThenSleep: false).elements.isEmpty)
        mailbox.post(3)
        #expect(bell.rings == 1)
        #expect(mailbox.take(mayThenSleep: true).elements == [3])
        #expect(mailbox.take(mayThenSleep: true).elements.isEmpty)
        mailbox.ring()
        mailbox.post(4)
        #expect(bell.rings == 2)
    }

    @Test("A closed mailbox gives out what it has, and refuses the rest")
    func closing() {
        let bell = CountingBell()
        let mailbox = Mailbox<Int, CountingBell>(bell: bell)
        #expect(mailbox.post(1))
        #expect(!mailbox.take(mayThenSleep: true).isClosed)
        #expect(mailbox.take(mayThenSleep: true).elements.isEmpty)
        mailbox.close(with: 2)
        #expect(bell.rings == 2)
        #expect(!mailbox.post(3) && !mailbox.post(contentsOf: [4]))
        mailbox.close(with: 5)
        let delivery = mailbox.take(mayThenSleep: true)
        #expect(delivery.elements == [2] && delivery.isClosed)
        #expect(bell.rings == 2)
    }

    @Test("None of many concurrent posts is lost, and each poster's order is kept", arguments: [false, true])
    func concurrentPosts(asPolls: Bool) throws {
        let posters = 8
        let posts = 5_000
        let mailbox = Mailbox<(poster: Int, number: Int), SemaphoreBell>(bell: SemaphoreBell())
        for poster in 0..<posters {
            try SystemThread.detach(named: "test") {
                for number in 0..<posts {
                    if number.isMultiple(of: 3) {
                        mailbox.post(contentsOf: CollectionOfOne((poster: poster, number: number)))
                    } else {
                        mailbox.post((poster, number))
                    }
                }
            }
        }
        var next = [Int](repeating: 0, count: posters)
        var isOrdered = true
        // A lost wake-up shows as a sleep that only the time limit ends.
        while next.contains(where: { $0 < posts }) {
            let taken = asPolls ? mailbox.takeAll() : mailbox.take(mayThenSleep: true).elements
            for (poster, number) in taken {
                isOrdered = isOrdered && next[poster] == number
                next[poster] += 1
            }
            if asPolls || taken.isEmpty, next.contains(where: { $0 < posts }) { mailbox.bell.wait() }
        }
        #expect(isOrdered)
        #expect(next == [Int](repeating: posts, count: posters))
    }
}

/// A bell that counts its rings.
private final class CountingBell: Bell {
    private let count = Atomic(0)

    var rings: Int { count.load(ordering: .sequentiallyConsistent) }

    func ring() { count.add(1, ordering: .sequentiallyConsistent) }
}
