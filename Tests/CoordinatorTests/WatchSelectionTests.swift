@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire

@Suite("OB10 Watches of selected events", .timeLimit(.minutes(60)))
struct WatchSelectionTests {
    /// The events that a watcher has received so far.
    private struct Told {
        var events: [EventDocument] = []
        var missed: UInt64 = 0
        var last: UInt64 = 0
        var pages = 0

        mutating func take(_ reply: Reply) throws {
            guard case .events(let page) = reply else { throw Unexpected(answer: "\(reply)") }
            for line in page.lines.split(separator: UInt8(ascii: "\n")) {
                let event = try JSONDecoder().decode(EventDocument.self, from: Data(line))
                #expect(event.seq > last && event.seq <= page.last)
                last = event.seq
                events.append(event)
            }
            #expect(page.last >= last)
            missed += page.missed
            last = page.last
            pages += 1
        }

        /// Reads all events up to a number.
        mutating func read(
            upTo end: UInt64,
            _ peer: Peer,
            limit: UInt32 = 1000,
            of selection: EventSelection?
        ) throws {
            while last < end { try take(peer.ask(.watch(since: last, limit: limit, atMost: .zero, of: selection))) }
        }
    }

    private func newest(_ peer: Peer) throws -> UInt64 {
        guard case .events(let page) = try peer.ask(.watch(since: nil, limit: 1, atMost: .zero)) else { return 0 }
        return page.last
    }

    /// Submits held operations, one to each queue; the last queue gets all further operations.
    private func submit(_ client: Peer, queues: [String] = ["mine", "theirs"], count: Int = 3) throws -> JobNumber {
        let submission = Submission(
            queueNames: queues,
            templates: [Template(work: Work(.noOperation))],
            entries: (0..<count).map { Entry(queue: min($0, queues.count - 1), isHeld: true) }
        )
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        return job
    }

    @Test("The selected events are those of the whole stream, whatever the pages, from memory and after a restart")
    func sameAsStream() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let watcher = try Peer(harness.server.endpoint)
        // From now on, the latest events are in memory.
        _ = try newest(watcher)
        for _ in 0..<4 {
            let job = try submit(client)
            let second = Address.operation(OperationID(job: job, index: 1))
            _ = try client.ask(.setPriority([second], .high))
            _ = try client.ask(.cancel([.job(job)], queue: nil))
        }
        _ = try client.ask(.setQueue(QueueChange(name: "mine", isSuspended: true)))
        _ = try client.ask(.setQueue(QueueChange(name: "theirs", isSuspended: true)))
        let last = try newest(watcher)
        let operation = OperationID(job: JobNumber(2), index: 1)
        let selections: [(EventSelection, (EventDocument) -> Bool)] = [
            (EventSelection(operations: [operation]), { $0.operation == operation }),
            (EventSelection(jobs: [JobNumber(3)]), { $0.job == JobNumber(3) || $0.operation?.job == JobNumber(3) }),
            (EventSelection(queues: ["mine"]), { $0.queue == "mine" || $0.operation?.index == 0 }),
            (
                EventSelection(operations: [operation], jobs: [JobNumber(1)], queues: ["theirs", "nobody's"]),
                { event in
                    event.job == JobNumber(1) || event.operation?.job == JobNumber(1) || event.queue == "theirs"
                        || event.operation.map { $0.index > 0 } ?? false
                }
            ),
            (EventSelection(jobs: [JobNumber(99)]), { _ in false }),
        ]
        func check(_ peer: Peer) throws {
            var all = Told()
            try all.read(upTo: last, peer, of: nil)
            for (selection, isMeant) in selections {
                for limit: UInt32 in [1, 2, 1000] {
                    var told = Told()
                    try told.read(upTo: last, peer, limit: limit, of: selection)
                    #expect(told.events == all.events.filter(isMeant), "\(selection)")
                    #expect(told.missed == 0)
                    if limit == 1000 { #expect(told.pages == 1) }
                }
            }
        }
        try check(watcher)
        try harness.stop()
        let again = try Harness(directory: harness.directory)
        try check(try Peer(again.server.endpoint))
        try again.stop()
    }

    @Test("A watch goes on while others' events come, is answered with its own, and ends behind the last event seen")
    func quiet() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let watcher = try Peer(harness.server.endpoint)
        let since = try newest(watcher)
        let selection = EventSelection(jobs: [JobNumber(4)])
        let request = Request.watch(since: since, limit: 100, atMost: .seconds(50), of: selection)
        let watch = try watcher.begin(request)
        for _ in 0..<3 { _ = try submit(client) }
        let before = try newest(client)
        _ = try submit(client)
        var told = Told()
        try told.take(watcher.answer(to: watch, repeating: request))
        #expect(told.events.first?.job == JobNumber(4) && told.events.first?.state == "submitted")
        #expect(told.last > before)

