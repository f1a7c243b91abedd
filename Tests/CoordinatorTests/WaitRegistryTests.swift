@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The registry of waits")
struct WaitRegistryTests {
    private func wait(for job: UInt32, until deadline: Int64, by peer: UInt8 = 1) throws -> WaitRegistry.Wait {
        let peer = try #require(RoutingID([peer]))
        return WaitRegistry.Wait(
            client: ReplyAddress(peer: peer, number: 1),
            targets: [.job(JobNumber(job))],
            deadline: Timestamp(rawValue: deadline)
        )
    }

    @Test("An answered wait leaves no deadline behind in the registry")
    func noDeadlineStays() throws {
        var registry = WaitRegistry()
        #expect(registry.add(try wait(for: 1, until: 100)))
        registry.noteFinished(in: JobNumber(1))
        let due = registry.takeDue(now: Timestamp(rawValue: 10)) { _ in false }
        #expect(due.count == 1)
        _ = registry.takeDue(now: Timestamp(rawValue: 200)) { _ in false }
        #expect(registry.nextDeadline == nil)
    }

    @Test("The registry's next deadline is the earliest deadline of the remaining waits")
    func nextDeadline() throws {
        var registry = WaitRegistry()
        #expect(registry.add(try wait(for: 1, until: 100)))
        #expect(registry.add(try wait(for: 2, until: 300)))
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        let due = registry.takeDue(now: Timestamp(rawValue: 150)) { _ in true }
        #expect(due.map(\.targets) == [[.job(JobNumber(1))]])
        #expect(registry.nextDeadline == Timestamp(rawValue: 300))
    }

    @Test("The registry checks only the waits whose jobs have changed")
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
        "A client has a bounded number of open waits, each answer makes room for one, and other clients have their own"
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
