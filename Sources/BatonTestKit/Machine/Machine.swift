@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// The cluster itself: a coordinator, workers and clients that exchange encoded messages, and the timers of all of them.
///
/// The machine has no thread. After each input, ``settle()`` delivers messages until none is left; what has to be done outside is in
/// ``errands``. Time stands still except in ``run(to:)``.
final class Machine {
    /// The other end of a connection to the coordinator.
    enum Peer {
        case worker(Int)
        case client(Int)
    }

    let endpoint: String
    let clock: TestClock
    /// The executor of Swift operations.
    let executor: SlotThreads
    let coordinator: InProcessCoordinator
    var workers: [Int: InProcessWorker] = [:]
    /// The workers with events, in the order of the first event.
    var ready: [Int] = []
    /// The number of lives of workers of each name.
    var lives: [String: (directory: UInt32, starts: UInt32)] = [:]
    var clients: [Int: ClientLine] = [:]
    var peers: [RoutingID: Peer] = [:]
    /// The messages on their way to the coordinator.
    var arrivals: [(message: ReceivedMessage, peer: RoutingID)] = []
    /// What is to be done outside, in order.
    var errands: [Errand] = []
    /// The number of functions that have started and not returned, on lost workers too.
    var runningFunctions = 0
    /// Why each refused worker was refused, until ``takeRefusal(of:)``.
    var refusals: [Int: String] = [:]
    var isOver = false
    private var lastNumber = 0
    private var lastPeer: UInt64 = 0

    init(endpoint: String, clock: TestClock, executor: SlotThreads) throws(StoreError) {
        self.endpoint = endpoint
        self.clock = clock
        self.executor = executor
        coordinator = try InProcessCoordinator(endpoint: endpoint, at: clock.now)
    }

    /// The moment by the coordinator's clock.
    var now: Timestamp { clock.now }

    /// Whether any worker has a turn to take, or the coordinator a message to read.
    private var isBusy: Bool { !arrivals.isEmpty || !ready.isEmpty }

    /// A number that no other worker or client has.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Opens a connection to the coordinator.
    func connect(_ peer: Peer) -> RoutingID {
        lastPeer += 1
        guard let id = withUnsafeBytes(of: lastPeer, { RoutingID(Array($0)) }) else {
            failInvariant("An address of eight bytes is not one.")
        }
        peers[id] = peer
        return id
    }

    /// Ends a connection to the coordinator, with the messages on their way.
    func disconnect(_ peer: RoutingID?) {
        guard let peer else { return }
        peers[peer] = nil
        arrivals.removeAll { $0.peer == peer }
        coordinator.connectionEnded(peer)
    }

    // MARK: - Turns

    /// Delivers messages and lets everybody take turns, until nothing more happens without time or the outside.
    func settle() {
        guard !isOver else { return }
        while isBusy {
            let turns = ready
            ready = []
            for worker in turns { takeTurn(of: worker) }
            takeCoordinatorTurn()
        }
    }

    func takeCoordinatorTurn() {
        let arrived = arrivals
        arrivals = []
        for (message, peer) in arrived { coordinator.receive(message, from: peer, at: now) }
        for (bytes, peer) in coordinator.endTurn(at: now) {
            switch peers[peer] {
            case .worker(let number): receive(bytes, byWorker: number)
            case .client(let number): receive(bytes, byClient: number)
            case nil: break
            }
        }
    }

    /// Ends the coordinator, and starts another one on the same record.
    func restartCoordinator() throws(StoreError) {
        arrivals = []
        peers = [:]
        try coordinator.restart(endpoint: endpoint, at: now)
        for number in workers.keys.sorted() {
            workers[number]?.peer = nil
            post(.connectionLost, to: number)
        }
        for number in clients.keys.sorted() { reconnect(client: number) }
        takeCoordinatorTurn()
    }

    /// Ends everything: no function's result is awaited any more, and requests fail.
    func shutDown() {
        for number in workers.keys.sorted() { loseWorker(number) }
        for number in clients.keys.sorted() { close(client: number) }
        peers = [:]
        arrivals = []
        ready = []
        isOver = true
    }
}