        // A deadline ends the wait with the number of the last event looked at.
        _ = try submit(client)
        try told.take(watcher.ask(.watch(since: told.last, limit: 100, atMost: .zero, of: selection)))
        let rest = told.events.count
        try told.take(watcher.ask(.watch(since: told.last, limit: 100, atMost: .zero, of: selection)))
        #expect(told.events.count == rest)
        #expect(try told.last == newest(client))
        try harness.stop()
    }

    @Test("A watcher of everything and watchers of different jobs get their events at the same time")
    func several() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let peers = try (0..<4).map { _ in try Peer(harness.server.endpoint) }
        let requests = peers.indices.map { number in
            let selection = number == 0 ? nil : EventSelection(jobs: [JobNumber(UInt32(number))])
            return Request.watch(since: 0, limit: 1, atMost: .seconds(50), of: selection)
        }
        let watches = try zip(peers, requests).map { peer, request in try peer.begin(request) }
        for _ in 0..<3 { _ = try submit(client) }
        for (number, peer) in peers.enumerated() {
            var told = Told()
            try told.take(peer.answer(to: watches[number], repeating: requests[number]))
            if number > 0 { #expect(told.events.map(\.job) == [JobNumber(UInt32(number))]) }
        }
        try harness.stop()
    }

    @Test("A selection above the limit is refused with a sentence, one at the limit is not")
    func bound() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        var selection = EventSelection(
            operations: (0..<4000).map { OperationID(job: JobNumber(1), index: $0) },
            jobs: (1...5999).map { JobNumber($0) },
            queues: ["q"]
        )
        #expect(
            try client.ask(.watch(since: 0, limit: 1, atMost: .zero, of: selection))
                == .events(EventPage(lines: [], last: 0))
        )
        selection.queues.append("r")
        guard case .refused(let refusal) = try client.ask(.watch(since: 0, limit: 1, atMost: .zero, of: selection))
        else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.code == .invalid)
        #expect(
            refusal.message
                == "A watch of 10001 operations, jobs and queues is too large: at most 10000 are allowed. Select whole jobs or "
                + "queues, or watch all events."
        )
        try harness.stop()
    }

    @Test("A watcher that fell out of the kept history is told so at once, even if nothing of the rest is selected")
    func missed() throws {
        let harness = try Harness { $0.eventHistory = 5 }
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        for _ in 0..<10 { _ = try submit(client) }
        let selection = EventSelection(jobs: [JobNumber(99)])
        guard case .events(let page) = try client.ask(.watch(since: 0, limit: 9, atMost: .seconds(50), of: selection))
        else { throw Unexpected(answer: "no page") }
        #expect(page.lines.isEmpty && page.missed > 0 && page.missed < page.last)
        #expect(try page.last == newest(client))
        try harness.stop()
    }

    @Test(
        "A watcher of a job is told that it missed events if the record has been replaced by a backup without the job"
    )
    func restored() throws {
        let first = try Harness()
        defer { first.remove() }
        let path = first.directory.appending(path: "baton.db").path
        let file = first.directory.appending(path: "backup.db").path
        let client = try Peer(first.server.endpoint)
        _ = try submit(client)
        _ = try RecordBackup(of: path, to: file).write()
        let job = try submit(client)
        let seen = try newest(client)
        try first.stop()
        _ = try RecordRestore(of: file, to: path).perform(at: Timestamp(rawValue: 1))
        let second = try Harness(directory: first.directory)
        let again = try Peer(second.server.endpoint)
        let selection = EventSelection(jobs: [job])
        guard
            case .events(let page) = try again.ask(.watch(since: seen, limit: 9, atMost: .seconds(3000), of: selection))
        else { throw Unexpected(answer: "no page") }
        #expect(page.missed == 1 && page.last > seen)
        try second.stop()
    }

    @Test("Selected elements of an array get their parts of an event about all elements")
    func elements() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        var submission = Submission.noOperations([[]])
        submission.entries[0].array = .numbers(first: 1, step: 1, count: 1_000_000)
        let indices: [UInt32] = [10, 11, 500_000]
        let selection = EventSelection(operations: indices.map { OperationID(job: JobNumber(1), index: $0) })
        let waiting = try Peer(harness.server.endpoint)
        let request = Request.watch(since: 0, limit: 100, atMost: .seconds(50), of: selection)
        let watch = try waiting.begin(request)
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        func check(_ told: Told) {
            #expect(told.events.map(\.operation?.index) == [10, 500_000])
            #expect(told.events.map(\.count) == [2, nil])
            #expect(told.events.last.map { $0.seq - told.events[0].seq } == 499_990)
        }
        var told = Told()
        try told.take(waiting.answer(to: watch, repeating: request))
        check(told)
        for limit: UInt32 in [1, 9] {
            var told = Told()
            try told.read(upTo: newest(client), client, limit: limit, of: selection)
            check(told)
        }
        try harness.stop()
    }
}
