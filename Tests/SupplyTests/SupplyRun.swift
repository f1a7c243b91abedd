@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonSupply

/// A supply on a model of slurmctld, with what has to hold after each step checked.
struct SupplyRun {
    var model: SlurmModel
    var supply: Supply
    let settings: SupplySettings
    private(set) var notes: [SupplyNote] = []
    private(set) var steps: [SupplyStep] = []
    private(set) var end: String?
    private var marks = 0
    /// What is on disk: the comment of the submission under way.
    private var disk: SupplyComment?

    init(_ model: SlurmModel, _ settings: SupplySettings = SupplySettings()) {
        self.model = model
        self.settings = settings
        supply = Supply(name: "slurm", settings: settings)
    }

    /// Looks, and does what the supply says, until it says nothing more.
    ///
    /// - Parameter crashing: whether the supply ends in the middle of a submission, and starts again.
    mutating func turn(crashing: Bool = false) {
        var jobs: [SupplyJob]?
        if supply.needsList {
            jobs = model.list()
            guard jobs != nil else { return supply.lookFailed() }
        } else {
            #expect(model.live.isEmpty, "nobody asks for jobs that live")
        }
        let joined = supply.needsWorkers(jobs ?? []) ? model.joined : []
        notes += supply.look(SupplyLook(jobs: jobs, joined: joined, wanted: model.wanted), at: model.now)
        disk = supply.unfinished
        while let step = nextStep() {
            steps.append(step)
            switch step {
            case .submit(let comment):
                disk = comment
                #expect(supply.unfinished == comment)
                let outcome = model.submit(comment)
                if crashing { return restart() }
                notes += supply.submitted(outcome, at: model.now)
                disk = supply.unfinished
            case .cancel(let ids): model.cancel(ids)
            case .end(let sentence):
                end = sentence
                return
            }
            check()
        }
        check()
    }

    private mutating func nextStep() -> SupplyStep? {
        let mark = marks + 1
        let step = supply.step(at: model.now) { "m\(mark)" }
        if case .submit = step { marks = mark }
        return step
    }

    /// Starts the supply again from what is on disk.
    mutating func restart() {
        supply = Supply(name: "slurm", settings: settings, unfinished: disk, at: model.now)
    }

    /// Lets seconds pass, with a look at every tenth.
    mutating func pass(seconds: Int) {
        for second in 1...seconds where end == nil {
            model.pass()
            if second.isMultiple(of: 10) { turn() }
        }
    }

    /// Checks what always holds.
    func check() {
        let live = model.live
        #expect(live.count <= settings.maximumWorkers, "too many jobs live")
        #expect(live.count(where: \.isQueued) <= settings.backlog, "too many jobs wait")
        #expect(Set(live.map(\.comment.number)).count == live.count, "two live workers have one number")
        #expect(live.allSatisfy { (1...settings.maximumWorkers).contains($0.comment.number) })
        #expect(Set(model.jobs.map(\.comment.mark)).count == model.jobs.count, "a submission was made twice")
    }
}
