@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Memory and time that grow with the attempts", .timeLimit(.minutes(60)))
struct GrownLimitTests {
    /// A template with 3 to 16 units of memory and one hour to five.
    private static func template(retries: UInt16 = 10) -> Template {
        let work = Work(.noOperation, timeout: .seconds(3600), memory: 3)
        var template = Template(work: work, retries: retries, retryDelay: .zero)
        template.memoryUpTo = 16
        template.timeoutUpTo = .seconds(5 * 3600)
        return template
    }

    private static func memory(of dispatches: [Dispatch]) -> [Int64?] { dispatches.map(\.work.memory) }

    private static func hours(of dispatches: [Dispatch]) -> [Int64?] {
        dispatches.map { $0.work.timeout.map { $0.microseconds / 3_600_000_000 } }
    }

    @Test("RT4 Memory and time double, up to their ends, at the retry of an attempt that ran out of them")
    func doubles() {
        var cluster = Cluster()
        cluster.join("w1", offer: WorkerOffer(memory: 100))
        let job = cluster.submit(.op(), templates: [Self.template()])
        let ends: [AttemptEnd] = [
            .exceededMemory(limit: 3), .timedOut, .exited(1), .exceededMemory(limit: 6), .exceededMemory(limit: 12),
            .exceededMemory(limit: 16), .signalled(9), .timedOut, .timedOut,
        ]
        for end in ends {
            #expect(cluster.scheduler.allWorkers.first?.used.memory == cluster.sent.last?.work.memory)
            cluster.finish(job / 0, end)
            cluster.pass(.milliseconds(1))
        }
        #expect(Self.memory(of: cluster.started) == [3, 6, 6, 6, 12, 16, 16, 16, 16, 16])
        #expect(Self.hours(of: cluster.started) == [1, 1, 2, 2, 2, 2, 2, 2, 4, 5])
        // An attempt with grown limits is sent its own work instead of the template's.
        #expect(cluster.started.map { $0.template == nil } == [false] + Array(repeating: true, count: 9))
        let had = cluster.record.attempts[job / 0]?.map(\.limits) ?? []
        #expect(had.map(\.memory) == [nil, 6, 6, 6, 12, 16, 16, 16, 16])
        #expect(had.prefix(3).map(\.timeout) == [nil, nil, .seconds(7200)])
        #expect(cluster.record.attempts[job / 0]?.last?.reason.message == "It ran longer than its timeout of 4h.")
        cluster.finishAll()
        #expect(cluster.scheduler.ledger.isEmpty && cluster.scheduler.graph.requests.isEmpty)
    }

    @Test("RT4 Only what is a range grows, and only with a retry")
    func withoutRange() {
        var template = Self.template(retries: 2)
        template.memoryUpTo = nil
        var cluster = Cluster()
        cluster.join("w1", offer: WorkerOffer(memory: 100))
        let job = cluster.submit(.op(), templates: [template])
        for end in [AttemptEnd.exceededMemory(limit: 3), .timedOut, .timedOut] {
            cluster.finish(job / 0, end)
            cluster.pass(.milliseconds(1))
        }
        #expect(Self.memory(of: cluster.started) == [3, 3, 3] && Self.hours(of: cluster.started) == [1, 1, 2])
        #expect(cluster.outcome(job / 0) == .failed)
    }

    @Test("RT4 A grown request waits for a worker that has it, as any other does, and the others go on")
    func placement() {
        var cluster = Cluster()
        cluster.join("small", slots: 2, offer: WorkerOffer(memory: 5))
        let array = Entry(array: .numbers(first: 0, step: 1, count: 3))
        let job = cluster.submit(array, templates: [Self.template()])
        #expect(cluster.order == ["\(job)/0"])
        cluster.finish(job / 0, .exceededMemory(limit: 3))
        cluster.pass(.milliseconds(1))
        #expect(cluster.order == ["\(job)/0", "\(job)/1"])
        #expect(cluster.state(job / 0) == .ready)
        guard case .resources(let lacks, 0, false, nil)? = cluster.scheduler.impediments(of: job / 0)?.first else {
            Issue.record("\(String(describing: cluster.scheduler.impediments(of: job / 0)))")
            return
        }
        #expect(lacks.count == 1 && lacks.first?.description.contains("needs 6B") == true)
        let large = cluster.join("large", id: WorkerID(rawValue: 2), offer: WorkerOffer(memory: 8))
        #expect(cluster.running[job / 0]?.session == large && cluster.running[job / 0]?.work.memory == 6)
        cluster.finishAll()
        #expect(cluster.started.last?.work.memory == 3, "the other elements have what they began with")
        #expect(cluster.scheduler.graph.requests.isEmpty)
    }

