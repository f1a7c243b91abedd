@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker
@_spi(Baton) import BatonZeroMQ

/// A worker of a test cluster: the real session, with Swift operations as the only work.
final class InProcessWorker {
    /// A number that no other worker of the cluster has, of the same name or not.
    let number: Int
    let name: String
    /// The connection to the coordinator; nil for none.
    var peer: RoutingID?
    /// Whether the worker waits for its turn.
    var isReady = false
    private unowned let machine: Machine
    private let shell: WorkerShell
    /// What the attempts get of their surroundings.
    private let host: TypedAttemptHost
    private var events: [WorkerSession.Event] = []
    private var random: SplitMix

    init(
        _ machine: Machine,
        number: Int,
        types: OperationTypes,
        host: TypedAttemptHost,
        _ configuration: WorkerSession.Configuration
    ) {
        self.machine = machine
        self.number = number
        self.host = host
        name = configuration.name
        let logger = Logger(label: "worker", level: .critical, descriptor: -1)
        shell = WorkerShell(configuration, types: types, logger: logger)
        random = SplitMix(seed: UInt64(number))
    }

    /// When the worker has something to do without an event; nil for never.
    var nextDeadline: Timestamp? { shell.nextDeadline.map { TestClock.start + $0.roundedUp } }

    /// Whether the worker has something to do.
    func isDue(at now: Duration) -> Bool { !events.isEmpty || shell.nextDeadline.map { $0 <= now } ?? false }

    /// Keeps an event for the next turn.
    func post(_ event: WorkerSession.Event) { events.append(event) }

    /// Handles the events since the last turn, and carries out what follows.
    ///
    /// - Returns: why the worker ends; nil if it goes on.
    func takeTurn() -> WorkerSession.ExitReason? {
        let events = events
        self.events = []
        for event in events { shell.handle(event, in: self) }
        return shell.endTurn(in: self)
    }

    /// Has the tasks of all functions cancelled.
    func endFunctions() { shell.endFunctions(in: self) }
}

extension InProcessWorker: WorkerSurroundings {
    typealias Failure = Never

    /// Why a command does not run.
    private static let noCommands =
        "A test cluster runs no commands, only Swift operations and those that do nothing. Run commands in a cluster of processes."

    var now: Duration { machine.clock.elapsed }

    func randomNumber() -> UInt64 { random.next() }

    func openConnection(at place: Int) {
        peer = machine.connect(.worker(number))
        machine.post(.connectionOpened, to: number)
    }

    func closeConnection() {
        machine.disconnect(peer)
        peer = nil
    }

    func lookAtConnection() -> (signAt: Duration?, roundTrip: Duration) { (nil, .zero) }

    func send(_ message: WorkerMessage) throws(Never) {
        guard let peer else { return }
        machine.arrivals.append((message.encoded().withUnsafeBytes { ReceivedMessage(decoding: $0) }, peer))
    }

    func startCommands(of assigned: AssignedWork) {
        let result = AttemptResult(end: .notStarted(Self.noCommands))
        machine.post(.attemptFinished(assigned.assignment.token, result), to: number)
    }

    func start(
        _ function: @escaping OperationTypes.Function,
        argument: [UInt8],
        of assigned: AssignedWork
    ) throws(ThreadFailure) -> TypedAttempt {
        try machine.executor.provide(for: machine.runningFunctions + 1)
        machine.runningFunctions += 1
        let attempt = TypedAttempt(assigned, host: host)
        machine.errands.append(.start(attempt, function, argument: argument, worker: name))
        return attempt
    }

    func end(_ attempt: TypedAttempt, for cause: TypedAttempt.Cause) { machine.errands.append(.end(attempt, cause)) }

    func readOutput(_ request: OutputRequest, isOver: Bool) {
        // Swift operations leave no output.
        machine.post(.outputRead(request: request.number, nil), to: number)
    }

    func fetchFiles(_ files: [InputFile], of token: AttemptToken) {
        // Without commands, no worker of the cluster has a file to give.
        machine.post(.filesUnavailable(token, files.map(\.file.digest)), to: number)
    }

    // There are no commands, no disk, and no other coordinators.
    func openInquiries() {}
    func keepRanks(_ ranks: KnownRanks) {}
    func endCommands(of token: AttemptToken, for cause: WorkerSession.EndCause) {}
    func pauseCommands(of token: AttemptToken) {}
    func resumeCommands(of token: AttemptToken) {}
    func signalCommands(of token: AttemptToken, _ signal: OperationSignal) {}
    func killCommands() {}
    func storeInputs(_ inputs: [Input], of token: AttemptToken) {}
    func discardInputs(of token: AttemptToken) {}
    func dropFetch(of token: AttemptToken) {}
    func releaseFiles(_ digests: [ContentDigest]) {}
    func retainFiles(_ digests: [ContentDigest]) {}
    func verifyFiles(_ digests: [ContentDigest]) {}
    func copyFiles(_ files: [KeptFile]) {}
    func noteStart(_ start: StartedAttempt, at place: Int32) {}
    func eraseStarts(at places: [Int32]) {}
    func forgetEarlierLives() {}
    func keep(_ attempts: [KeptAttempts.Attempt]) {}
    func discardKeptAttempts() {}
}
