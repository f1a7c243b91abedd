@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonZeroMQ

/// The network between the ports of the coordinators and their peers: delays, cuts, connections that break or only seem alive.
final class Network {
    private unowned let world: World
    private var random: SplitMix
    private var links: [RoutingID: Link] = [:]
    private var nextLink = 1
    /// The hosts whose messages do not reach the coordinator.
    private(set) var cutUp: Set<Int> = []
    /// The hosts that the coordinator's messages do not reach.
    private(set) var cutDown: Set<Int> = []
    /// The hosts of coordinators that are cut off: messages from and to these hosts are lost.
    private(set) var cutPlaces: Set<Int> = []

    init(_ world: World, seed: UInt64) {
        self.world = world
        random = SplitMix(seed: seed)
    }

    /// Opens a connection from a host.
    ///
    /// - Parameters:
    ///   - place: the number of the coordinator's host.
    ///   - isForFiles: whether it is a worker's second connection.
    func connect(
        from host: Int,
        to place: Int = 0,
        isForFiles: Bool = false,
        receive: @escaping ([UInt8]) -> Void,
        loseConnection: @escaping () -> Void
    ) -> Link? {
        let seed = random.next()
        let link = Link(
            number: nextLink,
            host: host,
            place: place,
            isForFiles: isForFiles,
            seed: seed,
            now: world.now,
            receive: receive,
            loseConnection: loseConnection
        )
        nextLink += 1
        if let link { links[link.routingID] = link }
        return link
    }

    /// Closes a connection from below; earlier messages may still arrive.
    func close(_ link: Link) {
        link.isClosed = true
        if link.random.chance(50) { link.attachment = .broken }
    }

    // MARK: - Messages

    /// Sends a message to the coordinator.
    func sendUp(_ bytes: [UInt8], over link: Link) {
        guard link.attachment != .broken else { return }
        link.lastUp = max(link.lastUp, world.now + delay(of: link))
        world.schedule(at: link.lastUp, actor: actor(of: link)) { [self] in arriveUp(bytes, over: link) }
    }

    private func arriveUp(_ bytes: [UInt8], over link: Link) {
        guard link.attachment != .broken else { return }
        guard isOpenUp(link), link.delayedUp.isEmpty else {
            link.delayedUp.append(bytes)
            return
        }
        pass(bytes, over: link)
    }

    /// Whether messages get to the coordinator over a link now.
    private func isOpenUp(_ link: Link) -> Bool {
        !cutUp.contains(link.host) && !cutPlaces.contains(link.place) && world.coordinators[link.place].isListening
    }

    /// Whether messages of the coordinator get to the owner of a link now.
    private func isOpenDown(_ link: Link) -> Bool {
        !cutDown.contains(link.host) && !cutPlaces.contains(link.place)
    }

    private func pass(_ bytes: [UInt8], over link: Link) {
        let coordinator = world.coordinators[link.place]
        switch link.attachment {
        case .waiting: link.attachment = .attached(port: coordinator.port)
        case .attached(let port): guard port == coordinator.port else { return }
        case .broken: return
        }
        if !link.isForFiles, coordinator === world.coordinator, !coordinator.challenges(bytes) {
            world.contact(from: link.host)
        }
        coordinator.receive(bytes, from: link.routingID, ofHost: link.host)
    }

    /// Sends a message of the coordinator to a peer; the message is lost with the peer's connection.
    func sendDown(_ bytes: [UInt8], to peer: RoutingID, from coordinator: CoordinatorHost) {
        guard let link = links[peer], link.attachment == .attached(port: coordinator.port) else { return }
        link.lastDown = max(link.lastDown, world.now + delay(of: link))
        world.schedule(at: link.lastDown, actor: actor(of: link)) { [self] in
            guard link.attachment != .broken else { return }
            if !isOpenDown(link) || !link.delayedDown.isEmpty {
                link.delayedDown.append(bytes)
            } else {
                link.arrive(bytes)
            }
        }
    }

    /// Passes on messages that waited for the coordinator or for the end of a cut; connections have no order among each
    /// other.
    func release() {
        let waiting = links.values.filter { $0.attachment != .broken && $0.isWaiting }
        for link in waiting.sorted(by: { $0.number < $1.number }).shuffled(using: &random)
        where link.attachment != .broken {
            if isOpenUp(link) {
                let delayed = link.delayedUp
                link.delayedUp = []
                for bytes in delayed { pass(bytes, over: link) }
            }
            if isOpenDown(link) {
                let delayed = link.delayedDown
                link.delayedDown = []
                for bytes in delayed { link.arrive(bytes) }
            }
        }
    }

    // MARK: - Trouble

    /// Cuts a host off, in one direction or both.
    func cut(_ host: Int, up: Bool, down: Bool) {
        if up { cutUp.insert(host) }
        if down { cutDown.insert(host) }
    }

    /// Joins a host again: its connections go on, or turn out to be broken.
    func join(_ host: Int) {
        cutUp.remove(host)
        cutDown.remove(host)
        if random.chance(30) { breakLinks(of: host, isNoticed: true) }
        release()
    }

    /// Breaks the connections of a host.
    ///
    /// - Parameter isNoticed: whether the host is told soon; otherwise each end has to find out by silence.
    func breakLinks(of host: Int, isNoticed: Bool) {
        breakLinks(isNoticed: isNoticed) { $0.host == host }
    }

    /// Cuts a coordinator off from all its peers.
    func cutCoordinator(at place: Int) { cutPlaces.insert(place) }

    /// Joins a coordinator to its peers again.
    func joinCoordinator(at place: Int) {
        guard cutPlaces.remove(place) != nil else { return }
        release()
    }

    /// Breaks all connections of a coordinator's process that has ended.
    ///
    /// - Parameter isNoticed: whether the peers are told soon; otherwise they have to find out by silence.
    func coordinatorEnded(port: Int, isNoticed: Bool = true) {
        breakLinks(isNoticed: isNoticed) { $0.attachment == .attached(port: port) }
    }

    private func breakLinks(isNoticed: Bool, where isMeant: (Link) -> Bool) {
        let meant = links.values.filter { $0.attachment != .broken && isMeant($0) }
        for link in meant.sorted(by: { $0.number < $1.number }) {
            link.attachment = .broken
            guard isNoticed, !link.isClosed else { continue }
            // A host that is cut off is told nothing.
            guard isOpenDown(link) else { continue }
            world.schedule(at: world.now + delay(of: link), actor: actor(of: link)) { link.tellLoss() }
        }
        links = links.filter { $0.value.attachment != .broken }
    }

    private func delay(of link: Link) -> Duration {
        let distance = link.host.isMultiple(of: 2) ? world.settings.distance : .zero
        return distance
            + (link.random.chance(3)
                ? link.random.time(.milliseconds(1), .milliseconds(400))
                : link.random.time(.microseconds(50), .milliseconds(5)))
    }

    private func actor(of link: Link) -> Int { World.firstLinkActor + link.number }
}
