@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the stream of events in every store (OB10).
@Suite("The history of events", .timeLimit(.minutes(60)))
struct EventHistoryTests {
    /// Events that take some numbers each, from a number on.
    private func events(from first: UInt64, counts: [UInt32]) -> [ClusterEvent] {
        var sequence = first
        return counts.map { count in
            defer { sequence += UInt64(count) }
            return ClusterEvent(
                sequence: sequence,
                time: .at(Int64(sequence)),
                subject: .operations(OperationID(1, UInt32(sequence)), count: count, .cancelled)
            )
        }
    }

    @Test("OB10 The history continues its numbers and its order across restarts")
    func survivesRestarts() throws {
        let test = try TestStore()
        #expect(test.state.nextEvent == 1)
        #expect(try test.store.events(after: 0, limit: 10).isEmpty)
        let first = events(from: 1, counts: [1, 1, 5, 1])
        try test.store.commit(first.map { .event($0) })
        try test.restart()
        #expect(test.state.nextEvent == 9)
        let second = events(from: 9, counts: [2, 1])
        for event in second { try test.store.commit([.event(event)]) }
        try test.restart()
        #expect(test.state.nextEvent == 12)
        #expect(try test.store.events(after: 0, limit: 100) == first + second)
        #expect(try test.store.events(after: 11, limit: 100).isEmpty)
        #expect(try test.store.events(after: .max, limit: 100).isEmpty)
    }

