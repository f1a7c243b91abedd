@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@Suite("Tags of jobs in the record", .timeLimit(.minutes(60)))
struct TagTests {
    /// A job with tags.
    private static func job(_ number: Int, _ tags: [String: String]) -> JobRecord {
        var job = JobRecord(UInt32(number), [Entry()])
        job.submission.settings.tags = tags
        return job
    }

    /// The numbers of the jobs with some tags, page by page.
    private static func numbers(_ tags: [String: String], limit: Int, _ store: any Store) throws -> [UInt32] {
        var numbers: [UInt32] = []
        var before: JobNumber?
        repeat {
            let page = try store.jobs(tagged: tags, before: before, limit: limit)
            #expect(page.jobs.count <= limit)
            numbers += page.jobs.map(\.number.rawValue)
            before = page.next
        } while before != nil
        return numbers
    }

    @Test("Jobs are found by all of several tags, newest first, in pages of any length", arguments: StoreKind.engines)
    func search(_ kind: StoreKind) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let test = try TestStore(kind)
        var tagged: [Int: [String: String]] = [:]
        for number in 1...300 {
            var tags: [String: String] = [:]
            for key in ["a", "b", "c"] where random.chance(60) { tags[key] = random.chance(70) ? "x" : "y" }
            tagged[number] = tags
            try test.store.commit([.job(Self.job(number, tags))])
        }
        for wanted in [
            ["a": "x"], ["a": "x", "b": "y"], ["a": "x", "b": "x", "c": "y"], ["a": "z"], ["a": "x", "d": "x"],
        ] {
            let expected = (1...300).reversed().filter { number in
                wanted.allSatisfy { tagged[number]?[$0.key] == $0.value }
            }
            for limit in [1, 7, 1000] {
                let found = try Self.numbers(wanted, limit: limit, test.store)
                #expect(found == expected.map { UInt32($0) }, "seed \(seed), \(wanted), \(limit)")
            }
        }
        #expect(try test.store.jobs(tagged: [:], before: nil, limit: 10).jobs.isEmpty)
        #expect(try test.store.job(JobNumber(7))?.settings.tags == tagged[7])
    }

    @Test("A deleted job is not found by its tags any more", arguments: StoreKind.engines)
    func removal(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        for number in 1...3 {
            try test.store.commit([
                .job(Self.job(number, ["project": "x"])), .operation(.finished(UInt32(number), 0)),
                .jobFinished(JobNumber(UInt32(number)), JobCounts(succeeded: 1), .at(9)),
            ])
        }
        #expect(try test.store.remove([JobNumber(2)], except: []) == .removed)
        #expect(try Self.numbers(["project": "x"], limit: 10, test.store) == [3, 1])
        while try test.store.removeFinished(beyond: .forever, except: [], at: .at(10)) {}
        #expect(try Self.numbers(["project": "x"], limit: 10, test.store) == [3, 1])
    }

    @Test("A search for tags that never meet ends, and says where to go on", arguments: StoreKind.engines)
    func apart(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        try test.store.commit((1...24_000).map { .job(Self.job($0, [$0.isMultiple(of: 2) ? "a" : "b": "x"])) })
        let first = try test.store.jobs(tagged: ["a": "x", "b": "x"], before: nil, limit: 5)
        #expect(first.jobs.isEmpty && first.steps <= 20_000)
        #expect(try Self.numbers(["a": "x", "b": "x"], limit: 5, test.store).isEmpty)
    }
}
