@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// What every store must do with completion hooks.
@Suite("Completion hooks in every store", .timeLimit(.minutes(60)))
struct StoredHookTests {
    private let command = ["notify", "{}", "done"]

    /// The hooks of the entries' operations, one for each element of an array.
    private func hooks(of job: JobRecord) throws -> [CompletionHook] {
        var index: UInt32 = 0
        var hooks: [CompletionHook] = []
        for entry in job.submission.entries {
            for position in 0..<entry.count {
                hooks.append(try #require(job.hook(of: entry, at: position, index)))
                index += 1
            }
        }
        return hooks
    }

    @Test("The hooks of a finished job are restored unchanged after a restart", arguments: StoreKind.engines)
    func hooksOfJobs(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        var job = JobRecord(1, name: "nightly", [Entry(), Entry()])
        let commands: [JobHooks.Moment: [String]] = [.finish: ["tell", "me"], .success: ["a"], .failure: ["b"]]
        job.submission.settings.hooks = JobHooks(
            commands,
            environment: ["A": "1"],
            directory: "/d",
            timeout: .seconds(9)
        )
        var counts = JobCounts()
        counts.add(1, ended: .succeeded, .succeeded)
        counts.add(1, ended: .failed, .failed(OperationID(1, 1)))
        let hooks = CompletionHook.hooks(
            try #require(job.submission.settings.hooks),
            of: job.number,
            name: "nightly",
            queue: "default",
            counts
        )
        #expect(hooks.map(\.operation.hookMoment) == [.finish, .failure])
        #expect(hooks.map { $0.work.environment["BATON_FAILED"] } == ["1", "1"])
        let end = RecordChange.jobFinished(job.number, counts, .at(9), root: OperationID(1, 1))
        try test.store.commit([.job(job), end] + hooks.map { .hook($0) })
        try test.restart()
        #expect(test.state.hooks == hooks)
        try test.store.commit([.hookDone(hooks[0].operation, .succeeded)])
        try test.restart()
        #expect(test.state.hooks == [hooks[1]])
    }

    @Test(
        "CM9 Hooks are restored unchanged and in their order after a restart, until they have run",
        arguments: StoreKind.engines
    )
    func surviveRestarts(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let picked = ArrayValues.picked([
            ArrayValues.Element(number: 70, item: "seventy"), ArrayValues.Element(number: -3, item: ""),
        ])
        let entries = [
            Entry(name: "single"), Entry(name: "numbers", array: .numbers(first: 10, step: 5, count: 3)),
            Entry(array: .lines(["a", "b"])), Entry(name: "picked", array: picked), Entry(),
        ]
        let job = JobRecord(1, onFinish: command, entries)
        let other = JobRecord(2, onFinish: ["other"], [Entry(), Entry()])
        let all = try hooks(of: job) + hooks(of: other)
        var shuffled = all.enumerated().map { position, hook in
            var hook = hook
            hook.outcome = Outcome.allCases[position % 4]
            hook.attempt = UInt32(position % 4 == 3 ? 0 : position)
            hook.worker = position % 4 == 3 ? nil : "w\(position)"
            return hook
        }
        shuffled.reverse()
        shuffled.swapAt(1, 6)
        shuffled.swapAt(3, 8)
        try test.store.commit([.job(job), .job(other)] + shuffled.map { .hook($0) })
        try test.restart()
        #expect(test.state.hooks == shuffled)
        #expect(test.state.hooks.compactMap(\.arrayNumber).sorted() == [-3, 0, 1, 10, 15, 20, 70])
        #expect(Set(test.state.hooks.compactMap(\.arrayItem)) == ["10", "15", "20", "a", "b", "seventy", ""])
        #expect(test.state.hooks.last?.work.kind == .commands([command]))
        try test.store.commit([
            .hookDone(shuffled[2].operation, .succeeded), .hookDone(OperationID(9, 9), .succeeded), .hook(shuffled[0]),
        ])
        shuffled.remove(at: 2)
        try test.restart()
        #expect(test.state.hooks == shuffled)
        try test.store.commit(shuffled.map { .hookDone($0.operation, .succeeded) })
        try test.restart()
        #expect(test.state.hooks.isEmpty)
    }

    @Test("Hooks that have not run outlive their finished job", arguments: StoreKind.engines)
    func outliveTheirJob(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let array = Entry(name: "many", array: .lines((0..<700).map { "line \($0)" }))
        let job = JobRecord(1, onFinish: command, [array, Entry(name: "last")])
        let all = try hooks(of: job)
        try test.store.commit([.job(job)] + all.map { .hook($0) })
        try test.store.commit([.jobFinished(JobNumber(1), JobCounts(cancelled: 701), .at(9))])
        try test.restart()
        #expect(test.state.jobs.isEmpty)
        #expect(test.state.hooks == all)
        let gone = Set([0, 255, 256, 257, 600, 700])
        try test.store.commit(gone.sorted().map { .hookDone(all[$0].operation, .succeeded) })
        try test.restart()
        #expect(test.state.hooks == all.indices.filter { !gone.contains($0) }.map { all[$0] })
    }

    @Test("The end of a hook is kept as long as its job, and a cancellation is restored", arguments: [false, true])
    func ends(isRestarted: Bool) throws {
        let test = try TestStore()
        let job = JobRecord(1, onFinish: command, [Entry(), Entry(), Entry()])
        var all = try hooks(of: job)
        var end = HookRecord(worker: nil, startedAt: nil, endedAt: .at(5), reason: Reason(.cancelled, "Enough."))
        (end.exitStatus, end.signal, end.standardError) = (nil, 15, "one\ntwo\n")
        try test.store.commit([.job(job)] + all.map { .hook($0) })
        all[1].isCancelled = true
        try test.store.commit([
            .hook(all[1]), .hookDone(all[0].operation, end), .hookDone(all[2].operation, .succeeded),
        ])
        if isRestarted { try test.restart() }
        #expect(try test.store.hook(of: all[0].operation) == .ended(end))
        #expect(try test.store.hook(of: all[1].operation) == .pending)
        #expect(try test.store.hook(of: all[2].operation) == .ended(.succeeded))
        #expect(try test.store.hook(of: OperationID(1, 3)) == nil)
        if isRestarted { #expect(test.state.hooks == [all[1]]) }
        let cancelled = JobCounts(cancelled: 3)
        try test.store.commit([.hookDone(all[1].operation, end), .jobFinished(job.number, cancelled, .at(9))])
        #expect(try test.store.remove([job.number], except: []) == .removed)
        #expect(try test.store.hook(of: all[0].operation) == nil)
        while try test.store.removeFinished(beyond: Retention(age: nil), except: [], at: .at(10)) {}
        #expect(try test.store.database?.number("SELECT count(*) FROM hook_ends") == 0)
    }

    @Test("The record keeps the last lines of what a hook printed as errors")
    func lastLines() {
        let lines = (0..<30).map { "line \($0)\n" }
        let tail = OutputTail(totalLength: 9, bytes: Array(lines.joined().utf8) + [0, 0xFF])
        #expect(HookRecord.lastLines(of: tail) == lines.suffix(9).joined() + "\u{FFFD}")
        #expect(HookRecord.lastLines(of: OutputTail()) == "")
        let long = OutputTail(totalLength: 9, bytes: [UInt8](repeating: 0x61, count: 5000))
        #expect(HookRecord.lastLines(of: long).utf8.count == 2048)
    }

    @Test("Changes to hooks are rolled back with a commit that fails", arguments: StoreKind.engines)
    func areCommittedTogether(_ kind: StoreKind) throws {
        let test = try TestStore(kind)
        let job = JobRecord(1, key: "once", onFinish: command, [Entry(), Entry()])
        let all = try hooks(of: job)
        try test.store.commit([.job(job), .hook(all[0])])
        let again = JobRecord(2, key: "once", [Entry()])
        #expect(throws: StoreError.self) {
            try test.store.commit([.hook(all[1]), .hookDone(all[0].operation, .succeeded), .job(again)])
        }
        try test.restart()
        #expect(test.state.hooks == [all[0]])
    }
}