    @Test("OB10 Events of many commits with other changes are read as one complete stream in their order")
    func keepsEventsAmongChanges() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let test = try TestStore()
        try test.store.commit([.job(JobRecord(1, [Entry()]))])
        var kept: [ClusterEvent] = []
        var next: UInt64 = 1
        for _ in 0..<100 {
            var changes: [RecordChange] = []
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let event = random.event(next)
                next += event.count
                kept.append(event)
                changes.append(.event(event))
                if random.chance(50) { changes.append(.operation(.finished(1, 0))) }
            }
            try test.store.commit(changes)
        }
        try test.restart()
        #expect(test.state.nextEvent == next, "seed \(seed)")
        var read: [ClusterEvent] = []
        while case let page = try test.store.events(after: read.last.map(\.last) ?? 0, limit: 7), !page.isEmpty {
            read += page
        }
        #expect(read == kept, "seed \(seed)")
    }

    @Test("A page of events begins with the event that contains the next number, and never splits an event")
    func givesPartialRanges() throws {
        let test = try TestStore()
        let all = events(from: 1, counts: [1, 10, 1, 100, 1])
        try test.store.commit(all[..<3].map { .event($0) })
        try test.store.commit(all[3...].map { .event($0) })
        #expect(try test.store.events(after: 1, limit: 1) == [all[1]])
        #expect(try test.store.events(after: 2, limit: 1) == [all[1]])
        #expect(try test.store.events(after: 10, limit: 1) == [all[1]])
        #expect(try test.store.events(after: 11, limit: 1) == [all[2]])
        #expect(try test.store.events(after: 50, limit: 1) == [all[3]])
        #expect(try test.store.events(after: 111, limit: 1) == [all[3]])
        #expect(try test.store.events(after: 112, limit: 1) == [all[4]])
        #expect(try test.store.events(after: 0, limit: 11) == Array(all[...1]))
        #expect(try test.store.events(after: 0, limit: 12) == Array(all[...2]))
        #expect(try test.store.events(after: 0, limit: 13) == Array(all[...3]))
        #expect(try test.store.events(after: 11, limit: .max) == Array(all[2...]))
        #expect(try test.store.events(after: 0, limit: 0).isEmpty)
        #expect(try test.store.events(after: 0, limit: -5).isEmpty)
    }

    @Test("The history is bounded, keeps the newest events and remembers its last number")
    func isBounded() throws {
        for history in [UInt64(0), 1, 10] {
            let test = try TestStore(eventHistory: history)
            for event in events(from: 1, counts: [UInt32](repeating: 1, count: 100)) {
                try test.store.commit([.event(event)])
            }
            for _ in 0..<2 {
                let kept = try test.store.events(after: 0, limit: 1000)
                #expect(
                    kept.count >= max(history, 1) && kept.count <= max(2 * history, 1),
                    "\(kept.count) of \(history)"
                )
                #expect(kept.map(\.sequence) == Array((1...100).suffix(kept.count)))
                try test.restart()
                #expect(test.state.nextEvent == 101)
            }
            try test.store.commit([.event(events(from: 101, counts: [1])[0])])
            #expect(try test.store.events(after: 100, limit: 10).map(\.sequence) == [101])
        }
    }

    @Test("The bound of the history counts events and not the numbers that they take")
    func countsEventsNotNumbers() throws {
        let test = try TestStore(eventHistory: 10)
        let all = events(from: 1, counts: [1, 1, 100_000_000, 1, 100_000_000, 1])
        for event in all { try test.store.commit([.event(event)]) }
        #expect(try test.store.events(after: 0, limit: .max) == all)
    }

    // MARK: In SQLite

    @Test("The events of a commit share one row, and more than 64 KiB of them take several rows")
    func sharesRows() throws {
        let test = try TestStore()
        let database = try #require(test.store.database)
        for commit in 0..<3 {
            let part = events(from: UInt64(commit) * 1000 + 1, counts: [UInt32](repeating: 1, count: 1000))
            try test.store.commit(part.map { .event($0) })
        }
        #expect(try database.number("SELECT count(*) FROM events") == 3)
        let many = events(from: 3001, counts: [UInt32](repeating: 1, count: 50_000))
        try test.store.commit(many.map { .event($0) })
        let rows = try #require(try database.number("SELECT count(*) FROM events")) - 3
        let size = try #require(try database.number("SELECT sum(length(data)) FROM events WHERE first > 3000"))
        #expect(rows == (size + (64 << 10) - 1) / (64 << 10))
        #expect(try database.number("SELECT max(length(data)) FROM events") ?? .max < 65 << 10)
        #expect(size < 50_000 * 12)
        #expect(try test.store.events(after: 3000, limit: .max) == many)
    }

    @Test("The history removes old rows as new events come, and keeps at least as many events as its limit")
    func dropsRows() throws {
        let test = try TestStore(eventHistory: 100)
        let database = try #require(test.store.database)
        for commit in 0..<50 {
            let part = events(from: UInt64(commit) * 30 + 1, counts: [UInt32](repeating: 1, count: 30))
            try test.store.commit(part.map { .event($0) })
            #expect(try #require(try database.number("SELECT count(*) FROM events")) <= 5)
            let kept = try test.store.events(after: 0, limit: .max)
            #expect(kept.count >= min(100, (commit + 1) * 30))
        }
    }

    @Test("Event numbers that do not ascend or are out of range are refused, and nothing of the commit is kept")
    func refusesDisorder() throws {
        let test = try TestStore()
        try test.store.commit([.event(events(from: 1, counts: [5])[0])])
        let bad: [[ClusterEvent]] = [
            events(from: 6, counts: [0]), events(from: 7, counts: [1]) + events(from: 6, counts: [1]),
            events(from: 6, counts: [1]) + events(from: 6, counts: [1]), events(from: 5, counts: [1]),
            events(from: 3, counts: [7]), [ClusterEvent(sequence: 0, time: .at(1), subject: .worker("w", .alive))],
            [ClusterEvent(sequence: .max, time: .at(1), subject: .worker("w", .alive))],
        ]
        for events in bad {
            let changes = [RecordChange.queue("q", QueueRecord())] + events.map { .event($0) }
            #expect(throws: StoreError.self, "\(events)") { try test.store.commit(changes) }
        }
        try test.restart()
        #expect(test.state.nextEvent == 6 && test.state.queues.isEmpty)
    }

    @Test(
        "A damaged row of events is reported as unreadable, and the other rows stay readable",
        arguments: [
            "data = x''", "data = substr(data, 1, length(data) - 1)", "data = CAST(data || x'01' AS BLOB)",
            "data = CAST(x'0B' || data AS BLOB)", "data = CAST(x'7F' || substr(data, 2) AS BLOB)", "first = 2",
            "first = first - 1", "last = last - 1", "first = -1",
            "first = 9223372036854775807", "data = CAST(data || data AS BLOB)", "data = zeroblob(100000)",
            "data = x'01FFFFFFFFFFFFFFFFFFFF01'", "data = x'0100000000'", "data = x'01000101FFFFFFFF0FFFFFFFFF0F'",
        ]
    )
    func reportsDamage(_ damage: String) throws {
        let test = try TestStore()
        let store = test.store
        try test.store.commit(events(from: 1, counts: [1, 4, 1]).map { .event($0) })
        try test.store.commit(events(from: 7, counts: [1]).map { .event($0) })
        try store.database?.execute("UPDATE events SET \(damage) WHERE last = 6")
        let error = try #require(throws: StoreError.self) { try test.store.events(after: 0, limit: 100) }
        #expect(error.code == .unreadable && error.description.contains("makes no sense"), "\(error)")
        #expect(try test.store.events(after: 6, limit: 100).map(\.sequence) == [7], "the other rows are still there")
    }
}

extension ClusterEvent {
    /// The last of the numbers that it takes.
    fileprivate var last: UInt64 { sequence + count - 1 }
}
