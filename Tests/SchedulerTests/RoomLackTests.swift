@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Attempts whose files find no room at their worker", .timeLimit(.minutes(60)))
struct RoomLackTests {
    private static let bam = KeptFile("a.bam", 1)
    private static let lack = RoomLack(wanted: 3 << 30, limit: 4 << 30, taken: 2 << 30)
    private static let end = AttemptEnd.noRoom(lack, hasRun: true)

    private func cluster(_ template: Template = .leavingFiles) -> (cluster: Cluster, job: JobNumber) {
        var cluster = Cluster()
        cluster.join("w1", id: WorkerID(rawValue: 1))
        let job = cluster.submit(.op(), templates: [template])
        return (cluster, job)
    }

    /// The reason why an operation waits for room; nil if it does not.
    private func wait(of id: OperationID, _ cluster: Cluster) -> String? {
        for case .noRoom(worker: "w1", reason: let reason, others: 0) in cluster.scheduler.impediments(of: id) ?? [] {
            return reason
        }
        return nil
    }

    @Test("D9 An attempt whose files find no room waits alone, without a loss, and its worker runs all else meanwhile")
    func givenBack() {
        var (cluster, job) = cluster()
        let other = cluster.submit(.op())
        #expect(cluster.running[other / 0] == nil)
        cluster.finish(job / 0, Self.end)
        #expect(cluster.running[other / 0] != nil && cluster.scheduler.worker(named: "w1")?.fault == nil)
        let record = cluster.last(job / 0)
        #expect(record?.state == .pending && record?.losses == 0 && record?.failures == 0 && record?.attempt == 1)
        #expect(
            record?.reason
                == Reason(
                    .files,
                    "It left 3G of files, and its worker w1 has no room for them: of the 4G that the worker may keep (--files-limit), "
                        + "2G are taken. It is tried again."
                )
        )
        #expect(
            wait(of: job / 0, cluster)
                == "Attempt 1 left 3G, and of the 4G that the worker may keep (--files-limit), 2G are taken."
        )
        cluster.finish(other / 0)
        cluster.pass(Scheduler.firstRoomDelay)
        #expect(cluster.attempts(of: job / 0) == [1, 2] && wait(of: job / 0, cluster) == nil)
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.outcome(job / 0) == .succeeded && cluster.record.files[job / 0]?.attempt == 2)
        #expect(cluster.record.attempts[job / 0]?.map(\.reason.code) == [.files])
    }

    @Test(
        "D9 What waits for room is told to do so, and never to have been submitted with a delay, also by a later coordinator",
        arguments: [0, 2] as [UInt16]
    )
    func told(retries: UInt16) {
        var (cluster, job) = cluster(.leavingFiles(retries: retries))
        cluster.finish(job / 0, Self.end)
        let until = cluster.now + Scheduler.firstRoomDelay
        let waits = cluster.scheduler.impediments(of: job / 0) ?? []
        #expect(waits.count == 2 && waits.last == .delay(until: until, isRetry: true))
        guard let room = waits.first, case .noRoom = room else {
            Issue.record("\(waits)")
            return
        }
        #expect(cluster.scheduler.waiting(in: job, limit: 9)?.groups.map(\.wait) == [.impediment(room)])
        cluster.restart()
        cluster.join("w1", id: WorkerID(rawValue: 1))
        let later = cluster.scheduler.impediments(of: job / 0) ?? []
        #expect(later.contains { if case .delay(_, isRetry: true) = $0 { true } else { false } }, "\(later)")
        for group in cluster.scheduler.waiting(in: job, limit: 9)?.groups ?? [] {
            guard case .delays(_, isRetry: true) = group.wait else {
                Issue.record("\(group)")
                continue
            }
        }
    }

    @Test(
        "D9 The delay grows from attempt to attempt, and after six of them the operation fails",
        arguments: [0, 3] as [UInt16]
    )
    func bound(retries: UInt16) {
        var (cluster, job) = cluster(.leavingFiles(retries: retries))
        for number in 1...6 {
            #expect(cluster.attempts(of: job / 0).count == number && cluster.running[job / 0] != nil)
            cluster.finish(job / 0, Self.end)
            guard number < 6 else { break }
            let delay = Scheduler.firstRoomDelay * (1 << (number - 1))
            cluster.pass(delay - .seconds(1))
            #expect(cluster.attempts(of: job / 0).count == number && wait(of: job / 0, cluster) != nil)
            cluster.pass(.seconds(1))
        }
        #expect(cluster.outcome(job / 0) == .failed)
        let reason = cluster.last(job / 0)?.reason
        #expect(reason?.code == .files)
        for part in ["3G", "4G", "2G", "--files-limit", "6 times", "baton delete", "--keep-files"] {
            #expect(reason?.message.contains(part) == true, "\(part): \(String(describing: reason))")
        }
        #expect(cluster.last(job / 0)?.losses == 0)
    }

    @Test("D9 An operation that may not run again, or leaves more than its worker may ever keep, fails at once")
    func atOnce() {
        var once = Template.leavingFiles
        once.restart = .never
        var (first, job) = cluster(once)
        first.finish(job / 0, Self.end)
        #expect(first.outcome(job / 0) == .failed)
        #expect(first.last(job / 0)?.reason?.message.contains("It is never restarted.") == true)
        var (second, large) = cluster()
        second.finish(large / 0, .noRoom(RoomLack(wanted: 5 << 30, limit: 4 << 30, taken: 0), hasRun: true))
        #expect(second.outcome(large / 0) == .failed)
        #expect(second.last(large / 0)?.reason?.message.contains("larger limit (--files-limit)") == true)
        #expect(second.attempts(of: large / 0) == [1])
    }

    @Test(
        "D9 An operation that waits for room can be cancelled, and an operation cancelled before does not wait",
        arguments: [true, false]
    )
    func cancelled(isWaiting: Bool) {
        var (cluster, job) = cluster()
        if isWaiting { cluster.finish(job / 0, Self.end) }
        cluster.cancel(.operation(job / 0))
        if !isWaiting { cluster.finish(job / 0, Self.end) }
        #expect(cluster.outcome(job / 0) == .cancelled)
        cluster.pass(.seconds(60))
        #expect(cluster.attempts(of: job / 0) == [1])
        // A later operation in the same place of the graph has its own first wait.
        let next = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(next / 0, Self.end)
        #expect(wait(of: next / 0, cluster)?.hasPrefix("Attempt 1 left") == true)
        cluster.pass(Scheduler.firstRoomDelay)
        #expect(cluster.attempts(of: next / 0) == [1, 2])
    }

    @Test(
        "FI9 An operation is tried again at once when its worker may delete as much as was missing, and the wait names the job",
        arguments: [(1, true), (999, true), (1000, true), (1001, false), (1400, false)] as [(UInt64, Bool)]
    )
    func released(missing: UInt64, isEnough: Bool) {
        var cluster = Cluster()
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        let holding = cluster.submitWithBlockedDependent()
        cluster.finish(holding / 0, leaving: Self.bam)
        let job = cluster.submit(.op(), templates: [.leavingFiles])
        cluster.finish(job / 0, .noRoom(RoomLack(wanted: missing, limit: 1500, taken: 1500), hasRun: true))
        #expect(wait(of: job / 0, cluster)?.contains("by files of job \(holding)") == true)
        cluster.resume("b")
        cluster.finish(holding / 1)
        #expect(cluster.released(in: w1) == [Self.bam.digest])
        cluster.pass(.zero)
        #expect(cluster.attempts(of: job / 0) == (isEnough ? [1, 2] : [1]))
        cluster.pass(Scheduler.firstRoomDelay)
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.outcome(job / 0) == .succeeded)
    }

    @Test("D9 The next attempt goes to a worker that has not lacked room, if one is free", arguments: 2...5)
    func elsewhere(count: Int) {
        var cluster = Cluster()
        let names = (1...count).map { "w\($0)" }
        for (index, name) in names.enumerated() { cluster.join(name, id: WorkerID(rawValue: UInt64(index) + 1)) }
        let holding = cluster.submitWithBlockedDependent()
        cluster.finish(holding / 0, leaving: Self.bam)
        let job = cluster.submit(.op(), templates: [.leavingFiles])
        var tried: Set<SessionID> = []
        for number in 1...count {
            guard let attempt = cluster.running[job / 0] else {
                Issue.record("The attempt \(number) does not run.")
                return
            }
            #expect(tried.insert(attempt.session).inserted, "attempt \(number) of \(count)")
            guard number < count else { break }
            cluster.finish(job / 0, Self.end)
            cluster.pass(.seconds(200))
        }
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.outcome(job / 0) == .succeeded && tried.count == count)
    }

    @Test("FI6 An operation that runs again for its lost files waits for room as any other does")
    func rerun() {
        var cluster = Cluster()
        cluster.join("w0", id: WorkerID(rawValue: 7))
        let job = cluster.submitWithBlockedDependent()
        cluster.finish(job / 0, leaving: Self.bam)
        cluster.expel("w0")
        cluster.join("w1", id: WorkerID(rawValue: 1))
        #expect(cluster.attempts(of: job / 0) == [1, 2])
        cluster.finish(job / 0, Self.end)
        #expect(cluster.attempts(of: job / 0) == [1, 2] && cluster.state(job / 1) == .pending)
        cluster.pass(Scheduler.firstRoomDelay)
        #expect(cluster.attempts(of: job / 0) == [1, 2, 3])
        cluster.finish(job / 0, leaving: Self.bam)
        #expect(cluster.state(job / 1) == .ready && cluster.last(job / 0)?.outcome == .succeeded)
    }

    @Test("D9 Entries of finished operations are removed in time, and the bytes that a worker may delete add up")
    func table() {
        var cluster = Cluster()
        let w1 = cluster.join("w1", id: WorkerID(rawValue: 1))
        cluster.suspend("held")
        let entries = [Entry](repeating: .op(), count: 200)
        _ = cluster.answer(to: Submission(queueNames: ["held"], templates: [.leavingFiles], entries: entries))
        guard let worker = cluster.scheduler.workers.index(ofSession: w1) else {
            Issue.record("The worker w1 is unknown.")
            return
        }
        let reference = cluster.scheduler.workers.reference(to: worker)
        let lacks = (0..<200).compactMap { index -> RoomLacks.Entry? in
            cluster.scheduler.graph.node(for: JobNumber(1) / index).map { place in
                RoomLacks.Entry(
                    node: cluster.scheduler.graph.reference(to: place),
                    times: 1,
                    worker: reference,
                    avoided: [reference],
                    sentence: "\(index)",
                    missing: 1000 + Int64(index),
                    until: cluster.now
                )
            }
        }
        #expect(lacks.count == 200)
        var finished = RoomLacks()
        for lack in lacks.prefix(63) { finished.insert(lack) { _ in false } }
        #expect(lacks.prefix(63).allSatisfy { finished[$0.node] != nil })
        finished.insert(lacks[63]) { _ in false }
        #expect(finished.isEmpty)
        var table = RoomLacks()
        for lack in lacks { table.insert(lack) { _ in true } }
        #expect(lacks.allSatisfy { table[$0.node]?.sentence == $0.sentence })
        #expect(table.noteReleased(400, at: reference).isEmpty && table.noteReleased(599, at: reference).isEmpty)
        #expect(table.noteReleased(1, at: reference).map(\.sentence) == ["0"])
        #expect(Set(table.noteReleased(99, at: reference).map(\.sentence)) == Set((1...99).map { "\($0)" }))
        #expect(table.noteReleased(.max, at: reference).count == 100)
        #expect(table.noteReleased(.max, at: reference).isEmpty, "each is told once")
    }
}
