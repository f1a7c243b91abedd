@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("Changes become durable before their follow-ups")
struct CommitQueueTests {
    private static let start = Timestamp(rawValue: 1_000_000)
    private let client: ReplyAddress

    init() throws {
        client = ReplyAddress(peer: try #require(RoutingID([1])), number: 1)
    }

    private static func queue() -> CommitQueue { CommitQueue(RecordClock(ahead: .zero, at: start), at: start) }

    private static let change = RecordChange.jobFinished(JobNumber(1), JobCounts(), start)

    /// A reply that shows its place in the order.
    private func reply(_ number: UInt32) -> FollowUp {
        .reply(.job(JobNumber(number), operations: 1, isNew: true), client)
    }

    /// The places of replies.
    private static func numbers(_ followUps: [FollowUp]) -> [UInt32] {
        followUps.compactMap { followUp in
            guard case .reply(.job(let job, operations: _, isNew: _), _) = followUp else { return nil }
            return job.rawValue
        }
    }

    @Test("A reply without earlier changes does not wait")
    func nothingToCommit() {
        var queue = Self.queue()
        queue.append(reply(1))
        let batch = queue.takeBatch(newestEvent: 0, at: Self.start)
        let atOnce = queue.endGathering(at: Self.start)
        #expect(batch == nil)
        #expect(Self.numbers(atOnce) == [1])
    }

    @Test("A reply waits for the commit of all changes before the reply, and replies stay in order")
    func order() throws {
        var queue = Self.queue()
        for number: UInt32 in 1...3 {
            queue.append(Self.change)
            queue.append(reply(2 * number))
            queue.append(reply(2 * number + 1))
            let taken = queue.takeBatch(newestEvent: UInt64(number) * 10, at: Self.start)
            let batch = try #require(taken)
            #expect(batch.number == UInt64(number))
            #expect(batch.changes.count == 2)
            let atOnce = queue.endGathering(at: Self.start)
            #expect(atOnce.isEmpty)
        }
        // A reply without changes of its own waits for the changes of the earlier requests.
        queue.append(reply(8))
        let late = queue.endGathering(at: Self.start)
        #expect(late.isEmpty)
        let first = queue.confirm(1, at: Self.start + .milliseconds(3))
        #expect(first.newestEvent == 10)
        #expect(Self.numbers(first.followUps.flatMap(\.self)) == [2, 3])
        let rest = queue.confirm(3, at: Self.start + .milliseconds(50))
        #expect(rest.newestEvent == 30)
        #expect(Self.numbers(rest.followUps.flatMap(\.self)) == [4, 5, 6, 7, 8])
        // From each hand-over to its confirmation.
        #expect(queue.times.count == 2 && queue.times.sum == 53_000)
    }

    @Test("A batch ends with the record's clock, once")
    func clock() throws {
        var queue = Self.queue()
        queue.appendClock(at: Self.start)
        let takenClock = queue.takeBatch(newestEvent: 0, at: Self.start)
        let clock = try #require(takenClock)
        #expect(clock.changes.count == 1)
        queue.append(Self.change)
        queue.appendClock(at: Self.start)
        let taken = queue.takeBatch(newestEvent: 0, at: Self.start)
        let batch = try #require(taken)
        #expect(batch.changes.count == 2)
        if case .clock? = batch.changes.last {} else { Issue.record("the batch does not end with the clock") }
    }

    @Test("A change that must not wait is flushed with all others, and the next one is gathered again")
    func urgent() throws {
        var queue = Self.queue()
        queue.append(Self.change)
        let isGathered = !queue.isFlushDue(at: Self.start, isWatched: false)
        queue.append(Self.change)
        queue.hurry()
        let isDue = queue.isFlushDue(at: Self.start, isWatched: false)
        #expect(isGathered && isDue)
        let taken = queue.takeBatch(newestEvent: 0, at: Self.start)
        #expect(try #require(taken).changes.count == 3)
        _ = queue.endGathering(at: Self.start)
        queue.append(Self.change)
        let isNextDue = queue.isFlushDue(at: Self.start, isWatched: false)
        #expect(!isNextDue)
    }

    @Test("A client's reply is flushed at once, and other changes are gathered for a moment")
    func gathering() throws {
        var queue = Self.queue()
        let isIdleFlushed = queue.isFlushDue(at: Self.start, isWatched: false)
        #expect(!isIdleFlushed)
        #expect(queue.flushDeadline == nil)
        queue.append(Self.change)
        let isChangeFlushed = queue.isFlushDue(at: Self.start, isWatched: false)
        #expect(!isChangeFlushed)
        let gathered = queue.flushDeadline
        let isWatchedFlushed = queue.isFlushDue(at: Self.start, isWatched: true)
        #expect(!isWatchedFlushed)
        let watched = queue.flushDeadline
        let late = try #require(gathered)
        let soon = try #require(watched)
        #expect(Self.start < soon && soon < late)
        let isLateFlushed = queue.isFlushDue(at: late, isWatched: false)
        #expect(isLateFlushed)
        queue.append(reply(1))
        let isReplyFlushed = queue.isFlushDue(at: Self.start, isWatched: false)
        #expect(isReplyFlushed)
    }
}
