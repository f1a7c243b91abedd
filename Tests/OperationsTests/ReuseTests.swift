@_spi(Baton) import BatonOperations
import Testing

@Suite("Results of an earlier job", .timeLimit(.minutes(60)))
struct ReuseTests {
    private let earlier = JobNumber(12)

    /// A submission whose entries run commands of one word each.
    private func job(_ commands: [String], _ entries: [Entry]) -> Submission {
        Submission(templates: commands.map { Template(work: Work(.commands([[$0]]))) }, entries: entries)
    }

    /// For each operation that takes a result, the index of the operation that it takes the result of.
    private func reused(
        by new: Submission,
        from old: Submission,
        succeeded: Range<UInt32>,
        dependencies: [UInt32: [Dependency]] = [:]
    ) throws -> [UInt32: UInt32] {
        var fates = OperationFates()
        fates.append(OperationFate(outcome: .failed), of: 0..<succeeded.lowerBound)
        fates.append(OperationFate(outcome: .succeeded, hasResult: true), of: succeeded)
        let record = JobRecord(number: earlier, submittedAt: Timestamp(rawValue: 5), order: 100, submission: old)
        var validated = try ValidatedSubmission(new)
        try validated.noteReused(from: JobToRetry(job: record, fates: fates, dependencies: dependencies))
        #expect(validated.reused.allSatisfy { $0.source.job == earlier && $0.hasResult })
        return Dictionary(uniqueKeysWithValues: validated.reused.map { ($0.index, $0.source.index) })
    }

    @Test("D18 What lost its files runs, and so does what needs it")
    func files() throws {
        let old = job(
            ["fetch", "sort", "count"],
            [
                Entry(name: "a", template: 0), Entry(name: "b", template: 1, dependencies: needs(0)),
                Entry(name: "c", template: 2, dependencies: needs(1)), Entry(name: "d", template: 1),
            ]
        )
        let record = JobRecord(number: earlier, submittedAt: Timestamp(rawValue: 5), order: 100, submission: old)
        var fates = OperationFates()
        for index in UInt32(0)..<4 {
            var fate = OperationFate(outcome: .succeeded)
            fate.hasFiles = index % 3 != 2
            fates.append(fate, of: index..<index + 1)
        }
        let retry = JobToRetry(job: record, fates: fates)
        let expected: [(lost: Set<UInt32>, reused: [UInt32])] = [
            ([], [0, 1, 2, 3]), ([0], [3]), ([1], [0, 3]), ([2], [0, 1, 3]), ([3, 900], [0, 1, 2]),
        ]
        for (lost, reused) in expected {
            var validated = try ValidatedSubmission(old)
            try validated.noteReused(from: retry, without: lost)
            #expect(validated.reused.map(\.index) == reused)
            #expect(validated.reused.allSatisfy { $0.hasFiles == ($0.index != 2) })
        }
    }

    private func needs(_ entries: Int...) -> [Dependency] {
        entries.map { Dependency(on: .entry($0), condition: .success) }
    }

    @Test("D18 Of a changed graph, what has changed and what depends on it runs, in whatever order the entries are")
    func graph() throws {
        let old = job(
            ["fetch", "sort", "count"],
            [
                Entry(name: "a", template: 0), Entry(name: "b", template: 1, dependencies: needs(0)),
                Entry(name: "c", template: 2, dependencies: needs(1)),
                Entry(name: "d", template: 1, dependencies: needs(0)),
            ]
        )
        #expect(try reused(by: old, from: old, succeeded: 0..<4) == [0: 0, 1: 1, 2: 2, 3: 3])
        let turned = job(
            ["count", "sort", "fetch"],
            [
                Entry(name: "c", template: 0, priority: .high, dependencies: needs(2)),
                Entry(name: "d", template: 1, delay: .seconds(1), dependencies: needs(3)),
                Entry(name: "b", template: 1, dependencies: needs(3)), Entry(name: "a", template: 2),
            ]
        )
        #expect(try reused(by: turned, from: old, succeeded: 0..<4) == [0: 2, 1: 3, 2: 1, 3: 0])
        var changed = old
        changed.templates.append(Template(work: Work(.commands([["sort"]]), environment: ["LANG": "C"])))
        changed.entries[1].template = 3
        #expect(try reused(by: changed, from: old, succeeded: 0..<4) == [0: 0, 3: 3])
        changed = old
        changed.entries[3].dependencies = []
        #expect(try reused(by: changed, from: old, succeeded: 0..<4) == [0: 0, 1: 1, 2: 2])
        changed = old
        changed.entries[0].name = "start"
        #expect(try reused(by: changed, from: old, succeeded: 0..<4).isEmpty)
    }

    @Test("D18 A deadline makes no difference: that of a time of day is another duration in each submission")
    func deadlines() throws {
        let old = job(["fetch", "sort"], [Entry(template: 0), Entry(template: 1, dependencies: needs(0))])
        var new = old
        new.templates[0].deadline = .seconds(60)
        #expect(try reused(by: new, from: old, succeeded: 0..<2) == [0: 0, 1: 1])
        var later = new
        later.templates[0].deadline = .seconds(59)
        #expect(try reused(by: later, from: new, succeeded: 0..<2) == [0: 0, 1: 1])
        later.templates[0].take = ["licence": 1]
        #expect(try reused(by: later, from: new, succeeded: 0..<2).isEmpty)
    }

