import BatonOperations
import Testing
import BatonZeroMQ

@testable import BatonCoordinator

struct WaitRegistryTests {
    private func wait(for job: UInt32, until deadline: Int64, by peer: UInt8 = 1) throws -> WaitRegistry.Wait {
        let peer = try #require(RoutingID([peer]))
        return WaitRegistry.Wait(
            client: ReplyAddress(peer: peer, number: 1),
            targets: [.job(JobNumber(job))],
            deadline: Timestamp(rawValue: deadline)
        )
    }

    @Test("A wait that was answered leaves no deadline behind: the loop must not spin on a moment that is past")
    func noDeadlineStays() throws {
        var registry = WaitRegistry()
        #expect(registry.add(try wait(for: 1, until: 100)))
        registry.noteFinished(in: JobNumber(1))
        let due = registry.takeDue(now: Timestamp(rawValue: 10)) { _ in false }
        #expect(due.count == 1)
        _ = registry.takeDue(now: Timestamp(rawValue: 200)) { _ in false }
        #expect(registry.nextDeadline == nil)
    }

    @Test("The next deadline is that of the waits that are left")
    func nextDeadline() throws {
        var registry = WaitRegistry()
        #expect(registry.add(try wait(for: 1, until: 100)))
        #expect(registry.add(try wait(for: 2, until: 300)))
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        let due = registry.takeDue(now: Timestamp(rawValue: 150)) { _ in true }
        #expect(due.map(\.targets) == [[.job(JobNumber(1))]])
        #expect(registry.nextDeadline == Timestamp(rawValue: 300))
    }

    @Test("Only waits for what was touched are looked at")
    func touched() throws {
        var registry = WaitRegistry()
        #expect(registry.add(try wait(for: 1, until: 100)))
        registry.noteFinished(in: JobNumber(2))
        #expect(registry.takeDue(now: Timestamp(rawValue: 10)) { _ in false }.isEmpty)
        registry.noteFinished(in: JobNumber(1))
        #expect(registry.takeDue(now: Timestamp(rawValue: 10)) { _ in true }.isEmpty)
        registry.noteFinished(in: JobNumber(1))
        #expect(registry.takeDue(now: Timestamp(rawValue: 10)) { _ in false }.count == 1)
    }

    @Test(
        "A client has a bounded number of waits open; each that is answered makes room for one, and others have their own"
    )
    func bound() throws {
        var registry = WaitRegistry()
        for number in 1...UInt32(WaitRegistry.mostOfClient) { #expect(registry.add(try wait(for: number, until: 100))) }
        #expect(!registry.add(try wait(for: 5000, until: 50)))
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        #expect(registry.add(try wait(for: 5000, until: 100, by: 2)))
        registry.noteFinished(in: JobNumber(7))
        let answered = registry.takeDue(now: Timestamp(rawValue: 10)) { _ in false }
        #expect(answered.count == 1)
        #expect(registry.add(try wait(for: 5000, until: 100)))
        #expect(!registry.add(try wait(for: 5000, until: 100)))
        let late = registry.takeDue(now: Timestamp(rawValue: 100)) { _ in true }
        #expect(late.count == WaitRegistry.mostOfClient + 1)
        #expect(registry.add(try wait(for: 1, until: 200)))
    }
}
