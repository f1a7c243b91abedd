@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Arrays", .timeLimit(.minutes(60)))
struct ArrayTests {
    @Test("An array stays one node until its elements start, and leaves no node once all have succeeded")
    func oneNode() {
        var cluster = Cluster()
        let job = cluster.submit(.array(1000))
        #expect(cluster.scheduler.graph.nodeCount == 1)
        cluster.join("w1", slots: 3)
        #expect(cluster.scheduler.graph.nodeCount == 4)
        cluster.finish(job / 1)
        #expect(cluster.scheduler.graph.nodeCount == 4)
        #expect(cluster.order == ["1/0", "1/1", "1/2", "1/3"])
        #expect(cluster.started[3].arrayNumber == 3)
        #expect(cluster.started[3].arrayItem == "3")
        cluster.finishAll()
        #expect(cluster.scheduler.graph.nodeCount == 0)
        #expect(cluster.scheduler.counts.succeeded == 1000)
    }

    @Test("The attempt of an array element carries the number and the item of the element")
    func values() {
        var cluster = Cluster()
        cluster.submit(
            Entry(array: .numbers(first: 10, step: 5, count: 2)),
            Entry(array: .lines(["x", "y z"]))
        )
        cluster.join("w1", slots: 9)
        #expect(cluster.started.map(\.arrayNumber) == [10, 15, 0, 1])
        #expect(cluster.started.map(\.arrayItem) == ["10", "15", "x", "y z"])
    }

    @Test(
        "Cancelling one element of a block leaves the others in at most two blocks, which run in order",
        arguments: [true, false],
        [0, 4, 9]
    )
    func cancelOne(isPending: Bool, index: Int) {
        var cluster = Cluster()
        let job = cluster.submit(.array(10, on: .after(1)), .op())
        if !isPending {
            cluster.cancel(.operation(job / 10))
            #expect(cluster.state(job / 0) == .ready)
        }
        #expect(cluster.cancel(.operation(job / index)) == 1)
        #expect(cluster.scheduler.graph.nodeCount == (index == 4 ? 2 : 1) + (isPending ? 1 : 0))
        #expect(cluster.outcome(job / index) == .cancelled)
        cluster.join("w1")
        cluster.finishAll()
        let elements = (0..<10).filter { $0 != index }.map { "1/\($0)" }
        #expect(cluster.order == (isPending ? ["1/10"] : []) + elements)
    }

    @Test("A split pending array with a delay starts all its parts only after its last dependency, with inputs")
    func cutConditions() {
        var cluster = Cluster()
        let first = cluster.submit(.op())
        let job = cluster.submit(
            .op(),
            .array(6, delay: .seconds(5), on: .after(0), .needs(first / 0), .on(.job(first)))
        )
        cluster.cancel(.operation(job / 3))
        cluster.submit(.op(on: .after(job / 5)))
        cluster.join("w1", slots: 20)
        cluster.finish(first / 0, result: [1])
        cluster.pass(.seconds(6))
        #expect(cluster.started.count == 2)
        cluster.finish(job / 0)
        #expect(cluster.started.count == 2 + 5)
        #expect(cluster.started.dropFirst(2).allSatisfy { $0.hasInputs })
    }

    @Test("DE9 A pending array that was split is skipped in all its parts once its needed dependency fails")
    func cutSkips() {
        var cluster = Cluster()
        let job = cluster.submit(.op(), .array(6, on: .needs(0)))
        cluster.submit(.op(on: .after(job / 3)))
        cluster.join("w1")
        cluster.finish(job / 0, .exited(1))
        #expect((1...6).allSatisfy { cluster.outcome(job / $0) == .skipped })
        #expect(cluster.order == ["1/0", "2/0"])
    }

