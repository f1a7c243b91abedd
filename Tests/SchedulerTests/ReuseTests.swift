@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Operations that take results of an earlier job", .timeLimit(.minutes(60)))
struct ReuseTests {
    @Test("D18 What takes a result ends in the event that brings the job, and what depends on it starts")
    func ends() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 8)
        let entries: [Entry] = [.op(), .op(on: .needs(0)), .array(3), .op(on: .needs(1), .needs(2))]
        let old = cluster.submit(entries[0], entries[1], entries[2], entries[3])
        for index in 0...3 { cluster.finish(old / index) }
        cluster.finish(old / 4, .exited(1))
        let started = cluster.started.count

        var fates = OperationFates()
        fates.append(OperationFate(outcome: .succeeded, hasResult: true), of: 0..<4)
        fates.append(OperationFate(outcome: .failed), of: 4..<5)
        let record = try #require(cluster.record.jobs[old])
        var submission = Submission(templates: [.noOperation], entries: entries)
        submission.settings.reuse = old
        var validated = try ValidatedSubmission(submission)
        #expect(!validated.canBeTakenInTurns)
        try validated.noteReused(from: JobToRetry(job: record, fates: fates))
        let new = JobNumber(old.rawValue + 1)
        _ = cluster.answer { [validated] in .submit(validated, ends: [:], request: $0) }

        for index in 0...3 {
            #expect(cluster.outcome(new / index) == .succeeded)
            #expect(cluster.last(new / index)?.attempt == 0)
            #expect(cluster.last(new / index)?.hasResult == true)
            #expect(cluster.last(new / index)?.reason?.reusedFrom == old / index)
        }
        #expect(cluster.started.dropFirst(started).map(\.operation) == [new / 4])
        cluster.finish(new / 4)
        cluster.finish(new / 5)
        #expect(cluster.record.finished[new]?.succeeded == 6)
        #expect(cluster.record.finished[new]?.outcome == .succeeded)
    }

    @Test("D18 A job all of whose operations take results is finished at once")
    func all() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 1)
        let old = cluster.submit(.op())
        cluster.finish(old / 0)
        var fates = OperationFates()
        fates.append(OperationFate(outcome: .succeeded), of: 0..<1)
        let record = try #require(cluster.record.jobs[old])
        var validated = try ValidatedSubmission(Submission(templates: [.noOperation], entries: [.op()]))
        try validated.noteReused(from: JobToRetry(job: record, fates: fates))
        _ = cluster.answer { [validated] in .submit(validated, ends: [:], request: $0) }
        #expect(cluster.record.finished[JobNumber(old.rawValue + 1)]?.outcome == .succeeded)
        #expect(cluster.started.count == 1)
    }
}
