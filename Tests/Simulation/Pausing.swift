@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

/// A client that pauses and continues what executes, in some of the runs.
///
/// The random numbers are of a source of their own, so that the other runs stay as they are.
final class Pausing {
    private unowned let world: World
    private var random: SplitMix
    /// The jobs that were to be paused.
    private var jobs: Set<JobNumber> = []
    private var isFinishing = false

    /// Makes a client that pauses; nil for a run without.
    init?(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed ^ 0x9A05_0000)
        // Seeds are named that find faults without pauses.
        guard world.faults.isEmpty, random.chance(25) else { return nil }
    }

    func schedule() {
        for _ in 0..<random.number(5...60) {
            let time = world.now + .milliseconds(50) + random.time(.zero, world.settings.troubleTime * 9 / 10)
            world.schedule(at: time, actor: World.troubleActor + 1) { [self] in if !isFinishing { act() } }
        }
    }

    /// Continues all jobs, so that all operations come to their ends.
    func finish() {
        isFinishing = true
        for job in jobs.sorted() { resume(job) }
        // A pause that is on its way comes later than the first request.
        world.schedule(at: world.now + .seconds(10), actor: World.troubleActor + 1) { [self] in finish() }
    }

    private func act() {
        guard let client = random.pick(world.clients) else { return }
        // A job of that number may be finished, or there may be none.
        let job = JobNumber(UInt32(random.number(1...20)))
        switch random.number(0...99) {
        case ..<55:
            jobs.insert(job)
            client.ask(.pause([.job(job)])) { _ in }
        case ..<65: client.ask(.signal([.job(job)], .user1)) { _ in }
        default: if let paused = random.pick(jobs.sorted()) { resume(paused) }
        }
    }

    private func resume(_ job: JobNumber) {
        world.clients.first?.ask(.resume([.job(job)])) { _ in }
    }
}
