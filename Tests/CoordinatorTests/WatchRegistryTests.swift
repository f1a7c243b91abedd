@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The registry of watches")
struct WatchRegistryTests {
    private static let start = Timestamp(rawValue: 0)

    private func watch(
        _ peer: UInt16,
        _ number: UInt64,
        since: UInt64 = 0,
        until deadline: Int64 = 100,
        filter: EventFilter? = nil
    ) throws -> WatchRegistry.Watch {
        WatchRegistry.Watch(
            client: ReplyAddress(peer: try routingID(peer), number: number),
            since: since,
            limit: 10,
            deadline: Timestamp(rawValue: deadline),
            filter: filter
        )
    }

    private func routingID(_ peer: UInt16) throws -> RoutingID {
        try #require(RoutingID([UInt8(peer >> 8), UInt8(peer & 255)]))
    }

    private func event(_ number: UInt64, of id: OperationID, count: UInt32 = 1) -> ClusterEvent {
        ClusterEvent(sequence: number, time: Self.start, subject: .operations(id, count: count, .dependencies))
    }

    @Test("A client's newer watch replaces its older watch, and another client's watch stays")
    func oneOfEach() throws {
        var registry = WatchRegistry()
        let first = try watch(1, 1, until: 50)
        let second = try watch(1, 2, until: 200)
        let other = try watch(2, 1)
        #expect(registry.add(first, emitted: 0, now: Self.start) == nil)
        #expect(registry.add(other, emitted: 0, now: Self.start) == nil)
        #expect(registry.add(second, emitted: 0, now: Self.start) == first)
        #expect(try #require(registry.nextDeadline) <= Timestamp(rawValue: 100))
        #expect(registry.takeDue(now: Timestamp(rawValue: 50)).isEmpty)
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        #expect(registry.takeDue(now: Timestamp(rawValue: 300)) == [.over(other), .over(second)])
        #expect(registry.nextDeadline == nil)
    }

    @Test("A client's next watch waits while a page is read for the client, and its deadline does not wake the loop")
    func oneReading() throws {
        var registry = WatchRegistry()
        registry.noteNewest(5)
        let first = try watch(1, 1)
        let second = try watch(1, 2)
        let other = try watch(2, 1)
        _ = registry.add(first, emitted: 5, now: Self.start)
        #expect(registry.takeDue(now: Self.start) == [.read(first)])
        #expect(!registry.isAnybodyAwaiting, "who reads what is on disk waits for no commit")
        #expect(registry.add(second, emitted: 5, now: Self.start) == nil)
        #expect(registry.isReplaced(first))
        #expect(registry.takeDue(now: Timestamp(rawValue: 500)).isEmpty)
        #expect(registry.nextDeadline == nil)
        _ = registry.add(other, emitted: 5, now: Self.start)
        #expect(registry.takeDue(now: Self.start) == [.read(other)])
        registry.pageRead(for: first.client)
        #expect(registry.nextDeadline == Timestamp(rawValue: 100))
        #expect(registry.takeDue(now: Self.start) == [.read(second)])
    }

    @Test("A watch that ends at its deadline without events leaves its client free to watch again")
    func nothingToRead() throws {
        var registry = WatchRegistry()
        registry.noteNewest(5)
        let first = try watch(1, 1, since: 5)
        _ = registry.add(first, emitted: 5, now: Self.start)
        #expect(registry.takeDue(now: Timestamp(rawValue: 99)).isEmpty)
        #expect(registry.takeDue(now: Timestamp(rawValue: 100)) == [.over(first)])
        let second = try watch(1, 2)
        _ = registry.add(second, emitted: 5, now: Self.start)
        #expect(registry.takeDue(now: Self.start) == [.read(second)])
    }