    @Test(
        "DE9 DE25 A failed element of an array skips a needs dependent at once; after and onFailure wait for all elements"
    )
    func wholeArray() {
        var cluster = Cluster()
        let job = cluster.submit(
            .array(3, name: "a"),
            .op(on: .after(0)),
            .op(on: .needs(0)),
            .op(on: .onFailure(0))
        )
        cluster.join("w1", slots: 3)
        cluster.finish(job / 0)
        cluster.finish(job / 1, .exited(1))
        #expect([3, 4, 5].map { cluster.state(job / $0) } == [.pending, .finished, .pending])
        #expect(cluster.last(job / 4)?.reason?.message == "It needs 1/1 (a), which failed.")
        cluster.finish(job / 2)
        #expect([3, 4, 5].map { cluster.state(job / $0) } == [.executing, .finished, .executing])
    }

    @Test(
        "DE9 DE25 The success of an array or a job skips its onFailure dependent and starts its needs dependent",
        arguments: [true, false]
    )
    func wholeArraySucceeds(isArray: Bool) {
        var cluster = Cluster()
        let job: JobNumber
        let dependents: (JobNumber, Int, Int)
        cluster.join("w1", slots: 3)
        if isArray {
            job = cluster.submit(.array(2, name: "a"), .op(on: .onFailure(0)), .op(on: .needs(0)))
            dependents = (job, 2, 3)
        } else {
            job = cluster.submit(.array(2))
            let second = cluster.submit(.op(on: .on(.job(job), .failure)), .op(on: .on(.job(job), .success)))
            dependents = (second, 0, 1)
        }
        cluster.finish(job / 1)
        cluster.finish(job / 0)
        let skipped = cluster.last(dependents.0 / dependents.1)
        #expect(skipped?.outcome == .skipped)
        let subject = isArray ? "1/0 (a)" : "job 1"
        #expect(skipped?.reason?.message == "It runs only on the failure of \(subject), which succeeded.")
        #expect(cluster.state(dependents.0 / dependents.2) == .executing)
    }

    @Test(
        "DE5 DE25 An array of another job counts as a whole: needs skips at its first failure, after waits for its end"
    )
    func arrayOfAnotherJob() {
        var cluster = Cluster()
        let first = cluster.submit(.op("before"), .array(3, name: "a"), .op("other"))
        let address = Address.named(first, "a")
        let job = cluster.submit(
            .op(on: .on(address)),
            .op(on: .on(address, .success)),
            .op(on: .on(address, .failure))
        )
        #expect(cluster.record.jobs[job]?.submission.entries[0].dependencies.first?.target == .existing(address))
        cluster.join("w1", slots: 8)
        #expect((0...2).map { cluster.state(job / $0) } == [.pending, .pending, .pending])
        cluster.restart()
        cluster.join("w1", slots: 8)
        cluster.finish(first / 1)
        cluster.finish(first / 2, .exited(1))
        #expect((0...2).map { cluster.state(job / $0) } == [.pending, .finished, .pending])
        #expect(cluster.last(job / 1)?.reason?.message == "It needs 1/2 (a), which failed.")
        cluster.finish(first / 3)
        #expect((0...2).map { cluster.state(job / $0) } == [.executing, .finished, .executing])
        #expect(cluster.state(first / 0) == .executing, "the rest of the job is not waited for")
        let late = cluster.submit(.op(on: .on(address, .failure)), .op(on: .on(address, .success)))
        #expect([cluster.state(late / 0), cluster.state(late / 1)] == [.executing, .finished])
    }

