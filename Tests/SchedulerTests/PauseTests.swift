@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Pauses and signals", .timeLimit(.minutes(60)))
struct PauseTests {
    private static let command = Template(work: Work(.commands([["program"]])))

    /// The lists of paused attempts that workers were told of, in order.
    private func told(_ effects: [Effect]) -> [[AttemptToken]] {
        effects.compactMap { if case .pauses(_, let tokens) = $0 { tokens } else { nil } }
    }

    @Test("RT6 What executes is paused and continued once, with a record, an event and the whole list for its worker")
    func changes() throws {
        var cluster = Cluster()
        cluster.requester = "laptop"
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), .op(), templates: [Self.command])
        let tokens = try [0, 1].map { try #require(cluster.running[job / $0]?.token) }
        #expect(cluster.pause(.operation(job / 1)) == ChangeReport(changed: 1))
        #expect(told(cluster.effects) == [[tokens[1]]])
        #expect(cluster.record.pauses == [job / 1: PauseRecord(by: "laptop", since: cluster.now)])
        #expect(cluster.scheduler.pause(of: job / 1)?.by == "laptop" && cluster.state(job / 1) == .executing)
        // The job's other executing operation, and not the one that waits for a slot.
        #expect(cluster.pause(.job(job)) == ChangeReport(changed: 1))
        #expect(told(cluster.effects) == [tokens])
        #expect(cluster.pause(.job(job))?.changed == 0 && told(cluster.effects).isEmpty)
        let idle = cluster.pause(.operation(job / 2))
        #expect(idle?.notes == ["\(job / 2) is not executing; pausing it has no effect."])
        #expect(cluster.resume(.operation(job / 0)) == ChangeReport(changed: 1))
        #expect(told(cluster.effects) == [[tokens[1]]])
        let running = cluster.resume(.operation(job / 0))
        #expect(running?.notes == ["\(job / 0) is not paused; continuing it has no effect."])
        #expect(cluster.resume(.job(job)) == ChangeReport(changed: 1))
        #expect(told(cluster.effects) == [[]] && cluster.record.pauses.isEmpty)
        #expect(cluster.record.events.history(job / 1).suffix(2) == ["paused", "continued"])
        cluster.finishAll()
    }

    @Test("RT6 A paused operation keeps slot, limit and memory, and gives its processors back")
    func resources() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3, offer: WorkerOffer(cpus: 2000, memory: 4 << 30))
        var busy = Self.command
        busy.cpus = 2000
        var large = Self.command
        large.work.memory = 4 << 30
        busy.work.memory = 1 << 30
        let job = cluster.submit(.op(), .op(), .op(template: 1), templates: [busy, large])
        #expect(cluster.order == ["\(job)/0"])
        #expect(cluster.pause(.operation(job / 0))?.changed == 1)
        // Its processors are free, its memory is not.
        #expect(cluster.order == ["\(job)/0", "\(job)/1"])
        let view = cluster.scheduler.allWorkers[0]
        #expect(view.used.cpus == 2000 && view.used.memory == 2 << 30 && view.executing == 2)
        // It takes the processors again, although the other one has them.
        #expect(cluster.resume(.operation(job / 0))?.changed == 1)
        #expect(cluster.scheduler.allWorkers[0].used.cpus == 4000)
        cluster.finish(job / 0)
        cluster.finish(job / 1)
        #expect(cluster.order.last == "\(job)/2")
        cluster.finishAll()
    }

    @Test("RT6 A pause ends with the attempt, and with its cancellation, which continues it first")
    func ends() {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        var retried = Self.command
        retried.retries = 1
        let job = cluster.submit(.op(), .op(), templates: [retried])
        #expect(cluster.pause(.job(job))?.changed == 2)
        cluster.finish(job / 0, .signalled(9))
        #expect(cluster.scheduler.pause(of: job / 0) == nil && cluster.record.pauses.count == 1)
        #expect(cluster.cancel(.operation(job / 1)) == 1)
        let isAsked = cluster.effects.contains { if case .endAttempts = $0 { true } else { false } }
        #expect(cluster.record.pauses.isEmpty && isAsked)
        let ending = cluster.pause(.operation(job / 1))
        #expect(ending?.notes == ["\(job / 1) is being cancelled; pausing it has no effect."])
        cluster.finish(job / 1, .cancelled(exitStatus: nil, signal: 15))
        cluster.pass(.seconds(3))
        #expect(cluster.state(job / 0) == .executing && cluster.scheduler.pause(of: job / 0) == nil)
        cluster.finishAll()
    }

    @Test("RT6 A pause outlasts restarts of the coordinator and sessions of the worker, and ends with the worker")
    func restart() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 2)
        let job = cluster.submit(.op(), .op(), templates: [Self.command])
        let attempts = try [0, 1].map { try #require(cluster.running[job / $0]) }
        #expect(cluster.pause(.operation(job / 1))?.changed == 1)
        let record = cluster.record.pauses
        cluster.restart()
        #expect(cluster.scheduler.pause(of: job / 1) != nil && cluster.record.pauses == record)
        for _ in 1...2 {
            let session = cluster.join("w1", slots: 2, holding: attempts)
            #expect(cluster.scheduler.pausedAttempts(in: session) == [attempts[1].token])
        }
        cluster.join("w1", slots: 2, processID: 8)
        #expect(cluster.record.pauses.isEmpty && cluster.scheduler.pause(of: job / 1) == nil)
        cluster.finishAll()
    }

    @Test("RT6 Swift operations, and what an earlier worker runs, are not paused, and the note says why")
    func obstacles() throws {
        var cluster = Cluster()
        cluster.join("w1", slots: 1, types: ["resize"])
        let typed = cluster.submit(.op(), templates: [Template(work: Work(.typed(type: "resize", argument: [])))])
        let sentence = "\(typed / 0) has no processes of its own, and cannot be paused."
        #expect(cluster.pause(.operation(typed / 0)) == ChangeReport(changed: 0, notes: [sentence]))
        cluster.finish(typed / 0)
        let job = cluster.submit(.op(), templates: [Self.command])
        let attempt = try #require(cluster.running[job / 0])
        #expect(cluster.pause(.operation(job / 0))?.changed == 1)
        var older = Cluster.introduction("w1", SessionID(rawValue: 99), holding: [attempt])
        older.life = WorkerLife(rawValue: 7)
        older.knowsPauses = false
        cluster.apply(.workerJoined(older))
        #expect(cluster.record.pauses.isEmpty)
        let note = cluster.pause(.operation(job / 0))?.notes.first ?? ""
        #expect(note.contains("its worker w1 is of an earlier version of Baton"), "\(note)")
    }

    @Test("RT7 A signal goes to the workers of what executes, and is told")
    func signals() throws {
        var cluster = Cluster()
        let session = cluster.join("w1", slots: 1)
        let job = cluster.submit(.op(), .op(), templates: [Self.command])
        let token = try #require(cluster.running[job / 0]?.token)
        let report = cluster.changes(of: { .signal([.job(job)], .user1, request: $0) })
        #expect(report == ChangeReport(changed: 1))
        let sent = cluster.effects.contains { if case .signal(session, [token], .user1) = $0 { true } else { false } }
        #expect(sent && cluster.record.events.history(job / 0).last == "USR1")
        let idle = cluster.changes(of: { .signal([.operation(job / 1)], .user1, request: $0) })
        #expect(idle?.notes == ["\(job / 1) is not executing; a signal has no effect."])
        // Nobody knows whether a silent worker gets it.
        cluster.pass(.seconds(15), silent: session)
        guard case .refused(let refusal)? = cluster.answer(to: { .signal([.job(job)], .hangUp, request: $0) }) else {
            Issue.record("A signal to a silent worker is acknowledged.")
            return
        }
        #expect(refusal.code == .unanswered)
    }
}

extension Cluster {
    /// Pauses operations.
    fileprivate mutating func pause(_ targets: OperationSelection...) -> ChangeReport? {
        changes(of: { .pause(targets, request: $0) })
    }

    /// Continues operations.
    fileprivate mutating func resume(_ targets: OperationSelection...) -> ChangeReport? {
        changes(of: { .resume(targets, request: $0) })
    }
}
