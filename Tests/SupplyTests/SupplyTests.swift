@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonSupply

@Suite("The decisions of a supply", .timeLimit(.minutes(60)))
struct SupplyTests {
    @Test("Nothing is submitted without work, and nobody asks the batch system twice for nothing")
    func idle() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 4, slots: 2))
        #expect(run.supply.needsList)
        for _ in 0..<20 { run.pass(seconds: 10) }
        #expect(run.steps.isEmpty && run.notes.isEmpty && !run.supply.needsList)
    }

    @Test("There are as many workers as work needs, up to the limit, and none once all is done", arguments: 0..<40)
    func work(seed: Int) {
        let (nodes, slots, backlog, most) = (seed % 5 + 1, seed % 3 + 1, seed % 4 + 1, seed % 7 + 1)
        let settings = SupplySettings(backlog: backlog, maximumWorkers: most)
        var run = SupplyRun(SlurmModel(seed: UInt64(seed), nodes: nodes, slots: slots), settings)
        let total = seed * 7 + 1
        run.model.operations = total
        var mostLive = 0
        for _ in 0..<400 where run.model.finished < total {
            run.pass(seconds: 10)
            mostLive = max(mostLive, run.model.live.count)
        }
        #expect(run.model.finished == total)
        // What waits beyond the nodes is the backlog.
        #expect(mostLive <= min(most, nodes + backlog) && mostLive <= (total + slots - 1) / slots)
        run.pass(seconds: 200)
        #expect(run.model.live.isEmpty && run.supply.liveCount == 0)
        #expect(!run.notes.contains { $0.kind == .failed })
    }

    @Test("A small load gets one worker, however long the batch system takes", arguments: [1, 50, 400])
    func slowStart(seconds: Int) {
        var run = SupplyRun(SlurmModel(seed: 3, nodes: 4, slots: 8), SupplySettings(backlog: 4))
        run.model.startTime = .seconds(seconds)
        run.model.operations = 5
        run.pass(seconds: seconds + 120)
        #expect(run.model.jobs.count == 1 && run.model.finished == 5)
    }

    @Test("Jobs that wait for nothing any more are cancelled after a while, and not in a short lull")
    func surplus() {
        var run = SupplyRun(SlurmModel(seed: 5, nodes: 0, slots: 1), SupplySettings(backlog: 3))
        run.model.operations = 3
        run.turn()
        #expect(run.supply.queuedJobs == ["1", "2", "3"])
        run.model.operations = 1
        run.pass(seconds: 50)
        #expect(run.supply.queuedJobs.count == 3)
        run.model.operations = 3
        run.pass(seconds: 10)
        run.model.operations = 1
        run.pass(seconds: 60)
        #expect(run.supply.queuedJobs.count == 3, "the lull began anew")
        run.pass(seconds: 20)
        #expect(run.steps.last == .cancel(["2", "3"]) && run.supply.queuedJobs == ["1"])
        #expect(run.supply.failures == 0, "a cancelled job is no failure")
    }

    @Test("Refusals are tried again after 1, 2, 4, 8 seconds, and five in a row end a supply without jobs")
    func refusals() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 1, slots: 1, faults: .init(refusals: 100)))
        run.model.operations = 1
        var times: [Duration] = []
        for _ in 0..<120 where run.end == nil {
            let before = run.steps.count
            run.turn()
            if run.steps[before...].contains(where: { if case .submit = $0 { true } else { false } }) {
                times.append(run.model.now)
            }
            run.model.pass()
        }
        #expect(times == [0, 1, 3, 7, 15].map { .seconds($0) })
        #expect(run.end?.hasSuffix("sbatch failed with status 1: no.") == true && run.model.jobs.isEmpty)
        let settings = SupplySettings()
        let pauses = [1, 2, 3, 6, 7, 8, 100].map { settings.pause(afterFailures: $0) }
        #expect(pauses == [1, 2, 4, 32, 60, 60, 60].map { .seconds($0) })
        #expect(settings.pause(afterFailures: 0) == .zero)
    }

    @Test("Jobs that end before their workers join count as failures, and a worker that joins ends the row")
    func broken() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 1, slots: 1, faults: .init(brokenWorkers: 100)))
        run.model.operations = 2
        run.pass(seconds: 60)
        #expect(run.supply.failures > 0 && run.end == nil)
        run.model.faults.brokenWorkers = 0
        run.pass(seconds: 150)
        #expect(run.model.finished == 2 && run.supply.failures == 0)
        run.model.faults.brokenWorkers = 100
        run.model.operations = 1
        run.pass(seconds: 600)
        #expect(run.end?.contains("(FAILED) before its worker joined") == true)
    }

    @Test("A supply with a job that lives goes on after refusals: the batch system may have a limit")
    func limitedByOthers() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 2, slots: 1))
        run.model.operations = 1_000
        run.pass(seconds: 20)
        #expect(run.model.live.count >= 1)
        run.model.faults.refusals = 100
        run.pass(seconds: 1_000)
        #expect(run.end == nil && run.supply.failures > 5)
    }

    @Test("A lost answer leads to no second job, and a lost submission to another one")
    func lostAnswers() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 2, slots: 4, faults: .init(lostAnswers: 100)))
        run.model.operations = 3
        run.pass(seconds: 100)
        #expect(run.model.jobs.count == 1 && run.model.finished == 3)
        #expect(run.notes.contains { $0.kind == .found })
        run = SupplyRun(SlurmModel(seed: 1, nodes: 2, slots: 4, faults: .init(lostSubmissions: 100)))
        run.model.operations = 3
        run.pass(seconds: 30)
        #expect(run.steps.count == 1 && run.supply.unfinished != nil)
        run.model.faults.lostSubmissions = 0
        run.pass(seconds: 120)
        #expect(run.model.jobs.count == 1 && run.model.finished == 3)
    }

    @Test("A supply that ends in the middle of a submission finds its job again", arguments: [0, 100])
    func crash(lostSubmissions: Int) {
        var faults = SlurmModel.Faults()
        faults.lostSubmissions = lostSubmissions
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 2, slots: 4, faults: faults))
        run.model.operations = 3
        run.turn(crashing: true)
        #expect(run.supply.unfinished?.number == 1 && run.model.jobs.count == (lostSubmissions == 0 ? 1 : 0))
        run.model.faults.lostSubmissions = 0
        run.pass(seconds: 150)
        #expect(run.model.jobs.count == 1 && run.model.finished == 3)
    }

    @Test("A supply takes over the jobs of an earlier run, and leaves those of other supplies alone")
    func takeover() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 1, slots: 1), SupplySettings(backlog: 2, maximumWorkers: 3))
        run.model.operations = 100
        run.pass(seconds: 40)
        let known = Set(run.model.live.map(\.id))
        _ = run.model.submit(SupplyComment(supply: "other", number: 1, mark: "o1"))
        run.restart()
        let listed = run.model.list() ?? []
        _ = run.supply.look(SupplyLook(jobs: listed, joined: run.model.joined, wanted: 9), at: run.model.now)
        #expect(Set(run.supply.jobs.keys) == known)
        let step = run.supply.step(at: run.model.now) { "m" }
        #expect(step == nil, "there are as many as there may be")
    }

    @Test("While the batch system or the cluster does not answer, nothing is decided")
    func blind() {
        var run = SupplyRun(SlurmModel(seed: 1, nodes: 1, slots: 1))
        run.model.operations = 5
        let first = run.supply.step(at: .zero) { "m" }
        #expect(first == nil, "before the first look")
        run.turn()
        #expect(run.model.jobs.count == 1)
        run.model.operations = 50
        run.supply.lookFailed()
        let later = run.supply.step(at: .seconds(3_600)) { "m" }
        #expect(later == nil)
    }

    @Test("All operations end and nothing is exceeded, whatever goes wrong for a while", arguments: 0..<200)
    func faults(seed: Int) {
        var faults = SlurmModel.Faults()
        faults.refusals = [0, 10, 30][seed % 3]
        faults.lostAnswers = [0, 20, 60][seed / 3 % 3]
        faults.lostSubmissions = [0, 15][seed / 9 % 2]
        faults.brokenWorkers = [0, 25][seed / 18 % 2]
        faults.lostLists = [0, 30, 70][seed / 36 % 3]
        var settings = SupplySettings(backlog: seed % 3 + 1, maximumWorkers: seed % 6 + 1)
        settings.mostFailures = .max
        let model = SlurmModel(seed: UInt64(seed), nodes: seed % 4 + 1, slots: seed % 3 + 1, faults: faults)
        var run = SupplyRun(model, settings)
        var total = 0
        for round in 0..<60 {
            let more = (seed + round) % 9
            run.model.operations += more
            total += more
            if (seed + round).isMultiple(of: 11) { run.turn(crashing: true) }
            run.pass(seconds: 20)
        }
        run.model.faults = .init()
        for _ in 0..<600 where run.model.finished < total { run.pass(seconds: 10) }
        #expect(run.model.finished == total)
        run.pass(seconds: 300)
        #expect(run.model.live.isEmpty)
    }
}
