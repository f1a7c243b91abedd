@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// A worker of a test cluster: the real session, with Swift operations as the only work.
final class InProcessWorker {
    /// An attempt whose function has started and has not returned.
    struct Started {
        let attempt: TypedAttempt
        /// When the timeout is over; nil without a timeout, or after its end.
        var deadline: Timestamp?
    }

    /// A number that no other worker of the cluster has, of the same name or not.
    let number: Int
    let name: String
    let types: OperationTypes
    /// What the attempts get of their surroundings.
    let host: TypedAttemptHost
    /// The connection to the coordinator; nil for none.
    var peer: RoutingID?
    var attempts: [AttemptToken: Started] = [:]
    /// Whether the worker waits for its turn.
    var isReady = false
    private(set) var session: WorkerSession
    private var events: [WorkerSession.Event] = []
    private var random: SplitMix

    init(number: Int, types: OperationTypes, host: TypedAttemptHost, _ configuration: WorkerSession.Configuration) {
        self.number = number
        self.types = types
        self.host = host
        name = configuration.name
        session = WorkerSession(configuration)
        random = SplitMix(seed: UInt64(number))
    }

    /// Whether an event waits for the next turn.
    var hasEvents: Bool { !events.isEmpty }

    /// When the worker has something to do without an event; nil for never.
    var nextDeadline: Timestamp? {
        let tick = session.nextTick.map { TestClock.start + $0.roundedUp }
        return attempts.values.reduce(tick) { next, started in
            guard let deadline = started.deadline else { return next }
            return min(next ?? deadline, deadline)
        }
    }

    /// Keeps an event for the next turn.
    func post(_ event: WorkerSession.Event) { events.append(event) }

    /// Handles the events since the last turn.
    ///
    /// - Parameter now: the time since the beginning of the cluster.
    func handleEvents(at now: Duration) {
        let events = events
        self.events = []
        for event in events + [.tick] { session.handle(event, now: now, random: random.next()) }
    }

    /// The effects of the turn; empty at its end.
    func takeEffects(at now: Duration) -> [WorkerSession.Effect] { session.finishTurn(now: now) }
}
