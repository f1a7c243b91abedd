@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A client that adds a schedule at the beginning of a run, and removes it at the end (SC1).
///
/// No random number is drawn for it, and only some of the later seeds have one, so that all others, which tests name, give the runs
/// that they gave.
final class Scheduling {
    /// How far the clock of the coordinator's host is ahead: the first time of the schedule comes some seconds after the beginning.
    private static let ahead = Duration.seconds(37)
    /// How long the coordinator has for what is due, once nothing fails any more.
    private static let calm = Duration.seconds(15)

    private unowned let world: World
    private let settings: ScheduleSettings
    /// When the addition was acknowledged, and when the removal was asked for.
    private var addedAt: Timestamp?
    private var removalAskedAt: Timestamp?
    private var isFinishing = false
    /// Whether the schedule starts nothing any more.
    private(set) var isOver = false

    /// Makes a client; nil for a run without a schedule.
    init?(_ world: World) {
        guard world.hasSchedule, let cron = try? CronExpression("* * * * *") else { return nil }
        self.world = world
        settings = ScheduleSettings(name: "often", cron: cron, overlap: .queue)
    }

    /// Sets the clock, before the coordinator starts.
    func setClock() { world.coordinator.clockError = Self.ahead }

    /// Adds the schedule.
    func schedule() {
        let template = Template(work: Work(.commands([["work", "20", "0"]])))
        let submission = Submission(queueNames: Workload.queues, templates: [template], entries: [Entry(queue: 1)])
        world.clients.first?.ask(.addSchedule(settings, submission)) { [self] reply in
            switch reply {
            case .changed:
                addedAt = world.now
                if isFinishing { remove() }
            case .refused(let refusal) where refusal.code == .storage:
                // An earlier copy of the request may have been kept.
                world.schedule(at: world.now + .seconds(1), actor: World.troubleActor + 1) { [self] in schedule() }
            default: world.history.report("the addition of a schedule was answered with \(reply)")
            }
        }
    }

    /// Removes the schedule some time after the last fault.
    func finish() {
        world.schedule(at: world.now + Self.calm, actor: World.troubleActor + 1) { [self] in
            isFinishing = true
            // An addition that is on its way must not come after the removal.
            if addedAt != nil { remove() }
        }
    }

    private func remove() {
        removalAskedAt = world.now
        world.clients.first?.ask(.changeSchedule(settings.name, .remove)) { [self] reply in
            if case .refused(let refusal) = reply, refusal.code == .storage {
                world.schedule(at: world.now + .seconds(1), actor: World.troubleActor + 1) { [self] in remove() }
            } else {
                isOver = true
            }
        }
    }

    /// Checks at the end that no time has two jobs, and that the first one has its job if nobody has set the clock.
    func check() {
        let keys = world.coordinator.disk.allJobs.compactMap(\.job.submission.key).filter {
            $0.hasPrefix(settings.name + "@")
        }
        if Set(keys).count != keys.count { world.history.report("times of the schedule have several jobs: \(keys)") }
        guard world.history.troubles[.clockSet] == nil, let addedAt, let removalAskedAt,
            let first = ScheduleTimes(settings.cron, in: .utc).next(after: addedAt + Self.ahead),
            first + (.zero - Self.ahead) + Self.calm < removalAskedAt
        else { return }
        let key = settings.key(at: first)
        if !keys.contains(key) { world.history.report("the schedule has the jobs \(keys), and none of \(key)") }
    }
}
