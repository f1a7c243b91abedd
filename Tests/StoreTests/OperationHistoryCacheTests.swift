import BatonMemoryDisk
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the histories of finished operations in memory.
///
/// The memory and the record have to give the same answers.
@Suite("The histories in memory", .timeLimit(.minutes(60)))
struct OperationHistoryCacheTests {
    /// A store whose cache has histories of small jobs, too.
    private struct Cached {
        let directory: TemporaryDirectory
        var cache: OperationHistoryCache
        var store: SQLStore

        init(mostBytes: Int = 1 << 20) throws {
            directory = try TemporaryDirectory()
            cache = OperationHistoryCache(mostBytes: mostBytes, leastOperations: 10)
            store = try SQLStore(path: directory.file("baton.db"), histories: cache)
            _ = try store.open()
        }

        /// Opens the record again, with an empty cache.
        mutating func restart(mostBytes: Int = 1 << 20) throws {
            store.close()
            cache = OperationHistoryCache(mostBytes: mostBytes, leastOperations: 10)
            store = try SQLStore(path: directory.file("baton.db"), histories: cache)
            _ = try store.open()
        }
    }

    /// A job with an array.
    private func job(_ number: UInt32, _ count: Int) -> RecordChange {
        .job(JobRecord(number, [Entry(array: .numbers(first: 0, step: 1, count: count))]))
    }

    /// The finished operations of a part, one by one.
    private func finished(_ part: HistoryPart?) -> [OperationHistory] {
        guard let part else { return [] }
        return part.operations.filter { $0.state == .finished }.flatMap { history in
            history.range.clamped(to: part.range).map { index in
                var single = history
                (single.first, single.count) = (index, 1)
                return single
            }
        }
    }

