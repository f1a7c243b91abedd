@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// The comparison of a job's operations with the conditions of a filter, whose work is bounded.
@Suite("Conditions for the operations of a job", .timeLimit(.minutes(60)))
struct ExaminationTests {
    @Test("An operation is work, a block of elements or a finished array is the same, and what is found ends the work")
    func work() throws {
        var cluster = Cluster()
        let job = cluster.submit(.array(5_000, name: "first"), .array(5_000, name: "second"), .op("last"))
        cluster.cancel(.operations(job, 0..<5_000))
        func examine(_ filter: ListFilter, from index: UInt32 = 0, limit: Int = 3, most: Int = 9) -> ExaminedOperations?
        {
            cluster.scheduler.examine(job, from: index, limit: limit, most: most, filter)
        }
        let none = try #require(examine(ListFilter(states: [.executing])))
        #expect(none.indices == 0..<10_001 && none.unfinished.isEmpty && none.finished.isEmpty)
        let named = try #require(examine(ListFilter(name: NameGlob("l*"))))
        #expect(named.indices == 0..<10_001 && named.unfinished == [10_000..<10_001] && named.finished.isEmpty)
        let some = try #require(examine(ListFilter(states: [.ready]), from: 10))
        #expect(some.indices == 10..<5_009 && some.unfinished == [5_000..<5_009])
        // The record has to compare finished operations one by one.
        let finished = try #require(examine(ListFilter(worker: "w1"), limit: 100))
        #expect(finished.indices == 0..<100 && finished.finished == [0..<100])
        #expect(examine(ListFilter(worker: "w1"), from: 10_001)?.indices == 10_001..<10_001)
        #expect(cluster.scheduler.examine(JobNumber(9), from: 0, limit: 9, most: 9, ListFilter()) == nil)
        for limit in [1, 7, 20_000] {
            for filter in [
                ListFilter(), ListFilter(states: [.ready]), ListFilter(name: NameGlob("*t")),
                ListFilter(queue: "default"),
            ] {
                #expect(cluster.scheduler.examinationFaults(of: job, filter, limit: limit, most: 1_000) == [])
            }
        }
    }

    // A name of other characters than ASCII takes thirty times as long.
    @Test("Names that take long to compare are more work")
    func namesThatTakeLong() throws {
        var cluster = Cluster()
        let (plain, other, long) = (JobNumber(1), JobNumber(2), JobNumber(3))
        for name in ["tile-", "größe-", String(repeating: "a", count: 100)] {
            let entries = (0..<1_000).map { Entry(name: name + "\($0)") }
            _ = cluster.answer(to: Submission(templates: [.noOperation], entries: entries))
        }
        func length(of job: JobNumber, _ pattern: String) throws -> Int {
            let filter = ListFilter(name: NameGlob(pattern))
            return try #require(cluster.scheduler.examine(job, from: 0, limit: 1_000, most: .max, filter)).indices.count
        }
        #expect(try length(of: plain, "x*") == 1_000)
        #expect(try length(of: plain, "*x") > 800)
        #expect(try (50..<400).contains(length(of: other, "*x")))
        #expect(try length(of: other, "x*") == 1_000)
        #expect(try length(of: long, String(repeating: "*a", count: 50) + "*b") < 400)
    }
}
