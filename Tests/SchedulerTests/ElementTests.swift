@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Arrays that depend on each other element by element", .timeLimit(.minutes(60)))
struct ElementTests {
    @Test("EL1 An element starts once the element at the same position has succeeded, in any order of their ends")
    func pairs() {
        var cluster = Cluster()
        let job = cluster.submit(.array(4, name: "sim"), .array(4, at: .high, on: .needsElements(0)))
        cluster.join("w1", slots: 3)
        #expect(cluster.order == ["1/0", "1/1", "1/2"])
        cluster.finish(job / 2, result: [1])
        #expect(cluster.order.last == "1/6")
        #expect(cluster.started.last?.hasInputs == true)
        cluster.finish(job / 0)
        #expect(cluster.order.last == "1/4")
        #expect(cluster.started.last?.hasInputs == false)
        #expect([5, 7].map { cluster.state(job / $0) } == [.pending, .pending])
        cluster.finishAll()
        #expect(cluster.scheduler.graph.nodeCount == 0)
        #expect(cluster.record.finished[job]?.outcome == .succeeded)
    }

    @Test("EL1 A million pairs take two nodes and no edge, and few more while they run")
    func million() {
        var cluster = Cluster()
        let job = cluster.submit(.array(1_000_000), .array(1_000_000, at: .high, on: .needsElements(0)))
        #expect(cluster.scheduler.graph.nodeCount == 2)
        #expect(cluster.scheduler.graph.edgeCount == 0)
        cluster.join("w1", slots: 2)
        for index in 0..<50 {
            cluster.finish(job / index)
            cluster.finish(job / (1_000_000 + index))
        }
        #expect(cluster.scheduler.graph.nodeCount <= 8)
    }