    @Test("D18 What failed, what was changed after its submission, and what depends on either runs")
    func failures() throws {
        let old = job(
            ["fetch", "sort"],
            [
                Entry(template: 0), Entry(template: 0), Entry(template: 1, dependencies: needs(0)),
                Entry(template: 1, dependencies: needs(1)),
                Entry(template: 1, dependencies: [Dependency(on: .entry(0))]),
            ]
        )
        // The first entry without a name is the same as the first one there.
        #expect(try reused(by: old, from: old, succeeded: 1..<5) == [1: 1, 3: 3])
        #expect(try reused(by: old, from: old, succeeded: 0..<5, dependencies: [1: []]) == [0: 0, 2: 2, 4: 4])
    }

    @Test("D18 What is held, cancelled from the start or a barrier runs, or not, as it would without an earlier job")
    func heldOperations() throws {
        let old = job(["fetch"], [Entry(), Entry(), Entry(), Entry()])
        var new = old
        new.entries[0].isHeld = true
        new.entries[1].isBarrier = true
        new.entries[2].isCancelled = true
        #expect(try reused(by: new, from: old, succeeded: 0..<4) == [3: 3])
    }

    @Test("D18 What reads a file as its standard input runs, and so does what depends on it")
    func standardInput() throws {
        var old = job(
            ["sort", "sort -r", "merge"],
            [
                Entry(name: "file", template: 0), Entry(name: "bytes", template: 1),
                Entry(name: "ofFile", template: 2, dependencies: needs(0)),
                Entry(name: "ofBytes", template: 2, dependencies: needs(1)),
                Entry(name: "array", template: 0, array: .numbers(first: 1, step: 1, count: 2)),
                Entry(
                    name: "ofArray",
                    template: 2,
                    dependencies: [Dependency(on: .elements(4), condition: .success)],
                    array: .numbers(first: 1, step: 1, count: 2)
                ),
                Entry(
                    name: "ofElement",
                    template: 2,
                    dependencies: [Dependency(on: .element(4, 1), condition: .success)]
                ),
            ]
        )
        old.templates[0].work.standardInput = "/data/in"
        old.templates[1].work.input = Array("v1".utf8)
        #expect(try reused(by: old, from: old, succeeded: 0..<9) == [1: 1, 3: 3])
        var changed = old
        changed.templates[1].work.input = Array("v2".utf8)
        #expect(try reused(by: changed, from: old, succeeded: 0..<9).isEmpty)
    }

    @Test("D18 Elements of arrays take the results of those with the same number and item")
    func arrays() throws {
        func pairs(_ first: ArrayValues, _ second: ArrayValues) -> Submission {
            job(
                ["simulate", "reduce", "merge"],
                [
                    Entry(name: "sim", template: 0, array: first),
                    Entry(
                        name: "part",
                        template: 1,
                        dependencies: [Dependency(on: .elements(0), condition: .success)],
                        array: second
                    ),
                    Entry(name: "all", template: 2, dependencies: needs(0)),
                ]
            )
        }
        let old = pairs(.numbers(first: 1, step: 1, count: 3), .numbers(first: 1, step: 1, count: 3))
        #expect(try reused(by: old, from: old, succeeded: 0..<7).count == 7)
        let longer = pairs(.numbers(first: 0, step: 1, count: 5), .numbers(first: 0, step: 1, count: 5))
        #expect(
            try reused(by: longer, from: old, succeeded: 0..<7) == [1: 0, 2: 1, 3: 2, 6: 3, 7: 4, 8: 5]
        )
        // The second array has the elements of the first one at other positions.
        let shifted = pairs(.numbers(first: 1, step: 1, count: 3), .numbers(first: 2, step: 1, count: 3))
        #expect(try reused(by: shifted, from: old, succeeded: 0..<7) == [0: 0, 1: 1, 2: 2, 6: 6])
        // The first element failed.
        #expect(try reused(by: old, from: old, succeeded: 1..<7) == [1: 1, 2: 2, 4: 4, 5: 5])
        let lines = job(["simulate"], [Entry(array: .lines(["a", "b"]))])
        let others = job(["simulate"], [Entry(array: .lines(["a", "c", "b"]))])
        #expect(try reused(by: others, from: lines, succeeded: 0..<2) == [0: 0])
    }

    @Test("D18 A dependency on an operation of another job is the same by its address")
    func otherJobs() throws {
        func after(_ job: UInt32) -> Submission {
            let address = Address.operation(OperationID(job: JobNumber(job), index: 0))
            return self.job(["sort"], [Entry(dependencies: [Dependency(on: .existing(address), condition: .success)])])
        }
        #expect(try reused(by: after(3), from: after(3), succeeded: 0..<1) == [0: 0])
        #expect(try reused(by: after(4), from: after(3), succeeded: 0..<1).isEmpty)
    }

    @Test("The reason for a success without a run has the address of the earlier operation")
    func reason() {
        let source = OperationID(job: earlier, index: 3)
        let reason = Reason.reused(from: source)
        #expect(reason.message == "It took the result of 12/3, and did not run.")
        #expect(reason.reusedFrom == source)
        #expect(Reason(.reused, "It took the result of somebody, and did not run.").reusedFrom == nil)
        #expect(Reason(.exit, reason.message).reusedFrom == nil)
    }

    @Test("The digest of a submission does not depend on the job that it reuses, and an addition cannot reuse one")
    func digest() throws {
        var submission = job(["sort"], [Entry()])
        let plain = submission.digest
        submission.settings.reuse = earlier
        #expect(submission.digest == plain)
        #expect(throws: Refusal.self) { try submission.checkAsAddition() }
        #expect(throws: Refusal.self) { try submission.checkAsScheduled() }
    }
}