    @Test("DE16 A dependency on an array of another job takes part in cycles, and can be removed and added again")
    func cycleThroughAnotherJob() {
        var cluster = Cluster()
        let first = cluster.submit(.op("a"), .array(2, name: "many", on: .after(0)))
        let job = cluster.submit(.op("b", on: .on(.named(first, "many"))))
        guard case .refused(let refusal)? = cluster.depend(first / 0, .after(job / 0)) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .cycle)
        #expect(refusal.path == ["1/a", "2/b", "1/many", "1/1", "1/a"])
        #expect(cluster.undepend(job / 0, .named(first, "many"))?.changed == 1)
        #expect(cluster.state(job / 0) == .ready)
        #expect(cluster.depend(job / 0, .on(.named(first, "many"))) == .changed(ChangeReport(changed: 1)))
        #expect(cluster.state(job / 0) == .pending)
    }

    @Test("DE25 A cancelled element of an array is neither a success nor a failure for the dependents of the array")
    func cancelledElement() {
        var cluster = Cluster()
        let job = cluster.submit(.array(3), .op(on: .needs(0)), .op(on: .onFailure(0)), .op(on: .after(0)))
        cluster.cancel(.operation(job / 1))
        #expect(cluster.outcome(job / 3) == .skipped)
        cluster.join("w1")
        cluster.finish(job / 0)
        cluster.finish(job / 2)
        #expect(cluster.outcome(job / 4) == .skipped)
        #expect(cluster.state(job / 5) == .executing)
    }

    @Test("DE5 An operation of another job that depends on a single array element follows the outcome of that element")
    func element() {
        var cluster = Cluster()
        let job = cluster.submit(.array(100))
        let second = cluster.submit(.op(on: .needs(job / 50)), .op(on: .after(job / 50)), .op(on: .needs(job / 0)))
        #expect(cluster.scheduler.graph.nodeCount == 4 + 3)
        cluster.cancel(.operation(job / 50))
        #expect(cluster.outcome(second / 0) == .skipped)
        #expect(cluster.state(second / 1) == .ready)
        cluster.join("w1")
        cluster.finish(job / 0)
        #expect(cluster.state(second / 2) == .ready)
    }

    @Test("PR3 The elements of an array start in the order of their indices, however their block was split")
    func fifo() {
        var cluster = Cluster()
        let job = cluster.submit(.array(20))
        cluster.submit(.op(on: .after(job / 13)), .op(on: .after(job / 4)), .op(on: .after(job / 19)))
        cluster.submit(.array(5))
        cluster.join("w1")
        while cluster.started.count < 7 { if let last = cluster.started.last { cluster.finish(last.operation) } }
        // A lost element goes back to its place.
        cluster.join("w1")
        cluster.finishAll()
        let first = (0..<20).flatMap { $0 == 6 ? ["1/6", "1/6"] : ["1/\($0)"] }
        #expect(cluster.order.filter { $0.hasPrefix("1/") } == first)
        #expect(cluster.order.suffix(5) == ["3/0", "3/1", "3/2", "3/3", "3/4"])
    }

    @Test("PR2 Arrays of several priorities start in the order of their priorities")
    func priorities() {
        var cluster = Cluster()
        cluster.submit(.array(3), .array(2, at: .high), .array(2, at: .low), .op(at: .high))
        cluster.join("w1")
        cluster.finishAll()
        #expect(cluster.order == ["1/3", "1/4", "1/7", "1/0", "1/1", "1/2", "1/5", "1/6"])
    }

    @Test("An array of a million elements takes one node, plus one for each element that executes")
    func million() {
        var scheduler = Scheduler()
        let now = Timestamp(rawValue: 0)
        let submission = Submission(templates: [.noOperation], entries: [.array(1_000_000), .op(on: .after(0))])
        _ = scheduler.submit(submission, at: now)
        #expect(scheduler.graph.nodeCount == 2)
        let effects = scheduler.join("w1", SessionID(rawValue: 1), slots: 4, at: now)
        #expect(effects.count { if case .dispatch = $0 { true } else { false } } == 4)
        let last = OperationSelection.operation(JobNumber(1) / 999_999)
        _ = scheduler.apply(.cancel([last], request: RequestID(rawValue: 2)), at: now)
        #expect(scheduler.graph.nodeCount == 6)
        _ = scheduler.apply(.cancel([.job(JobNumber(1))], request: RequestID(rawValue: 3)), at: now)
        #expect(scheduler.counts.cancelled == 999_997)
        #expect(scheduler.violations().isEmpty)
    }
}
