import Operations
import Testing
import ZeroMQ

@testable import Coordinator

struct WaitRegistryTests {
    private func wait(for job: UInt32, until deadline: Int64) throws -> WaitRegistry.Wait {
        let peer = try #require(RoutingID([1, 2, 3]))
        return WaitRegistry.Wait(
            client: ReplyAddress(peer: peer, number: 1),
            targets: [.job(JobNumber(job))],
            deadline: Timestamp(rawValue: deadline)
        )
    }

    @Test("A wait that was answered leaves no deadline behind: the loop must not spin on a moment that is past")
    func noDeadlineStays() throws {
        var registry = WaitRegistry()
        registry.add(try wait(for: 1, until: 100))
        let due = registry.takeDue(touched: [JobNumber(1)], now: Timestamp(rawValue: 10)) { _ in false }
        #expect(due.count == 1)
        _ = registry.takeDue(touched: [], now: Timestamp(rawValue: 200)) { _ in false }
        #expect(registry.nextDeadline == nil)
    }

    @Test("The next deadline is that of the waits that are left")
    func nextDeadline() throws {
        var registry = WaitRegistry()
        registry.add(try wait(for: 1, until: 100))
        registry.add(try wait(for: 2, until: 300))
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        let due = registry.takeDue(touched: [], now: Timestamp(rawValue: 150)) { _ in true }
        #expect(due.map(\.targets) == [[.job(JobNumber(1))]])
        #expect(registry.nextDeadline == Timestamp(rawValue: 300))
    }

    @Test("Only waits for what was touched are looked at")
    func touched() throws {
        var registry = WaitRegistry()
        registry.add(try wait(for: 1, until: 100))
        #expect(registry.takeDue(touched: [JobNumber(2)], now: Timestamp(rawValue: 10)) { _ in false }.isEmpty)
        #expect(registry.takeDue(touched: [JobNumber(1)], now: Timestamp(rawValue: 10)) { _ in true }.isEmpty)
        #expect(registry.takeDue(touched: [JobNumber(1)], now: Timestamp(rawValue: 10)) { _ in false }.count == 1)
    }
}