    @Test("EL1 Elements that wait for a worker share a node, and keep their order and moments of readiness")
    func sharedNode() {
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.array(6), .array(6, on: .needsElements(0)), .op())
        var moments: [Timestamp] = []
        for index in 0..<5 {
            cluster.pass(.seconds(1))
            cluster.finish(job / index)
            moments.append(cluster.now)
        }
        // One of the first array executes; of the second, one waits for it, and the others share a node.
        #expect(cluster.scheduler.graph.nodeCount == 4)
        #expect(cluster.scheduler.record(of: job / 8)?.readyAt == moments[2])
        #expect(cluster.cancel(.operation(job / 9)) == 1)
        #expect(cluster.last(job / 9)?.readyAt == moments[3])
        cluster.finish(job / 5)
        for index in [0, 1, 2, 4] {
            #expect(cluster.last(job / (6 + index))?.readyAt == moments[index])
            cluster.finish(job / (6 + index))
        }
        cluster.finishAll()
        #expect(cluster.order.suffix(6) == ["1/6", "1/7", "1/8", "1/10", "1/11", "1/12"])
    }

    @Test("EL2 A skip is that of one element, with its root, and so are those that follow")
    func skip() {
        var cluster = Cluster()
        let job = cluster.submit(
            .array(3, name: "sim"),
            .array(3, name: "post", on: .needsElements(0)),
            .array(3, on: .needsElements(1))
        )
        cluster.join("w1", slots: 9)
        cluster.finish(job / 1, .exited(1))
        #expect(cluster.last(job / 4)?.skippedFor == .failed(job / 1))
        #expect(cluster.last(job / 4)?.reason?.message == "It needs 1/1 (sim), which failed.")
        #expect(cluster.last(job / 7)?.skippedFor == .failed(job / 1))
        #expect([3, 5, 6, 8].map { cluster.state(job / $0) } == [.pending, .pending, .pending, .pending])
        cluster.finish(job / 0)
        #expect(cluster.state(job / 3) == .executing)
        cluster.finish(job / 2)
        cluster.finish(job / 3)
        #expect(cluster.state(job / 6) == .executing)
        cluster.finishAll()
        #expect(cluster.record.finished[job]?.skipped == 2)
    }

    @Test("EL2 Of an array that is cancelled as a whole, each element is the root of its own skip", arguments: [1, 3])
    func cancelledBlock(length: Int) {
        var cluster = Cluster()
        let before = cluster.submit(.op())
        let job = cluster.submit(
            .array(length, on: .needs(before / 0)),
            .array(length, on: .needsElements(0)),
            .array(length, on: .needsElements(1)),
            .array(length, on: .afterElements(2))
        )
        cluster.cancel(.operations(job, 0..<UInt32(length)))
        for index in 0..<length {
            #expect(cluster.last(job / (length + index))?.skippedFor == .cancelled(job / index))
            #expect(cluster.last(job / (2 * length + index))?.skippedFor == .cancelled(job / index))
            #expect(cluster.state(job / (3 * length + index)) == .ready)
        }
        // Each array ends in one step.
        #expect(cluster.scheduler.graph.nodeCount == 2)
    }

    @Test("EL1 EL2 An array of another job counts element by element, whatever of it has finished", arguments: 0...4)
    func otherJob(finished: Int) {
        var cluster = Cluster()
        cluster.join("w1", slots: 20)
        let first = cluster.submit(.array(4))
        for index in 0..<finished { cluster.finish(first / index, index == 1 ? .exited(1) : .exited(0)) }
        let second = cluster.submit(.array(4, on: .needsElements(.job(first))))
        for index in finished..<4 {
            #expect(cluster.state(second / index) == .pending)
            cluster.finish(first / index, index == 1 ? .exited(1) : .exited(0))
        }
        #expect(cluster.last(second / 1)?.skippedFor == .failed(first / 1))
        #expect([0, 2, 3].map { cluster.state(second / $0) } == [.executing, .executing, .executing])
        #expect(
            cluster.record.jobs[second]?.submission.entries[0].dependencies.map(\.target)
                == [.existingElements(.operations(first, 0..<4))]
        )
    }

    @Test("EL1 One element of an array is a dependency, also of an operation of the same job")
    func oneElement() {
        var cluster = Cluster()
        let job = cluster.submit(
            .array(5, name: "sim"),
            .op(on: Dependency(on: .element(0, 3), condition: .success)),
            .op(on: Dependency(on: .element(0, 0), condition: .failure))
        )
        cluster.join("w1", slots: 5)
        cluster.finish(job / 0)
        #expect(cluster.last(job / 6)?.skippedFor == .notNeeded)
        #expect(cluster.state(job / 5) == .pending)
        cluster.finish(job / 3)
        #expect(cluster.state(job / 5) == .executing)
        cluster.finishAll()
        #expect(cluster.order.count == 6)
    }

    @Test("EL2 After a restart, elements wait for the same elements", arguments: [true, false])
    func restart(areInOneJob: Bool) {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let first: JobNumber
        let second: OperationID
        if areInOneJob {
            first = cluster.submit(.array(5), .array(5, on: .needsElements(0)))
            second = first / 5
        } else {
            first = cluster.submit(.array(5))
            second = cluster.submit(.array(5, on: .needsElements(.job(first)))) / 0
        }
        let waiting = (0..<5).map { OperationID(job: second.job, index: second.index + $0) }
        cluster.finish(first / 1)
        cluster.finish(first / 0, .exited(1))
        cluster.restart()
        #expect(cluster.last(waiting[0])?.skippedFor == .failed(first / 0))
        cluster.join("w1", slots: 20)
        cluster.pass(.seconds(60))
        #expect(cluster.state(waiting[1]) != .pending)
        #expect(waiting[2...].map { cluster.state($0) } == [.pending, .pending, .pending])
        cluster.finishAll()
        #expect(waiting.map { cluster.outcome($0) } == [.skipped] + Array(repeating: .succeeded, count: 4))
    }

    @Test("DE12 DE14 The dependencies of one element can be changed, and those of the others stay")
    func changes() {
        var cluster = Cluster()
        let gate = cluster.submit(.op())
        cluster.hold(.operation(gate / 0))
        let job = cluster.submit(.array(4, name: "sim"), .array(4, on: .needsElements(0)))
        cluster.request { .undepend(job / 5, [.operation(job / 1)], request: $0) }
        #expect(cluster.state(job / 5) == .ready)
        _ = cluster.depend(job / 6, .after(gate / 0))
        cluster.restart()
        cluster.join("w1", slots: 9)
        cluster.pass(.seconds(60))
        for index in [0, 2, 3] { cluster.finish(job / index) }
        #expect([4, 6, 7].map { cluster.state(job / $0) } == [.executing, .pending, .executing])
        cluster.release(.operation(gate / 0))
        cluster.finish(gate / 0)
        #expect(cluster.state(job / 6) == .executing)
    }

    @Test("DE16 A later dependency that closes a cycle through elements is refused, and one beside it is not")
    func cycles() {
        var cluster = Cluster()
        let job = cluster.submit(.array(3, name: "sim"), .array(3, on: .needsElements(0)))
        guard case .refused(let refusal)? = cluster.depend(job / 1, .after(job / 4)) else {
            Issue.record("the cycle is accepted")
            return
        }
        #expect(refusal.code == .cycle)
        guard case .changed(let report)? = cluster.depend(job / 1, .after(job / 5)) else {
            Issue.record("the dependency is refused: \(cluster.effects)")
            return
        }
        #expect(report.changed == 1)
        cluster.join("w1", slots: 9)
        cluster.finishAll()
        #expect(cluster.record.finished[job]?.succeeded == 6)
    }

    @Test("DE9 Of several failures of which one is enough, elements that are cancelled in a block keep their roots")
    func severalFailures() {
        var cluster = Cluster()
        let job = cluster.submit(
            .array(3),
            .op(),
            .array(3, on: Dependency(on: .elements(0), condition: .failure), .onFailure(1))
        )
        cluster.cancel(.operations(job, 0..<3))
        cluster.join("w1")
        cluster.finish(job / 3)
        for index in 0..<3 { #expect(cluster.last(job / (4 + index))?.skippedFor == .cancelled(job / index)) }
    }

    @Test("EL1 An explanation names the element at the same position")
    func explanation() {
        var cluster = Cluster()
        let job = cluster.submit(.array(3, name: "sim"), .array(3, on: .needsElements(0)))
        let impediments = cluster.scheduler.impediments(of: job / 4) ?? []
        let addresses = impediments.compactMap { impediment -> Address? in
            if case .dependency(let address, _, _, _) = impediment { address } else { nil }
        }
        #expect(addresses == [.operation(job / 1)])
    }

    @Test("EL1 What holds a job up is one of the elements where each operation waits for its own")
    func waiting() {
        var cluster = Cluster()
        let first = cluster.submit(.array(3))
        let second = cluster.submit(.array(3, on: .needsElements(.job(first))))
        cluster.join("w1")
        for index in 0..<3 {
            let count = 3 - index
            let groups = cluster.scheduler.waiting(in: second, limit: 50)?.groups ?? []
            let waiting = groups.first { $0.operation == second / index }
            let expected = CommonWait.dependencies(first: .operation(first / index), isOnly: count == 1)
            #expect(waiting?.wait == expected && waiting?.count == count, "\(groups)")
            #expect(cluster.scheduler.waitingFaults(of: second) == [])
            cluster.finish(first / index)
        }
    }

    @Test("EL1 Arrays of other lengths, single operations, loops and unknown elements are refused")
    func refused() {
        var cluster = Cluster()
        let first = cluster.submit(.array(3, name: "sim"), .op("single"))
        let cases: [([Entry], Refusal.Code)] = [
            ([.array(3), .array(4, on: .needsElements(0))], .invalid),
            ([.array(3), .op(on: .needsElements(0))], .invalid),
            ([.op(), .array(1, on: .needsElements(0))], .invalid),
            ([.array(3, on: .needsElements(0))], .cycle),
            ([.array(3, on: .needsElements(1)), .array(3, on: .needsElements(0))], .cycle),
            ([.array(3, on: .needs(1)), .op(on: Dependency(on: .element(0, 2)))], .cycle),
            ([.array(3), .op(on: Dependency(on: .element(0, 3)))], .unknownDependency),
            ([.array(4, on: .needsElements(.named(first, "sim")))], .invalid),
            ([.array(3, on: .needsElements(.named(first, "single")))], .invalid),
            ([.array(3, on: .needsElements(.job(first)))], .invalid),
            ([.array(3, on: .needsElements(.named(first, "other")))], .invalid),
            ([.array(3, on: .needsElements(.job(JobNumber(99))))], .unknownDependency),
        ]
        for (entries, code) in cases {
            let submission = Submission(queueNames: ["default"], templates: [.noOperation], entries: entries)
            guard case .refused(let refusal)? = cluster.answer(to: submission) else {
                Issue.record("accepted: \(entries)")
                continue
            }
            #expect(refusal.code == code, "\(refusal)")
        }
        #expect(cluster.record.jobs.count == 1)
    }
}
