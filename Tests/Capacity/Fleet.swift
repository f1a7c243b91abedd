@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// All workers of a run, on a simulated clock of steps.
///
/// Owns the workers, the plan when each acts, and the ledger of what they have done.
struct Fleet {
    /// The length of a step.
    ///
    /// All messages of a step reach the coordinator in one turn, like messages that wait for a busy loop.
    static let step = Duration.milliseconds(10)

    /// What has happened to each operation.
    private(set) var ledger: RunLedger
    /// How many workers are welcome.
    private(set) var welcomed = 0
    /// The messages to workers that cannot occur in a run without lost workers.
    private(set) var surprises: [String] = []
    private let meanDuration: Duration
    private var workers: [FleetWorker]
    private var agenda: Agenda
    private var random: SplitMix
    /// The step at which the workers act now.
    private var now = 0

    /// Makes workers that nobody has heard of.
    init(_ plan: CapacityPlan) {
        ledger = RunLedger(plan)
        meanDuration = plan.duration
        workers = (0..<plan.workers).map { FleetWorker(number: $0, slots: plan.slots) }
        agenda = Agenda(workers: plan.workers)
        random = SplitMix(seed: plan.seed)
    }

    /// The moment of a step: some day, so that times look as in a real record.
    static func time(_ number: Int) -> Timestamp { Timestamp(rawValue: 1_700_000_000_000_000) + step * number }

    /// The first step at a moment or after it.
    static func firstStep(at time: Timestamp) -> Int {
        let (length, passed) = (step.microseconds, (time - Self.time(0)).microseconds)
        return Int((passed + length - 1) / length)
    }

    // MARK: - The connection

    /// Has all workers lose the coordinator.
    mutating func disconnect() {
        for number in workers.indices { workers[number].disconnect() }
        welcomed = 0
    }

    /// Has all workers say hello, each at a moment of its own within the next second.
    mutating func connect() {
        for number in workers.indices {
            let delay = Duration.microseconds(Int64.random(in: 0..<1_000_000, using: &random))
            workers[number].connection = .greeting(nextHello: Self.time(now) + delay)
            plan(number)
        }
    }

    // MARK: - Time

    /// Lets the workers act whose moment has come.
    ///
    /// - Returns: the messages to the coordinator, in their order.
    mutating func act(at step: Int) -> [MeasuredCoordinator.Letter] {
        now = step
        var letters: [MeasuredCoordinator.Letter] = []
        for number in agenda.take(step) {
            if let message = nextMessage(of: number) {
                letters.append((message.encoded(), RoutingID(inProcess: UInt64(number) + 1)))
            }
            plan(number)
        }
        return letters
    }

    private mutating func nextMessage(of number: Int) -> WorkerMessage? {
        let time = Self.time(now)
        workers[number].end(at: time)
        switch workers[number].connection {
        case .away: return nil
        case .greeting(let nextHello):
            guard nextHello <= time else { return nil }
            return workers[number].hello(session: SessionID(rawValue: random.next()), at: time)
        case .welcomed:
            startWaiting(at: number)
            return workers[number].message(at: time)
        }
    }

    private mutating func startWaiting(at number: Int) {
        for operation in workers[number].start(at: Self.time(now)) { ledger.start(operation) }
    }

    private mutating func plan(_ number: Int) {
        guard let moment = workers[number].nextMoment else { return }
        agenda.plan(number, at: max(now + 1, Self.firstStep(at: moment)))
    }

    // MARK: - Messages

    /// Delivers a coordinator's message to a worker, which acts at the next step.
    mutating func deliver(_ bytes: [UInt8], toWorker number: Int) throws {
        guard workers.indices.contains(number) else {
            throw CapacityError("A message is addressed to the worker \(number + 1), which does not exist.")
        }
        switch try bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) {
        case .welcome(let welcome): receive(welcome, at: number)
        case .challenge(let challenge):
            workers[number].echo = challenge
            sayHello(at: number)
        case .sayHello: sayHello(at: number)
        case .dispatch(let batch): receive(batch, at: number)
        case .acknowledge(let tokens):
            for token in tokens {
                guard let operation = workers[number].forget(token) else { continue }
                ledger.end(operation)
            }
        case .recall(let tokens):
            workers[number].giveBack(tokens)
            agenda.plan(number, at: now + 1)
        case .cancel(let tokens): note("worker \(number + 1) is to end \(tokens.count) attempts")
        case .refused(let refusal): note("worker \(number + 1) is refused: \(refusal)")
        case .superseded(let refusal, _): note("worker \(number + 1) is superseded: \(refusal)")
        case .stop: note("worker \(number + 1) is stopped")
        case .heartbeat, .leadership, .pauses, .signal, .inputs, .typedInputs, .inputFiles, .releaseFiles, .retainFiles,
            .verifyFiles, .copyFiles, .readPiece, .pieceUnavailable, .directSource, .admitReader, .readOutput:
            break
        }
    }

    private mutating func note(_ surprise: String) {
        if surprises.count < 10 { surprises.append(surprise) }
    }

    private mutating func sayHello(at number: Int) {
        if workers[number].isWelcomed { welcomed -= 1 }
        workers[number].connection = .greeting(nextHello: Self.time(now))
        agenda.plan(number, at: now + 1)
    }

    private mutating func receive(_ welcome: Welcome, at number: Int) {
        guard welcome.session == workers[number].session, !workers[number].isWelcomed else { return }
        workers[number].connection = .welcomed
        workers[number].heartbeatInterval = welcome.heartbeatInterval
        welcomed += 1
        for token in welcome.staleAttempts {
            // The end of an attempt is stale if its commit was not acknowledged any more.
            if let operation = workers[number].forget(token) {
                ledger.end(operation)
            } else {
                note("worker \(number + 1) has a stale attempt")
            }
        }
        if !welcome.foreignAttempts.isEmpty { note("worker \(number + 1) has a foreign attempt") }
        workers[number].giveBack(welcome.recalledAttempts)
        startWaiting(at: number)
        agenda.plan(number, at: now + 1)
    }

    private mutating func receive(_ batch: DispatchBatch, at number: Int) {
        let mean = max(2, meanDuration.microseconds)
        for item in batch.items {
            let assignment = item.assignment
            let duration = Int64.random(in: mean / 2...mean + mean / 2, using: &random)
            workers[number].waiting.append(
                FleetWorker.Attempt(
                    token: assignment.token,
                    operation: assignment.operation,
                    number: assignment.attempt,
                    duration: .microseconds(duration)
                )
            )
        }
        startWaiting(at: number)
        agenda.plan(number, at: now + 1)
    }
}
