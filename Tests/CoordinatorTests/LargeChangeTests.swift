import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("Turns of large changes", .timeLimit(.minutes(60)))
struct LargeChangeTests {
    private let coordinator: SteppedCoordinator
    private let client: RoutingID
    private let other: RoutingID

    /// Starts with a job of 9 operations, of which a turn changes two.
    init() throws {
        coordinator = try SteppedCoordinator(
            SQLStore(on: MemoryDisk()),
            at: Timestamp(rawValue: 1_000_000),
            configuration: Configuration(operationsPerTurn: 2)
        )
        client = try #require(RoutingID([1]))
        other = try #require(RoutingID([2]))
        coordinator.ask(.submit(.noOperations(Array(repeating: [], count: 9))), 1, from: client)
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
    }

    /// The number of held operations among the changes that the recorder has been given.
    private var heldCount: Int {
        coordinator.batches.joined().count { change in
            if case .operation(let record) = change { record.isHeld } else { false }
        }
    }

    @Test("The next turn of a change waits for the commit of the last one, and others are answered in between")
    func turns() throws {
        coordinator.storesChanges = false
        coordinator.ask(.hold([.job(JobNumber(1))]), 2, from: client)
        coordinator.endTurn()
        // One turn came with the request, and one with the end of the coordinator's turn.
        #expect(heldCount == 4)
        coordinator.ask(.submit(.noOperations([[]])), 1, from: other)
        coordinator.endTurn()
        #expect(heldCount == 4 && coordinator.core.nextDeadline > coordinator.now)
        coordinator.storeChanges()
        #expect(coordinator.core.nextDeadline <= coordinator.now)
        for count in [6, 8, 9] {
            coordinator.endTurn()
            #expect(heldCount == count)
            coordinator.storeChanges()
        }
        let replies = try coordinator.takeReplies()
        #expect(replies.map(\.peer) == [other, client])
        #expect(replies.last?.reply == .changed(ChangeReport(changed: 9)))
        #expect(coordinator.core.violations.isEmpty)
    }
}
