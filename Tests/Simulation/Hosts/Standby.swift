@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A coordinator's process while another one leads: it tells so to all who ask, and tries to take over.
final class Standby {
    /// How often the process asks for the lock.
    private static let pause = Duration.milliseconds(250)

    private unowned let host: CoordinatorHost
    /// The peers that were told that the coordinator stands by, in the order of their questions.
    private var asked: [(peer: RoutingID, isClient: Bool)] = []
    /// What has arrived while the process is stopped.
    private var waiting: [(bytes: [UInt8], peer: RoutingID)] = []

    init(_ host: CoordinatorHost) {
        self.host = host
    }

    /// Asks for the lock, now and regularly.
    func begin() {
        attempt()
        askLater()
    }

    private func askLater() {
        let world = host.world
        world.schedule(at: world.now + Self.pause, actor: World.coordinatorActor) { [self] in
            guard host.standby === self else { return }
            if !host.isStopped { attempt() }
            askLater()
        }
    }

    private func attempt() {
        guard let session = host.server?.elect(host.index) else { return }
        host.takeOver(session)
    }

    /// Goes on after a stop.
    func goOn() {
        let arrived = waiting
        waiting = []
        for (bytes, peer) in arrived { answer(bytes, to: peer) }
    }

    // MARK: - Answers

    /// Takes in a message of a peer.
    func receive(_ bytes: [UInt8], from peer: RoutingID) {
        if host.isStopped { waiting.append((bytes, peer)) } else { answer(bytes, to: peer) }
    }

    private func answer(_ bytes: [UInt8], to peer: RoutingID) {
        switch bytes.withUnsafeBytes({ try? Incoming(decoding: $0) }) {
        case .worker(.hello)?, .worker(.inquire)?: answer(peer, isClient: false)
        case .client(.hello)?: answer(peer, isClient: true)
        // Requests were answered with their hello.
        case .worker?, .client?, nil: break
        }
    }

    private func answer(_ peer: RoutingID, isClient: Bool) {
        asked.removeAll { $0.peer == peer }
        asked.append((peer, isClient))
        tell(Leadership(isLeading: false), to: peer, isClient: isClient)
    }

    /// Tells all who have asked that the coordinator leads.
    func tellAll(_ rank: LeaderRank) {
        let leadership = Leadership(isLeading: true, rank: rank)
        for (peer, isClient) in asked { tell(leadership, to: peer, isClient: isClient) }
    }

    private func tell(_ leadership: Leadership, to peer: RoutingID, isClient: Bool) {
        let bytes =
            isClient
            ? ClientReply.leadership(leadership).encoded()
            : CoordinatorMessage.leadership(leadership).encoded()
        host.world.network.sendDown(bytes, to: peer, from: host)
    }
}