    @Test("What is found in memory is what the record has, for any changes, ranges and budgets")
    func random() throws {
        let base = UInt64.random(in: 0...UInt64.max)
        for seed in (0..<8).map({ base &+ $0 }) {
            var random = SplitMix(seed: seed)
            // A chunk, a few, or enough for everything.
            let bytes = CachedJob.chunkBytes * random.pick([0, 1, 3, 100])
            var cached = try Cached(mostBytes: bytes)
            // Its jobs have too few operations for a cache of the usual kind.
            let plain = try SQLStore(on: MemoryDisk())
            _ = try plain.open()
            var counts: [UInt32: Int] = [:]
            var open: [UInt32: Set<UInt32>] = [:]
            func check(_ reader: any RecordReader) throws {
                for (job, count) in counts {
                    let number = JobNumber(job)
                    #expect(try reader.criticalPath(of: number) == plain.criticalPath(of: number), "seed \(seed)")
                    for _ in 0..<3 {
                        let filter = conditions(&random)
                        let bounds = [0, 1].map { _ in UInt32.random(in: 0...UInt32(count), using: &random) }.sorted()
                        #expect(
                            try reader.finishedOperations(of: number, in: bounds[0]..<bounds[1], meeting: filter)
                                == plain.finishedOperations(of: number, in: bounds[0]..<bounds[1], meeting: filter),
                            "seed \(seed), job \(job), \(bounds), \(filter)"
                        )
                        let from = UInt32.random(in: 0..<UInt32(count), using: &random)
                        let limit = Int.random(in: 1...count, using: &random)
                        let expected = finished(try plain.history(of: JobNumber(job), from: from, limit: limit))
                        let found = finished(try reader.history(of: JobNumber(job), from: from, limit: limit))
                        let differing = zip(found, expected).first { $0 != $1 }
                        #expect(
                            differing == nil && found.count == expected.count,
                            "seed \(seed), job \(job), from \(from), limit \(limit)"
                        )
                    }
                }
            }
            for round in 1...UInt32(8) {
                var changes: [RecordChange] = []
                if round <= 4 {
                    counts[round] = .random(in: 5...1_300, using: &random)
                    open[round] = Set(0..<UInt32(counts[round]!))
                    changes.append(job(round, counts[round]!))
                }
                for job in counts.keys.sorted() {
                    for _ in 0..<Int.random(in: 0...200, using: &random) {
                        guard let first = open[job]?.randomElement(using: &random) else { break }
                        var last = first
                        let isBlock = random.chance(5)
                        while isBlock, open[job]?.contains(last + 1) == true, random.chance(99) { last += 1 }
                        changes.append(.operation(record(job, first...last, &random)))
                        if changes.last.map(isEnd) == true { open[job]?.subtract(first...last) }
                    }
                }
                try plain.commit(changes)
                try cached.store.commit(changes)
                if random.chance(20) { try cached.restart(mostBytes: bytes) }
                try check(cached.store)
                try check(try #require(try cached.store.makeReader()))
            }
        }
    }

    private func conditions(_ random: inout SplitMix) -> ListFilter {
        ListFilter(
            states: random.chance(20) ? [.finished] : [],
            outcomes: Outcome.allCases.filter { _ in random.chance(40) },
            worker: random.chance(40) ? random.pick(["w1", "w2", "größe", "w3"]) : nil,
            since: random.maybe { random in random.time() }
        )
    }

    private func isEnd(_ change: RecordChange) -> Bool {
        if case .operation(let record) = change { record.state == .finished } else { false }
    }

    private func record(_ job: UInt32, _ range: ClosedRange<UInt32>, _ random: inout SplitMix) -> OperationRecord {
        let id = OperationID(job, range.lowerBound)
        guard random.chance(70) else {
            return OperationRecord(
                id: id,
                count: UInt32(range.count),
                state: range.count > 1 ? .ready : random.pick([.ready, .executing])
            )
        }
        let outcome = range.count > 1 ? random.pick([.cancelled, .skipped]) : random.pick(Outcome.allCases)
        var record = OperationRecord.finished(job, range.lowerBound, count: UInt32(range.count), outcome)
        record.finishedAt = random.time()
        if outcome == .failed { record.reason = Reason(random.pick([.exit, .signal, .lost]), "It failed.") }
        if outcome == .skipped, random.chance(50) {
            record.reason = Reason(.dependency, "It was skipped.")
            record.skippedFor = random.pick([.failed(OperationID(1, 0)), .cancelled(OperationID(1, 0))])
        }
        guard range.count == 1 else { return record }
        record.attempt = random.pick([0, 1, 1, 1, 70_000, .max])
        record.worker = random.maybe { random in random.pick(["w1", "w2", "größe", ""]) }
        record.exitStatus = random.maybe { random in random.pick([0, 1, -1, .max, .min]) }
        // A signal that does not fit into the compact form is read from the record.
        if outcome != .succeeded {
            record.signal = random.maybe { random in random.pick([9, 15, 0, random.chance(5) ? 40_000 : 1]) }
        }
        record.readyAt = random.maybe { random in random.time() }
        record.startedAt = random.maybe { random in random.time() }
        return record
    }

    @Test("A job that is finished while the record is open is in memory, and after a restart once it was read")
    func known() throws {
        var cached = try Cached()
        let number = JobNumber(1)
        try cached.store.commit([job(1, 1_000)])
        #expect(cached.cache.histories(of: number, in: 0..<1_000) == [])
        try cached.store.commit((0..<1_000).map { .operation(.finished(1, $0)) })
        let whole = try #require(cached.cache.histories(of: number, in: 0..<1_000))
        #expect(whole.count == 1_000 && whole.allSatisfy { $0.outcome == .succeeded && $0.finishedAt == .at(100) })
        let filter = ListFilter(outcomes: [.succeeded], since: .at(100))
        #expect(cached.cache.finished(of: number, in: 7..<900, meeting: filter) == [7..<900])
        #expect(cached.cache.finished(of: number, in: 7..<900, meeting: ListFilter(since: .at(101))) == [])
        try cached.restart()
        #expect(cached.cache.histories(of: number, in: 0..<1_000) == nil)
        #expect(cached.cache.finished(of: number, in: 7..<900, meeting: filter) == nil)
        for start in [UInt32(0), 600] {
            #expect(finished(try cached.store.history(of: number, from: start, limit: 400)).count == 400)
        }
        #expect(cached.cache.histories(of: number, in: 0..<400)?.count == 400)
        #expect(cached.cache.histories(of: number, in: 0..<1_000) == nil)
        // A reader fills the cache of the store.
        _ = try #require(try cached.store.makeReader()).history(of: number, from: 0, limit: 1_000)
        #expect(cached.cache.histories(of: number, in: 0..<1_000) == whole)
    }

    @Test("A job of few operations is not in memory unless more may be added")
    func small() throws {
        let cached = try Cached()
        var open = JobRecord(2, [Entry()])
        open.submission.isOpen = true
        try cached.store.commit([job(1, 9), .job(open)])
        #expect(cached.cache.histories(of: JobNumber(1), in: 0..<9) == nil)
        #expect(cached.cache.histories(of: JobNumber(2), in: 0..<1) == [])
    }

    @Test("A large job pushes out the one that was not used for the longest time, and never takes more than the budget")
    func budget() throws {
        let chunk = UInt32(CachedJob.chunkLength)
        let cached = try Cached(mostBytes: 4 * CachedJob.chunkBytes)
        func isKnown(_ job: UInt32, _ count: UInt32 = 2 * chunk) -> Bool {
            cached.cache.histories(of: JobNumber(job), in: 0..<count) != nil
        }
        for number in [UInt32(1), 2, 3] {
            try cached.store.commit([job(number, Int(2 * chunk))])
            try cached.store.commit((0..<2 * chunk).map { .operation(.finished(number, $0)) })
            #expect(isKnown(1))
        }
        #expect(isKnown(1) && !isKnown(2) && isKnown(3))
        // Of a job that does not fit, the first four chunks are known.
        try cached.store.commit([job(4, Int(5 * chunk))])
        try cached.store.commit((0..<5 * chunk).map { .operation(.finished(4, $0)) })
        #expect(isKnown(4, 4 * chunk) && !isKnown(4, 5 * chunk) && !isKnown(1) && !isKnown(3))
        #expect(finished(try cached.store.history(of: JobNumber(4), from: 0, limit: 9_999)).count == Int(5 * chunk))
    }

    @Test("A removed job is forgotten, and a commit that fails notes nothing")
    func removal() throws {
        let cached = try Cached()
        try cached.store.commit([job(1, 20), .operation(.finished(1, 0, count: 20, .cancelled))])
        let counts = JobCounts(cancelled: 20)
        try cached.store.commit([.jobFinished(JobNumber(1), counts, .at(3))])
        #expect(cached.cache.histories(of: JobNumber(1), in: 0..<20)?.map(\.count) == [20])
        #expect(try cached.store.remove([JobNumber(1)], except: []) == .removed)
        #expect(cached.cache.histories(of: JobNumber(1), in: 0..<20) == nil)
        try cached.store.commit([job(2, 20)])
        // The same job again is refused.
        #expect(throws: StoreError.self) {
            try cached.store.commit([.operation(.finished(2, 3)), job(2, 20)])
        }
        #expect(cached.cache.histories(of: JobNumber(2), in: 0..<20) == [])
    }
}
