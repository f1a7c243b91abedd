@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

/// An administrator who drains, undrains and stops workers, in some of the runs.
///
/// The random numbers are of a source of their own, so that the other runs stay as they are.
final class Administration {
    private unowned let world: World
    private var random: SplitMix
    private var isFinishing = false

    /// Makes an administrator; nil for a run without.
    init?(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed ^ 0xD4A1_0000)
        guard random.chance(40) else { return nil }
    }

    func schedule() {
        for _ in 0..<random.number(3...16) {
            let time = world.now + .milliseconds(100) + random.time(.zero, world.settings.troubleTime * 9 / 10)
            world.schedule(at: time, actor: World.troubleActor + 1) { [self] in if !isFinishing { act() } }
        }
    }

    /// The drain timeout of a worker that starts.
    func drainTimeout() -> Duration { random.chance(40) ? .zero : .milliseconds(random.number(1...2000)) }

    /// Undrains all workers, so that all operations come to their ends.
    func finish() {
        isFinishing = true
        for worker in world.workers { undrain(worker) }
        // A drain that is on its way comes later than the first request.
        world.schedule(at: world.now + .seconds(10), actor: World.troubleActor + 1) { [self] in finish() }
    }

    private func act() {
        guard let worker = random.pick(world.workers), let client = random.pick(world.clients) else { return }
        switch random.number(0...99) {
        case ..<50:
            client.ask(.drain([worker.name])) { [unowned world] reply in
                if case .changed(let report) = reply { world.history.drained(worker.index, report, in: world) }
            }
        case ..<70: undrain(worker)
        default: client.ask(.stop([worker.name], isImmediate: random.chance(50))) { _ in }
        }
    }

    private func undrain(_ worker: WorkerHost) {
        world.history.willUndrain(worker.index)
        world.clients.first?.ask(.undrain([worker.name])) { _ in }
    }
}
