@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests of the totals in the record.
@Suite("Totals in the record", .timeLimit(.minutes(60)))
struct TotalRecordTests {
    /// Totals whose numbers all differ.
    private static func totals(_ number: UInt64, _ queues: [String: Int]) -> ClusterTotals {
        var totals = ClusterTotals()
        totals.attempts.started = number + 1
        totals.attempts.succeeded = number + 2
        totals.attempts.failed = number + 3
        totals.attempts.cancelled = number + 4
        totals.attempts.lost = number + 5
        totals.attempts.givenBack = number + 6
        totals.attempts.stopped = number + 7
        totals.jobs.succeeded = Int(number) + 8
        totals.jobs.failed = Int(number) + 9
        totals.jobs.cancelled = Int(number) + 10
        totals.others = ends(Int(number) + 11)
        totals.queues = queues.mapValues { ends($0) }
        return totals
    }

    private static func ends(_ number: Int) -> EndCounts {
        var ends = EndCounts()
        (ends.succeeded, ends.failed, ends.cancelled, ends.skipped) = (number, number + 1, number + 2, number + 3)
        return ends
    }

    @Test(
        "The last totals are kept over restarts, and those of queues until there are others",
        arguments: StoreKind.engines
    )
    func kept(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        #expect(test.state.totals == ClusterTotals())
        try test.store.commit([.totals(Self.totals(100, ["a": 1, "b c": 2, "ä": 3]))])
        try test.restart()
        #expect(test.state.totals == Self.totals(100, ["a": 1, "b c": 2, "ä": 3]))
        // Several batches may be one commit.
        try test.store.commit([
            .totals(Self.totals(200, ["a": 7])), .totals(Self.totals(300, ["ä": 9])),
            .totals(Self.totals(400, ["a": 8])),
        ])
        try test.restart()
        #expect(test.state.totals == Self.totals(400, ["a": 8, "b c": 2, "ä": 9]))
        try test.store.commit([.totals(Self.totals(500, [:]))])
        try test.restart()
        #expect(test.state.totals == Self.totals(500, ["a": 8, "b c": 2, "ä": 9]))
    }

    @Test("The totals of a deleted queue stay until they are dropped", arguments: StoreKind.engines)
    func deletedQueues(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let queues = ["a", "b", "ä"]
        try test.store.commit(queues.map { .queue($0, QueueRecord()) })
        try test.store.commit([.totals(Self.totals(100, ["a": 1, "b": 2, "ä": 3]))])
        try test.store.commit([.queueDeleted("ä")])
        try test.restart()
        #expect(test.state.totals == Self.totals(100, ["a": 1, "b": 2, "ä": 3]))
        #expect(test.state.queues.keys.sorted() == ["a", "b"])
        // Several batches may be one commit: `b` is dropped and made again, and `c` the other way round.
        var second = Self.totals(200, ["a": 4, "c": 5])
        second.dropped = ["b", "a\u{308}"]
        var third = Self.totals(300, ["b": 6])
        third.dropped = ["c"]
        try test.store.commit([.totals(second), .totals(third)])
        try test.restart()
        #expect(test.state.totals == Self.totals(300, ["a": 4, "b": 6]))
        // In a commit of its own, too.
        var last = Self.totals(400, [:])
        last.dropped = ["a"]
        try test.store.commit([.totals(last)])
        try test.restart()
        #expect(test.state.totals == Self.totals(400, ["b": 6]))
    }

    @Test("Totals near the largest number are kept", arguments: StoreKind.engines)
    func largeTotals(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let totals = Self.totals(1 << 61, ["a": 1 << 61])
        try test.store.commit([.totals(totals)])
        try test.restart()
        #expect(test.state.totals == totals)
    }

    @Test("A commit that fails changes no totals", arguments: StoreKind.engines)
    func rolledBack(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let job = JobRecord(1, [Entry()])
        try test.store.commit([.job(job), .totals(Self.totals(100, ["a": 1]))])
        // The number of the job is taken.
        #expect(throws: StoreError.self) {
            try test.store.commit([.totals(Self.totals(200, ["a": 2, "b": 3])), .job(job)])
        }
        try test.restart()
        #expect(test.state.totals == Self.totals(100, ["a": 1]))
    }

    @Test(
        "Totals that cannot be are damage",
        arguments: [
            "UPDATE totals SET attempts_lost = -1", "UPDATE totals SET jobs_failed = 9223372036854775807",
            "UPDATE totals SET others_failed = -2", "UPDATE queue_totals SET skipped = -5",
            "UPDATE queue_totals SET succeeded = 4611686018427387904",
        ]
    )
    func damage(_ statement: String) throws {
        let test = try TestStore(.file)
        try test.store.commit([.totals(Self.totals(7, ["a": 1]))])
        test.store.close()
        try Database(path: test.path).execute(statement)
        let store = try SQLStore(path: test.path)
        #expect(throws: StoreError.self) { _ = try store.open() }
    }
}
