@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// The faults of a run with two coordinators: the leader and the server of its record are killed, stopped and cut off.
///
/// The random numbers are of a source of their own.
final class LeaderTrouble {
    private unowned let world: World
    private let server: SimulatedServer
    private var random: SplitMix
    private var isOver = false

    /// Makes the faults; nil for a run with one coordinator.
    init?(_ world: World, seed: UInt64) {
        guard let server = world.server else { return nil }
        self.world = world
        self.server = server
        random = SplitMix(seed: seed ^ 0x1EAD_0000)
    }

    /// Sets the clock of the second host wrong, before the coordinators start.
    func setClock() {
        guard random.chance(50), let other = world.coordinators.last else { return }
        let error = random.time(.milliseconds(1), .seconds(60))
        other.clockError = random.chance(50) ? error : .zero - error
        note(.clockSet)
    }

    func schedule() {
        for _ in 0..<random.number(2...9) {
            let time = world.now + .milliseconds(100) + random.time(.zero, world.settings.troubleTime)
            world.schedule(at: time, actor: World.troubleActor) { [self] in if !isOver { strike() } }
        }
    }

    /// Ends all faults.
    func end() {
        isOver = true
        server.mishap = nil
        server.slowest = SimulatedServer.usual
        server.promote()
        for coordinator in world.coordinators {
            server.join(coordinator.index)
            world.network.joinCoordinator(at: coordinator.index)
        }
    }

    private func strike() {
        let leader = world.coordinator
        switch random.number(0...99) {
        case ..<18: kill(leader, .leaderKilled)
        case ..<36: stop(leader)
        case ..<50: cutFromServer(leader, atMost: .seconds(6))
        case ..<58:
            note(.leaderCut)
            world.network.cutCoordinator(at: leader.index)
            later(.seconds(5)) { [unowned world] in world.network.joinCoordinator(at: leader.index) }
        case ..<68: promote()
        case ..<80: endSession(of: leader)
        case ..<88:
            note(.commitLost)
            server.mishap = random.pick(SimulatedServer.Mishap.allCases)
        case ..<94:
            note(.serverSlow)
            server.slowest = .milliseconds(1500)
            later(.seconds(4)) { [server] in server.slowest = SimulatedServer.usual }
        default:
            if let other = world.coordinators.first(where: { $0 !== leader }) { kill(other, .standbyKilled) }
        }
    }

    private func kill(_ coordinator: CoordinatorHost, _ trouble: History.Trouble) {
        note(trouble)
        // With its host, the server and the peers are told nothing.
        coordinator.end(isNoticed: random.chance(70))
        later(.seconds(5)) { coordinator.start() }
    }

    /// Stops the leader, often while the answer to its proof is on the way.
    private func stop(_ leader: CoordinatorHost) {
        note(.leaderStopped)
        if random.chance(60), let term = leader.current?.term {
            term.stopsBehindProof = true
        } else {
            leader.stop()
        }
        let time = world.now + .milliseconds(700) + random.time(.zero, .seconds(6))
        world.schedule(at: time, actor: World.troubleActor) { [self] in if !isOver { leader.resume() } }
    }

    private func cutFromServer(_ leader: CoordinatorHost, atMost longest: Duration) {
        note(.serverCut)
        let (up, down) = random.pick([(true, true), (true, true), (true, false), (false, true)]) ?? (true, true)
        server.cut(leader.index, up: up, down: down)
        later(longest) { [server] in server.join(leader.index) }
    }

    /// Kills the server, and promotes its replica.
    private func promote() {
        note(.serverPromoted)
        server.kill()
        later(.seconds(3)) { [server] in server.promote() }
    }

    /// Ends the session of the leader, whose lease is still proven.
    ///
    /// Mostly it cannot take the lock again. Now and then whoever takes over ends soon, and the workers come back to a coordinator that
    /// does not know that it was deposed.
    private func endSession(of leader: CoordinatorHost) {
        note(.sessionEnded)
        if random.chance(80) { cutFromServer(leader, atMost: .seconds(6)) }
        server.endSession()
        guard random.chance(60) else { return }
        let time = world.now + .milliseconds(300) + random.time(.zero, .milliseconds(500))
        world.schedule(at: time, actor: World.troubleActor) { [self] in
            guard !isOver, world.coordinator !== leader else { return }
            kill(world.coordinator, .leaderKilled)
        }
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
