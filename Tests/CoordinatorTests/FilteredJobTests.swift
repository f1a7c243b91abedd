@_spi(Baton) import BatonDocuments
import BatonMemoryDisk
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestRecords
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator
@_spi(Baton) @testable import BatonStore

/// A record with a count of the operations whose ends were compared with a filter.
private final class ComparingStore: ForwardingStore {
    let base: SQLStore
    private(set) var compared = 0

    init() throws {
        base = try SQLStore(on: MemoryDisk())
    }

    func close() { base.close() }

    func finishedOperations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        meeting filter: ListFilter
    ) throws(StoreError) -> [Range<UInt32>] {
        compared += indices.count
        return try base.finishedOperations(of: job, in: indices, meeting: filter)
    }

    func operations(
        of job: JobNumber,
        in indices: Range<UInt32>,
        named name: NameGlob?,
        inQueue queue: String?
    ) throws(StoreError) -> [Range<UInt32>] {
        compared += indices.count
        return try base.operations(of: job, in: indices, named: name, inQueue: queue)
    }
}

/// A coordinator with a client, each step of which is taken by hand.
private final class Scene {
    static let start = Timestamp(rawValue: 1_700_000_000_000_000)

    let coordinator: SteppedCoordinator
    private let client: RoutingID
    private var number: UInt64 = 0

    init(_ store: any Store) throws {
        client = try #require(RoutingID([1]))
        coordinator = try SteppedCoordinator(store, at: Self.start)
        coordinator.settle()
    }

    @discardableResult
    func ask(_ request: Request) throws -> Reply {
        number += 1
        coordinator.ask(request, number, from: client)
        coordinator.settle(flushes: true)
        return try #require(try coordinator.takeReplies().last).reply
    }

    /// The first page of operations that meet conditions, and where the next page begins.
    func page(limit: UInt32 = 10, _ filter: ListFilter) throws -> (operations: [UInt32], next: UInt32?) {
        let reply = try ask(.document(.job(JobNumber(1), from: 0, limit: limit, filter: filter)))
        guard case .document(let bytes) = reply else { throw Unexpected(answer: "\(reply)") }
        let document = try JSONDecoder().decode(JobDocument.self, from: Data(bytes))
        return (document.operations.map(\.operation.index), document.next)
    }

    /// Lets a worker join, and start the dispatched attempts.
    func join(_ name: String) throws {
        let worker = try #require(RoutingID([2]))
        let session = SessionID(rawValue: 1)
        coordinator.join(name, session, from: worker)
        var started: [AttemptStart] = []
        for (bytes, _) in coordinator.takeMessages() {
            guard case .dispatch(let batch) = try bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) else {
                continue
            }
            started += batch.items.map { AttemptStart($0.assignment.token) }
        }
        coordinator.receive(WorkerMessage.report(session, AttemptReport(started: started)).encoded(), from: worker)
        coordinator.settle(flushes: true)
        _ = coordinator.takeMessages()
    }
}

/// Pages of a job's operations that meet conditions: of a job with 950,004 operations, a page with four took 12.3 s.
@Suite("Filtered operations of a job", .timeLimit(.minutes(60)))
struct FilteredJobTests {
    private func page(_ client: Peer, from: UInt32 = 0, limit: UInt32 = 10, _ filter: ListFilter) throws -> JobDocument
    {
        let reply = try client.ask(.document(.job(JobNumber(1), from: from, limit: limit, filter: filter)))
        guard case .document(let bytes) = reply else { throw Unexpected(answer: "\(reply)") }
        return try JSONDecoder().decode(JobDocument.self, from: Data(bytes))
    }

    @Test("A filtered page of a large job is found at once, by the scheduler's state and by the record")
    func large() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let submission = Submission(
            name: "large",
            templates: [Template(work: Work(.noOperation))],
            entries: [
                Entry(name: "many", array: .numbers(first: 0, step: 1, count: 30_000)),
                Entry(name: "last", dependencies: [Dependency(on: .entry(0), condition: .any)]),
            ]
        )
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        let last = OperationID(job: JobNumber(1), index: 30_000)
        let pending = try page(client, ListFilter(states: [.pending]))
        #expect(pending.operations.map(\.operation) == [last] && pending.next == nil, "\(pending.next ?? 0)")
        let named = try page(client, from: 20_000, ListFilter(name: NameGlob("la*")))
        #expect(named.operations.map(\.operation) == [last] && named.next == nil)

