@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// The faults of a run: processes are killed, stopped and told to leave, hosts cut off, connections broken, disks
/// filled.
final class Trouble {
    private unowned let world: World
    private var random: SplitMix
    /// The source of the errors of the coordinator's clock.
    private var clockRandom: SplitMix
    /// The source of the refusals of workers.
    private var refusalRandom: SplitMix
    /// The source of the losses of power and of failed writes.
    private var diskRandom: SplitMix
    /// Whether the time of faults is over.
    private var isOver = false

    init(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed)
        clockRandom = SplitMix(seed: seed ^ 0xC10C)
        refusalRandom = SplitMix(seed: seed ^ 0x7EF5)
        diskRandom = SplitMix(seed: seed ^ 0xD15C)
    }

    func schedule() {
        for _ in 0..<world.settings.troubles {
            let time = world.now + random.time(.zero, world.settings.troubleTime)
            world.schedule(at: time, actor: World.troubleActor) { [self] in if !isOver { strike() } }
        }
    }

    /// Ends all faults.
    func end() {
        isOver = true
        world.coordinator.disk.mend()
        for coordinator in world.coordinators {
            coordinator.slowestCommit = .milliseconds(15)
            coordinator.resume()
            coordinator.start()
        }
        for worker in world.workers {
            worker.resume()
            worker.start()
        }
        for host in 0..<world.workers.count + world.clients.count { world.network.join(host) }
    }

    /// Begins no more faults, and leaves present faults as they are.
    func abandon() { isOver = true }

    private func strike() {
        guard let worker = random.pick(world.workers) else { return }
        let kind = random.number(0...99)
        // Two coordinators, and the server of their record, have troubles of their own.
        if world.hasStandby, !(22..<46).contains(kind), !(52..<62).contains(kind), !(66..<90).contains(kind) { return }
        switch kind {
        case ..<22:
            if diskRandom.chance(40) {
                note(.powerLost)
                world.coordinator.losePower(after: diskRandom.number(0...60))
            } else {
                note(.coordinatorKilled)
                world.coordinator.kill()
            }
            if clockRandom.chance(40) { setClock() }
            later(.seconds(4)) { [unowned world] in world.coordinator.start() }
        case ..<42:
            note(.workerKilled)
            worker.kill()
            later(.seconds(5)) { worker.start() }
        case ..<46:
            if refusalRandom.chance(50) {
                note(.workerRefused)
                worker.refuse()
            } else {
                note(.workerLeft)
                worker.leave()
            }
        case ..<52:
            note(.coordinatorStopped)
            world.coordinator.stop()
            later(.seconds(5)) { [unowned world] in world.coordinator.resume() }
        case ..<62:
            note(.workerStopped)
            worker.stop()
            later(random.pick([.seconds(1), .seconds(8), .seconds(60)]) ?? .seconds(8)) { worker.resume() }
        case ..<66:
            note(.workersStoppedAtRestart)
            restartWithoutWorkers()
        case ..<77:
            note(.hostCut)
            let (up, down) = random.pick([(true, true), (true, true), (true, false), (false, true)]) ?? (true, true)
            world.network.cut(worker.index, up: up, down: down)
            later(.seconds(10)) { [unowned world] in world.network.join(worker.index) }
        case ..<81:
            note(.hostCut)
            let client = world.workers.count + random.number(0...world.clients.count - 1)
            world.network.cut(client, up: true, down: true)
            later(.seconds(5)) { [unowned world] in world.network.join(client) }
        case ..<90:
            note(.linkBroken)
            world.network.breakLinks(of: worker.index, isNoticed: random.chance(60))
        case ..<96:
            guard diskRandom.chance(70) else {
                note(.writeFailed)
                return world.coordinator.disk.failWrite(after: diskRandom.number(0...60))
            }
            note(.diskFull)
            world.coordinator.disk.isFull = true
            later(.seconds(4)) { [unowned world] in world.coordinator.disk.isFull = false }
        default:
            note(.diskSlow)
            world.coordinator.slowestCommit = .milliseconds(800)
            later(.seconds(4)) { [unowned world] in world.coordinator.slowestCommit = .milliseconds(15) }
        }
    }

    /// Kills the coordinator and stops workers a moment later.
    ///
    /// The coordinator starts again, and the workers go on, some before the end of its reconcile window and some after
    /// it.
    private func restartWithoutWorkers() {
        world.coordinator.kill()
        for worker in world.workers where random.chance(70) {
            later(.milliseconds(100)) { [self] in
                worker.stop()
                later(.seconds(6)) { worker.resume() }
            }
        }
        later(.seconds(1)) { [unowned world] in world.coordinator.start() }
    }

    /// Sets the clock of the coordinator's host wrong from now on, by seconds to weeks in either direction.
    private func setClock() {
        let longest = clockRandom.pick([.seconds(60), .seconds(86_400), .seconds(28 * 86_400)]) ?? Duration.seconds(60)
        let error = clockRandom.time(.seconds(1), longest)
        world.coordinator.clockError = clockRandom.chance(50) ? error : .zero - error
        note(.clockSet)
    }

    private func note(_ trouble: History.Trouble) {
        world.history.note(trouble)
        world.tell("trouble: \(trouble.rawValue)")
    }

    private func later(_ longest: Duration, _ body: @escaping () -> Void) {
        world.schedule(at: world.now + random.time(.milliseconds(5), longest), actor: World.troubleActor) { [self] in
            if !isOver { body() }
        }
    }
}