    @Test("RT4 A worker with a time limit gets a grown timeout only while it has that much time left")
    func timeLimit() {
        var cluster = Cluster()
        cluster.join("w1", timeLeft: .seconds(5400), offer: WorkerOffer(memory: 100))
        let job = cluster.submit(.op(), templates: [Self.template()])
        cluster.finish(job / 0, .timedOut)
        cluster.pass(.milliseconds(1))
        #expect(cluster.started.count == 1)
        guard case .timeLimit(let needed, _, "w1", 0)? = cluster.scheduler.impediments(of: job / 0)?.first else {
            Issue.record("\(String(describing: cluster.scheduler.impediments(of: job / 0)))")
            return
        }
        #expect(needed == .seconds(7200))
        cluster.join("w2", id: WorkerID(rawValue: 2), offer: WorkerOffer(memory: 100))
        #expect(Self.hours(of: cluster.started) == [1, 2])
    }

    @Test("RT4 Limits that have grown survive a restart, also with more attempts than the record keeps")
    func restart() {
        var cluster = Cluster()
        cluster.join("w1", offer: WorkerOffer(memory: 100))
        let job = cluster.submit(.op(), templates: [Self.template(retries: 100)])
        let bad: [AttemptEnd] = [.exceededMemory(limit: 3), .exceededMemory(limit: 6), .timedOut]
        for end in bad + Array(repeating: AttemptEnd.exited(1), count: AttemptRecord.maximumCount) {
            cluster.finish(job / 0, end)
            cluster.pass(.milliseconds(1))
        }
        cluster.restart()
        cluster.pass(.seconds(60))
        cluster.join("w2", processID: 8, offer: WorkerOffer(memory: 100))
        cluster.pass(.seconds(60))
        #expect(cluster.running[job / 0]?.work.memory == 12)
        #expect(cluster.running[job / 0]?.work.timeout == .seconds(7200))
        cluster.finish(job / 0, .exceededMemory(limit: 12))
        cluster.pass(.milliseconds(1))
        #expect(cluster.running[job / 0]?.work.memory == 16)
        cluster.finishAll()
        #expect(cluster.scheduler.graph.requests.isEmpty)
    }

    @Test(
        "RT4 In random histories with restarts, each attempt has what the earlier ones let it have",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func random(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var cluster = Cluster()
        cluster.checkInterval = 3
        let offers: [Int64] = [4, 9, 20]
        func join() {
            for (number, memory) in offers.enumerated() {
                cluster.join(
                    "w\(number)",
                    slots: 2,
                    processID: Int32(cluster.nextSession),
                    id: WorkerID(rawValue: UInt64(number + 1)),
                    offer: WorkerOffer(memory: memory)
                )
            }
        }
        join()
        let template = Self.template(retries: 8)
        var timeless = template
        timeless.work.timeout = nil
        timeless.timeoutUpTo = nil
        timeless.work.memory = 2
        let array = Entry(array: .numbers(first: 0, step: 1, count: 6))
        let job = cluster.submit(.op(), array, .op(template: 1), templates: [template, timeless])
        /// What each operation may use next, by the plain rule.
        var expected: [OperationID: (memory: Int64, hours: Int64)] = [:]
        var checked = 0
        func check() {
            for dispatch in cluster.started.dropFirst(checked) {
                let first: Int64 = dispatch.operation == job / 7 ? 2 : 3
                let limits = expected[dispatch.operation] ?? (first, 1)
                #expect(dispatch.work.memory == limits.memory, "\(dispatch.operation), seed \(seed)")
                let hours = Self.hours(of: [dispatch])[0]
                #expect(hours == (first == 2 ? nil : limits.hours), "\(dispatch.operation), seed \(seed)")
            }
            checked = cluster.started.count
        }
        for _ in 0..<60 where cluster.scheduler.counts.unfinished > 0 {
            check()
            guard let id = cluster.running.keys.sorted().randomElement(using: &random) else {
                cluster.pass(.seconds(10))
                continue
            }
            let first: Int64 = id == job / 7 ? 2 : 3
            var limits = expected[id] ?? (first, 1)
            let failures = cluster.scheduler.graph.node(for: id).map { cluster.scheduler.graph[$0].failures } ?? 8
            switch Int.random(in: 0..<12, using: &random) {
            case ..<4:
                if failures < 8 { limits.memory = min(limits.memory * 2, 16) }
                expected[id] = limits
                cluster.finish(id, .exceededMemory(limit: 1))
            case ..<7:
                if failures < 8 { limits.hours = min(limits.hours * 2, 5) }
                expected[id] = limits
                cluster.finish(id, .timedOut)
            case ..<9: cluster.finish(id, .exited(3))
            case ..<10: cluster.finish(id, .interrupted)
            case ..<11: cluster.finish(id)
            default:
                cluster.restart()
                checked = 0
                cluster.pass(.seconds(60))
                join()
            }
            // An attempt that has ended, and whose operation waits for the next one.
            if cluster.state(id) != .executing { cluster.running[id] = nil }
            cluster.pass(.milliseconds(1))
        }
        cluster.finishAll()
        check()
        #expect(cluster.scheduler.ledger.isEmpty && cluster.scheduler.graph.requests.isEmpty, "seed \(seed)")
    }
}
