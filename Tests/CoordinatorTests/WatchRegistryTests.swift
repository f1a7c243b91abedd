@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The registry of watches")
struct WatchRegistryTests {
    private func watch(
        _ peer: UInt8,
        _ number: UInt64,
        since: UInt64 = 0,
        until deadline: Int64 = 100
    ) throws
        -> WatchRegistry.Watch
    {
        WatchRegistry.Watch(
            client: ReplyAddress(peer: try #require(RoutingID([peer])), number: number),
            since: since,
            limit: 10,
            deadline: Timestamp(rawValue: deadline)
        )
    }

    @Test("A client's newer watch replaces its older watch, and another client's watch stays")
    func oneOfEach() throws {
        var registry = WatchRegistry()
        let first = try watch(1, 1, until: 50)
        let second = try watch(1, 2, until: 200)
        let other = try watch(2, 1)
        #expect(registry.add(first) == nil)
        #expect(registry.add(other) == nil)
        #expect(registry.add(second) == first)
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        #expect(registry.takeDue(now: Timestamp(rawValue: 300)) == [other, second])
        #expect(registry.nextDeadline == nil)
    }

    @Test("A client's next watch waits while a page is read for the client, and its deadline does not wake the loop")
    func oneReading() throws {
        var registry = WatchRegistry()
        registry.noteNewest(5)
        let first = try watch(1, 1)
        let second = try watch(1, 2)
        let other = try watch(2, 1)
        _ = registry.add(first)
        #expect(registry.takeDue(now: Timestamp(rawValue: 0)) == [first])
        #expect(registry.add(second) == nil)
        #expect(registry.nextDeadline == nil)
        #expect(registry.takeDue(now: Timestamp(rawValue: 500)).isEmpty)
        _ = registry.add(other)
        #expect(registry.takeDue(now: Timestamp(rawValue: 0)) == [other])
        registry.pageRead(for: first.client)
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        #expect(registry.takeDue(now: Timestamp(rawValue: 0)) == [second])
    }

    @Test("A watch that ends at its deadline without events leaves its client free to watch again")
    func nothingToRead() throws {
        var registry = WatchRegistry()
        registry.noteNewest(5)
        let first = try watch(1, 1, since: 5)
        _ = registry.add(first)
        #expect(registry.takeDue(now: Timestamp(rawValue: 99)).isEmpty)
        #expect(registry.takeDue(now: Timestamp(rawValue: 100)) == [first])
        let second = try watch(1, 2)
        _ = registry.add(second)
        #expect(registry.takeDue(now: Timestamp(rawValue: 0)) == [second])
    }
}
