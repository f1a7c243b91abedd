@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// Faults of the workers' hosts: for a while a host can start no process (D9).
///
/// The random numbers are separate, so that the rest of a run does not depend on the faults.
final class Breakage {
    private unowned let world: World
    private var random: SplitMix
    private var isOver = false

    init(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed)
    }

    func schedule() {
        guard random.chance(25) else { return }
        for _ in 0..<random.number(1...4) {
            let time = world.now + random.time(.zero, world.settings.troubleTime)
            world.schedule(at: time, actor: World.troubleActor) { [self] in strike() }
        }
    }

    /// Repairs all hosts.
    func end() {
        isOver = true
        for worker in world.workers { worker.isBroken = false }
    }

    private func strike() {
        guard !isOver, let worker = random.pick(world.workers) else { return }
        world.history.note(.workerBroken)
        world.tell("trouble: \(worker.name) is broken")
        worker.isBroken = true
        let end = world.now + random.time(.milliseconds(5), .seconds(9))
        world.schedule(at: end, actor: World.troubleActor) { [self] in
            guard !isOver else { return }
            world.tell("\(worker.name) is mended")
            worker.isBroken = false
        }
    }
}
