@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@Suite("Keys of additions", .timeLimit(.minutes(60)))
struct AdditionKeyTests {
    // Seed 88159 of the simulation: a client sent an addition again over a new connection.
    @Test("D13 An addition that is recorded while its repetition is looked up is not refused for its own key")
    func repetition() throws {
        let coordinator = try SteppedCoordinator(
            SQLStore(on: MemoryDisk()),
            at: Timestamp(rawValue: 1_700_000_000_000_000)
        )
        let peers = try [1, 2].map { try #require(RoutingID([$0])) }
        var open = Submission.noOperations([])
        open.isOpen = true
        coordinator.ask(.submit(open), 1, from: peers[0])
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
        var addition = Submission.noOperations([[]])
        addition.key = "again"
        coordinator.asksQuestions = false
        for peer in peers { coordinator.ask(.add(addition, to: JobNumber(1)), 2, from: peer) }
        coordinator.settle(flushes: true)
        coordinator.askQuestion()
        coordinator.settle(flushes: true)
        coordinator.askQuestion()
        coordinator.settle(flushes: true)
        #expect(
            try coordinator.takeReplies().map(\.reply)
                == [true, false].map {
                    .added(JobNumber(1), first: 0, operations: 1, isNew: $0)
                }
        )
    }
}
