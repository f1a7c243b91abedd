@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Limits of arrays", .timeLimit(.minutes(60)))
struct ArrayLimitTests {
    private static func limited(_ number: UInt32, retries: UInt16 = 0) -> Template {
        var template = Template.retrying(retries, delay: .zero)
        template.maxConcurrent = number
        return template
    }

    private static func array(_ count: Int, template: Int, at priority: Priority = .normal) -> Entry {
        Entry(template: template, priority: priority, array: .numbers(first: 0, step: 1, count: count))
    }

    /// The number of a job's operations at workers.
    private static func taken(_ job: JobNumber, _ indices: Range<Int>, in cluster: Cluster) -> Int {
        indices.count { index in
            cluster.scheduler.graph.node(for: job / index).map { cluster.scheduler.graph[$0].token != nil } ?? false
        }
    }

    @Test("At most so many elements of an array execute at once, and others of the queue pass them")
    func limit() {
        var cluster = Cluster()
        cluster.join("w1", slots: 3)
        cluster.join("w2", slots: 3)
        let job = cluster.submit(
            Self.array(6, template: 1, at: .high),
            Self.array(4, template: 0),
            templates: [.noOperation, Self.limited(2)]
        )
        #expect(Self.taken(job, 0..<6, in: cluster) == 2)
        #expect(Self.taken(job, 6..<10, in: cluster) == 4)
        cluster.finish(job / 0)
        #expect(cluster.state(job / 2) == .executing)
        #expect(Self.taken(job, 0..<6, in: cluster) == 2)
        let waiting = cluster.scheduler.impediments(of: job / 4)
        #expect(waiting?.contains(.arrayLimit(.operation(job / 0), limit: 2, executing: 2)) == true, "\(waiting ?? [])")
        cluster.finishAll()
        #expect((0..<10).allSatisfy { cluster.outcome(job / $0) == .succeeded })
        #expect(cluster.scheduler.graph.limitedJobs == 0)
    }

    @Test("Each array has a limit of its own, also where arrays share a template")
    func apart() {
        var cluster = Cluster()
        cluster.join("w1", slots: 8)
        let job = cluster.submit(
            Self.array(4, template: 0),
            Self.array(4, template: 0),
            templates: [Self.limited(1)]
        )
        #expect(Self.taken(job, 0..<4, in: cluster) == 1 && Self.taken(job, 4..<8, in: cluster) == 1)
        cluster.finishAll()
    }

    @Test("A limit holds over a restart, for elements that execute meanwhile")
    func restart() {
        var cluster = Cluster()
        cluster.join("w1", slots: 4)
        let job = cluster.submit(Self.array(8, template: 0), templates: [Self.limited(2)])
        cluster.finish(job / 0)
        #expect(Self.taken(job, 0..<8, in: cluster) == 2)
        cluster.restart()
        #expect(cluster.scheduler.graph.limitedJobs == 1)
        cluster.join("w1", slots: 4)
        #expect(Self.taken(job, 0..<8, in: cluster) == 2)
        cluster.finishAll()
        #expect((0..<8).allSatisfy { cluster.outcome(job / $0) == .succeeded })
    }

    @Test("The limit holds whatever happens to the elements, and no element stays behind")
    func random() {
        for seed in UInt64(1)...150 {
            var random = SplitMix(seed: seed)
            let limit = Int.random(in: 1...3, using: &random)
            let count = Int.random(in: 1...9, using: &random)
            var cluster = Cluster()
            cluster.join("w1", slots: Int.random(in: 1...4, using: &random))
            cluster.join("w2", slots: Int.random(in: 1...4, using: &random))
            let job = cluster.submit(
                Self.array(count, template: 1),
                Self.array(3, template: 0),
                templates: [.noOperation, Self.limited(UInt32(limit), retries: 1)]
            )
            for _ in 0..<60 where cluster.scheduler.counts.unfinished > 0 {
                let id = job / Int.random(in: 0..<count, using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0: cluster.hold(.operation(id))
                case 1: cluster.release(.operation(id))
                case 2: cluster.cancel(.operation(id))
                case 3: cluster.setPriority(.operation(id), to: .high)
                case 4: _ = cluster.suspend("default")
                case 5: _ = cluster.resume("default")
                case 6: cluster.pass(.milliseconds(10))
                default:
                    guard let next = cluster.running.keys.sorted().randomElement(using: &random) else { continue }
                    cluster.finish(next, Bool.random(using: &random) ? .exited(0) : .exited(1))
                }
                let taken = Self.taken(job, 0..<count, in: cluster)
                #expect(taken <= limit, "seed \(seed)")
            }
            _ = cluster.resume("default")
            cluster.release(.job(job))
            cluster.finishAll()
            #expect(cluster.record.finished[job] != nil, "seed \(seed)")
        }
    }
}