    @Test("OB10 No client gets an event before its commit, and clients that keep up get it without the record")
    func commits() throws {
        var registry = WatchRegistry()
        let first = try watch(1, 1)
        _ = registry.add(first, emitted: 0, now: Self.start)
        #expect(!registry.isAnybodyAwaiting)
        let event = event(1, of: OperationID(job: JobNumber(1), index: 0))
        registry.note(event, in: "q")
        #expect(registry.isAnybodyAwaiting)
        // A client that comes now waits for the commit as well.
        let second = try watch(2, 1)
        _ = registry.add(second, emitted: 1, now: Self.start)
        #expect(registry.takeDue(now: Self.start).isEmpty)
        registry.noteNewest(1)
        let due = registry.takeDue(now: Self.start)
        #expect(due.count == 2)
        for case .page(let watch) in due { #expect(registry.page(for: watch).events == [event]) }
    }

    @Test("Events that were on their way to the disk before the first watch are read from the record")
    func inFlight() throws {
        var registry = WatchRegistry()
        registry.noteNewest(5)
        let first = try watch(1, 1, since: 5)
        _ = registry.add(first, emitted: 7, now: Self.start)
        #expect(registry.takeDue(now: Self.start).isEmpty)
        registry.noteNewest(7)
        #expect(registry.takeDue(now: Self.start) == [.read(first)])
    }

    @Test("A thousand watches of an operation each wait for nothing while ten thousand events of others come and go")
    func uninterested() throws {
        var registry = WatchRegistry()
        for number: UInt16 in 0..<1000 {
            let id = OperationID(job: JobNumber(1), index: UInt32(number))
            let filter = registry.filter(for: EventSelection(operations: [id]), of: try routingID(number))
            let watch = try watch(number, 1, filter: filter)
            _ = registry.add(watch, emitted: 0, now: Self.start)
        }
        for number: UInt64 in 1...10_000 {
            registry.note(event(number, of: OperationID(job: JobNumber(1), index: UInt32(1000 + number))), in: "q")
            #expect(!registry.isAnybodyAwaiting)
            registry.noteNewest(number)
            #expect(registry.takeDue(now: Self.start).isEmpty)
        }
        let mine = event(10_001, of: OperationID(job: JobNumber(1), index: 7))
        registry.note(mine, in: "q")
        registry.noteNewest(10_001)
        let due = registry.takeDue(now: Self.start)
        guard due.count == 1, case .page(let watch) = due[0] else {
            Issue.record("\(due)")
            return
        }
        #expect(watch.client.peer == (try routingID(7)))
        let page = registry.page(for: watch)
        #expect(page.events == [mine] && page.last == 10_001 && page.missed == 0)
        // The others have looked at all events, too.
        let over = registry.takeDue(now: Timestamp(rawValue: 100))
        #expect(over.count == 999)
        for case .over(let watch) in over { #expect(watch.examined == 10_001) }
    }

    @Test("So many events before a commit that the first is no longer in memory are read from the record")
    func flood() throws {
        var registry = WatchRegistry()
        let id = OperationID(job: JobNumber(1), index: 0)
        let filter = registry.filter(for: EventSelection(operations: [id]), of: try routingID(1))
        let first = try watch(1, 1, filter: filter)
        _ = registry.add(first, emitted: 0, now: Self.start)
        registry.note(event(1, of: OperationID(job: JobNumber(2), index: 0)), in: "q")
        registry.note(event(2, of: id), in: "q")
        let last = UInt64(RecentEvents.capacity) + 10
        for number in 3...last { registry.note(event(number, of: OperationID(job: JobNumber(2), index: 0)), in: "q") }
        registry.noteNewest(last)
        guard case .read(let watch)? = registry.takeDue(now: Self.start).first else {
            Issue.record("nothing is read")
            return
        }
        #expect(watch.examined == 1)
    }

    @Test("Selections of clients that have stopped watching are forgotten after a while, and open watches stay")
    func forgetting() throws {
        var registry = WatchRegistry()
        let id = OperationID(job: JobNumber(1), index: 0)
        let later = Timestamp(rawValue: 0) + .seconds(61)
        let filter = registry.filter(for: EventSelection(operations: [id]), of: try routingID(1))
        _ = registry.add(try watch(1, 1, until: .max, filter: filter), emitted: 0, now: Self.start)
        registry.forgetIdle(now: later)
        registry.note(event(1, of: id), in: "q")
        registry.noteNewest(1)
        #expect(registry.takeDue(now: later).count == 1)
        registry.forgetIdle(now: later + .seconds(61))
        // Nobody watches, so that events are not kept.
        registry.note(event(2, of: id), in: "q")
        registry.noteNewest(2)
        let again = try watch(1, 2, since: 1, until: .max)
        _ = registry.add(again, emitted: 2, now: later)
        #expect(registry.takeDue(now: later) == [.read(again)])
    }
}

@Suite("The filter of a watch")
struct EventFilterTests {
    private static let job = JobNumber(3)

    private func event(_ subject: ClusterEvent.Subject, _ number: UInt64 = 100) -> ClusterEvent {
        ClusterEvent(sequence: number, time: Timestamp(rawValue: 0), subject: subject)
    }

    private func change(_ index: UInt32, count: UInt32 = 1, of job: JobNumber = Self.job) -> ClusterEvent {
        event(.operations(OperationID(job: job, index: index), count: count, .dependencies))
    }

    @Test("A selected operation, job or queue selects its own events, and nothing selects events of workers")
    func members() {
        let operation = EventFilter(EventSelection(operations: [OperationID(job: Self.job, index: 4)]))
        let job = EventFilter(EventSelection(jobs: [Self.job]))
        let queue = EventFilter(EventSelection(queues: ["q"]))
        let submitted = event(.jobSubmitted(Self.job, operations: 5))
        let finished = event(.jobFinished(Self.job, JobCounts()))
        let settings = event(.queue("q", QueueSettings()))
        let worker = event(.worker("q", .lost))
        func parts(_ filter: EventFilter, _ events: ClusterEvent...) -> [Int] {
            events.map { filter.parts(of: $0, in: "q").count }
        }
        #expect(parts(operation, change(4), change(5), change(4, of: JobNumber(4))) == [1, 0, 0])
        #expect(parts(operation, submitted, finished, settings, worker) == [0, 0, 0, 0])
        #expect(parts(job, change(4), change(4, of: JobNumber(4)), submitted, finished) == [1, 0, 1, 1])
        #expect(parts(job, settings, worker) == [0, 0])
        #expect(parts(queue, change(4), change(4, of: JobNumber(4)), settings) == [1, 1, 1])
        #expect(parts(queue, submitted, finished, worker) == [0, 0, 0])
        #expect(queue.parts(of: change(4), in: "r").isEmpty && queue.parts(of: change(4), in: nil).isEmpty)
        #expect(EventFilter(EventSelection()).parts(of: change(4), in: "q").isEmpty)
    }

    @Test("Of an event about neighbours, each run of selected ones is a part with its own numbers")
    func runs() {
        let indices: [UInt32] = [9, 12, 10, 15, 19, 20, 12]
        let filter = EventFilter(EventSelection(operations: indices.map { OperationID(job: Self.job, index: $0) }))
        let parts = filter.parts(of: change(10, count: 10), in: nil)
        #expect(
            parts.map(\.subject) == [
                .operations(OperationID(job: Self.job, index: 10), count: 1, .dependencies),
                .operations(OperationID(job: Self.job, index: 12), count: 1, .dependencies),
                .operations(OperationID(job: Self.job, index: 15), count: 1, .dependencies),
                .operations(OperationID(job: Self.job, index: 19), count: 1, .dependencies),
            ]
        )
        #expect(parts.map(\.sequence) == [100, 102, 105, 109])
        let whole = filter.parts(of: change(9, count: 2), in: nil)
        #expect(whole == [change(9, count: 2)])
        #expect(change(10, count: 10).after(103)?.sequence == 104)
        #expect(change(10, count: 10).after(109) == nil)
        #expect(change(10, count: 10).after(99) == change(10, count: 10))
    }
}
