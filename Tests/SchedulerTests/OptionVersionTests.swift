@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Options that older workers do not know", .timeLimit(.minutes(60)))
struct OptionVersionTests {
    /// A command without options, and commands with an option of a later version.
    private static let templates = [
        Template.noOperation,
        Template(work: Work(.commands([["true"]]), niceness: 5)),
    ]
    /// The version with which the option, the niceness, came.
    private static let version = 2
    private static let needed = "/\(version)"

    private func workers(of assignments: [Dispatch], in cluster: Cluster) -> Set<String> {
        Set(assignments.compactMap { cluster.scheduler.worker(of: $0.session) })
    }

    @Test("Among workers that know all options, versions play no part")
    func alike() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        cluster.join("w1")
        let job = cluster.submit(.nice(10), templates: Self.templates)
        // One for the slot, and four ahead, as without the option.
        #expect(cluster.sent.count == 5)
        #expect(cluster.scheduler.impediments(of: job / 9)?.contains(.slots(total: 1)) == true)
        cluster.finishAll()
        #expect(cluster.order.count == 10)
        #expect(!cluster.scheduler.graph.distinguishesVersions)
    }

    @Test("An operation with a newer option waits for a newer worker, and is explained by that")
    func waits() {
        var cluster = Cluster()
        cluster.join("old", slots: 4, optionVersion: 1)
        let job = cluster.submit(.op(at: .high, template: 1), .op(), templates: Self.templates)
        #expect(cluster.state(job / 0) == .ready && cluster.state(job / 1) == .executing)
        #expect(cluster.scheduler.impediments(of: job / 0) == [.noWorker(type: Self.needed, silent: [])])
        cluster.join("new")
        #expect(cluster.running[job / 0].map { cluster.scheduler.worker(of: $0.session) } == "new")
        let second = cluster.submit(.op(template: 1), templates: Self.templates)
        #expect(cluster.scheduler.impediments(of: second / 0) == [.slots(total: 1, type: Self.needed)])
        cluster.finishAll()
        #expect(cluster.scheduler.allWorkers.allSatisfy { $0.types.isEmpty }, "a version is no type that anybody sees")
    }

    @Test("An operation with a newer option that already waits is not sent to an older worker that joins")
    func joinsLater() {
        var cluster = Cluster()
        cluster.join("new")
        let job = cluster.submit(
            .nice(5),
            .op(at: .high, template: 1),
            .op(at: .low),
            .niceBarrier,
            .op(template: 1),
            templates: Self.templates
        )
        cluster.join("old", slots: 4, optionVersion: 1)
        #expect(cluster.running[job / 6].map { cluster.scheduler.worker(of: $0.session) } == "old")
        cluster.finish(job / 6)
        cluster.finishAll()
        let newer = cluster.sent.filter { $0.work.niceness > 0 }
        #expect(newer.count == 8 && workers(of: newer, in: cluster) == ["new"])
        #expect(cluster.order.count == 9)
    }

    @Test("An operation whose priority was lowered keeps its turn when an older worker joins")
    func lowered() {
        var cluster = Cluster()
        cluster.join("new")
        cluster.submit(.op(template: 1), templates: Self.templates)
        let job = cluster.submit(.op(at: .high, template: 1), templates: Self.templates)
        cluster.setPriority(.operation(job / 0), to: .low)
        cluster.join("old", optionVersion: 1)
        cluster.finishAll()
        #expect(workers(of: cluster.sent, in: cluster) == ["new"] && cluster.outcome(job / 0) == .succeeded)
    }

    @Test("An attempt that was sent ahead and comes back does not go to an older worker")
    func comesBack() {
        var cluster = Cluster(Configuration(sendAhead: .atMost(4)))
        cluster.join("new")
        let job = cluster.submit(.nice(3), templates: Self.templates)
        #expect(cluster.sent.count == 3)
        cluster.join("old", slots: 4, optionVersion: 1)
        cluster.suspend("default")
        #expect(cluster.state(job / 1) == .ready && cluster.state(job / 2) == .ready)
        cluster.resume("default")
        cluster.finishAll()
        #expect(workers(of: cluster.sent, in: cluster) == ["new"] && cluster.order.count == 3)
    }

    @Test("A Swift operation with a newer option needs a worker that has its type and knows the option")
    func typed() {
        var cluster = Cluster()
        cluster.join("typed", types: ["resize"], optionVersion: 1)
        cluster.join("new", types: ["sepia"])
        // No submission may have such a work yet, because the only newer option is for commands.
        let work = Work(.typed(type: "resize", argument: []), niceness: 5)
        #expect(work.neededType == "resize" + Self.needed)
        #expect(
            Work.types(ofOptionVersion: Self.version, with: ["resize"]).contains(
                "resize" + Self.needed
            )
        )
        let job = cluster.submit(.op(template: 1), .op(template: 1), templates: Self.templates)
        cluster.finishAll()
        #expect(workers(of: cluster.sent, in: cluster) == ["new"])
        #expect(cluster.outcome(job / 1) == .succeeded)
        #expect(Set(cluster.scheduler.allWorkers.map(\.types)) == [["resize"], ["sepia"]])
    }

    @Test("A worker that was upgraded gets what it knows, and one that was downgraded does not")
    func changes() {
        var cluster = Cluster()
        let first = cluster.join("w1", processID: 7, optionVersion: 1)
        let job = cluster.submit(.op(template: 1), .op(template: 1), templates: Self.templates)
        #expect(cluster.sent.isEmpty)
        cluster.apply(.workerLeft(first))
        let second = cluster.join("w1", processID: 8)
        #expect(cluster.state(job / 0) == .executing)
        cluster.finish(job / 0)
        #expect(cluster.state(job / 1) == .executing)
        cluster.finish(job / 1)
        cluster.apply(.workerLeft(second))
        cluster.join("w1", processID: 9, optionVersion: 1)
        let third = cluster.submit(.op(template: 1), templates: Self.templates)
        #expect(cluster.state(third / 0) == .ready)
    }
}

extension Entry {
    /// An array of the template with the newer option.
    fileprivate static func nice(_ count: Int) -> Entry {
        Entry(template: 1, array: .numbers(first: 0, step: 1, count: count))
    }

    /// A barrier of the template with the newer option.
    fileprivate static let niceBarrier = Entry(template: 1, isBarrier: true)
}
