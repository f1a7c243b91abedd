@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// Faults of the workers' disks, in runs with files: kept files change their bytes, and disks are lost.
///
/// The random numbers are of a source of their own, so that the other runs stay as they are.
final class FileTrouble {
    private unowned let world: World
    private var random: SplitMix
    private var isOver = false

    /// Makes the faults of a run; nil for a run without files.
    init?(_ world: World, seed: UInt64) {
        guard world.hasFiles else { return nil }
        self.world = world
        random = SplitMix(seed: seed ^ 0xF11E_0001)
    }

    func schedule() {
        for _ in 0..<random.number(1...8) {
            let time = world.now + random.time(.milliseconds(200), world.settings.troubleTime)
            world.schedule(at: time, actor: World.troubleActor + 2) { [self] in if !isOver { strike() } }
        }
    }

    /// Begins no more faults; what is damaged remains so.
    func end() {
        isOver = true
        for worker in world.workers { worker.start() }
    }

    private func strike() {
        guard let worker = random.pick(world.workers) else { return }
        if random.chance(50) {
            if worker.files.damage(using: &random) { world.history.note(.fileDamaged) }
            return
        }
        world.history.note(.diskLost)
        world.tell("trouble: \(worker.name) loses its disk")
        worker.kill()
        guard !worker.isRunning else { return }
        worker.files.loseDisk()
        let end = world.now + random.time(.milliseconds(5), .seconds(6))
        world.schedule(at: end, actor: World.troubleActor + 2) { [self] in
            if !isOver { worker.start() }
        }
    }
}