        _ = try client.ask(.cancel([.named(JobNumber(1), "many")], queue: nil))
        for filter in [
            ListFilter(states: [.pending, .ready]), ListFilter(states: [.ready], name: NameGlob("last")),
            ListFilter(name: NameGlob("l?st"), queue: "default"),
        ] {
            let found = try page(client, filter)
            #expect(found.operations.map(\.operation) == [last] && found.next == nil, "\(found.next ?? 0)")
        }
        let cancelled = try page(client, limit: 3, ListFilter(outcomes: [.cancelled]))
        #expect(cancelled.operations.map(\.operation.index) == [0, 1, 2] && cancelled.next == 3)
        let rest = try page(client, from: 29_999, limit: 3, ListFilter(states: [.finished], queue: "default"))
        #expect(rest.operations.map(\.operation.index) == [29_999] && rest.next == nil)
        #expect(try page(client, ListFilter(worker: "w1")).operations.isEmpty)
        #expect(try page(client, ListFilter(states: [.finished], queue: "none")).operations.isEmpty)
        #expect(
            try page(client, ListFilter(outcomes: [.cancelled], since: Timestamp(rawValue: .max))).operations.isEmpty
        )
    }
    // A question looked at 20,000 operations, and made a record of each: a job of 950,000 took 48 questions.
    @Test("One question is for 80,000 unfinished operations, and the record compares finished ones alone")
    func oneQuestion() throws {
        let store = try ComparingStore()
        let scene = try Scene(store)
        let last: UInt32 = 80_000
        var submission = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: (0..<last).map { Entry(name: "op-\($0)") } + [Entry(name: "last")]
        )
        submission.name = "large"
        try scene.ask(.submit(submission))
        for filter in [
            ListFilter(states: [.executing]), ListFilter(outcomes: [.cancelled]), ListFilter(name: NameGlob("x*")),
            ListFilter(name: NameGlob("*x*")), ListFilter(queue: "other"), ListFilter(worker: "w1"),
            ListFilter(since: Scene.start),
        ] {
            let found = try scene.page(filter)
            #expect(found.operations.isEmpty && found.next == nil, "\(filter): \(found)")
        }
        #expect(try scene.page(ListFilter(states: [.ready], name: NameGlob("*st"))) == ([last], nil))
        #expect(try scene.page(limit: 2, ListFilter(queue: "default")) == ([0, 1], 2))
        #expect(store.compared == 0)

        try scene.ask(.cancel([.operations(JobNumber(1), 100..<200)], queue: nil))
        #expect(try scene.page(ListFilter(name: NameGlob("op-1[57]0"))) == ([150, 170], nil))
        #expect(try scene.page(ListFilter(states: [.finished], name: NameGlob("op-*5"))).operations.first == 105)
        #expect(store.compared == 0, "the scheduler knows the names of finished operations of an unfinished job")
        #expect(try scene.page(ListFilter(worker: "w1")) == ([], nil))
        #expect(store.compared == 100)
        #expect(try scene.page(limit: 2, ListFilter(outcomes: [.cancelled], queue: "default")) == ([100, 101], 102))
        #expect(store.compared == 300)

        try scene.join("w1")
        #expect(try scene.page(ListFilter(worker: "w1")).operations.first == 0)
        #expect(try scene.page(ListFilter(states: [.executing], since: Scene.start)) == ([0], nil))
    }

    // The record compared the names of 100,000 operations a question, ten questions for a million, which took 1.2 s.
    @Test("The operations with one name in a finished job are found in one question, without a comparison of others")
    func oneName() throws {
        let store = try ComparingStore()
        let scene = try Scene(store)
        let count: UInt32 = 150_000
        let submission = Submission(
            templates: [Template(work: Work(.noOperation))],
            entries: [
                Entry(name: "first"), Entry(name: "many", array: .numbers(first: 0, step: 1, count: Int(count))),
                Entry(name: "last"),
            ]
        )
        try scene.ask(.submit(submission))
        try scene.ask(.cancel([.job(JobNumber(1))], queue: nil))
        #expect(try scene.page(ListFilter(name: NameGlob("last"))) == ([count + 1], nil))
        #expect(try scene.page(ListFilter(name: NameGlob("other"))) == ([], nil))
        #expect(try scene.page(limit: 2, ListFilter(name: NameGlob("many"))) == ([1, 2], 3))
        #expect(store.compared == 0)
        #expect(try scene.page(ListFilter(outcomes: [.cancelled], name: NameGlob("last"))) == ([count + 1], nil))
        #expect(store.compared == 1)
        #expect(try scene.page(ListFilter(outcomes: [.succeeded], name: NameGlob("many"))) == ([], 100_001))
        #expect(try scene.page(limit: 2, ListFilter(name: NameGlob("l?st"))).next == 100_000)
    }

    // The start was compared by the coordinator's own time, and shown by the host's.
    @Test("Operations that started since a moment are found by the host's clock", arguments: [8 * 3600, -8 * 3600])
    func sinceByHostClock(ahead: Int) throws {
        let scene = try Scene(SQLStore(on: MemoryDisk()))
        let submission = Submission(templates: [Template(work: Work(.noOperation))], entries: [Entry(), Entry()])
        try scene.ask(.submit(submission))
        scene.coordinator.now = Scene.start + .seconds(60)
        try scene.join("w1")
        scene.coordinator.core.hostClockStepped(to: .seconds(ahead), at: scene.coordinator.now)
        scene.coordinator.settle(flushes: true)
        let shown = Scene.start + .seconds(60 + ahead)
        #expect(try scene.page(ListFilter(since: shown + .seconds(-1))) == ([0], nil))
        #expect(try scene.page(ListFilter(since: shown + .seconds(1))) == ([], nil))
    }
}
