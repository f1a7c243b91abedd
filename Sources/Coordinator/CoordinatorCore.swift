import BatonLogging
package import BatonOperations
import BatonScheduler
package import BatonStore
import BatonWire
package import BatonZeroMQ

/// What the coordinator does with what it is told, without a socket, a thread, a clock or a disk of its own.
///
/// It turns messages into the scheduler's events, and effects into messages and changes of the record. What has to be on disk
/// first waits in here for the record's word; dispatches do not. Give it what comes in, end each turn with
/// ``endTurn(at:isDrained:)``, and carry out what ``takeActions()`` returns, in that order: the same code runs behind a real
/// socket and in a simulation.
package final class CoordinatorCore {
    /// What is to be done outside.
    package enum Action: Sendable {
        /// Send a message to a peer, if it is still there: a worker says what it holds when it comes back, and a client asks
        /// again. Call ``CoordinatorCore/delivered(_:to:)`` once the message is not kept any more, sent or not.
        case send([UInt8], to: RoutingID)
        /// Have changes kept together, behind all earlier ones, and call ``CoordinatorCore/committed(_:at:)`` when they are.
        case keep([RecordChange], batch: UInt64)
        /// Ask the record, behind all that was to be kept before, and bring its answer back.
        case ask(RecordQuestion)
        /// Try again to keep what could not be kept.
        case retryRecord
    }

    let options: CoordinatorOptions
    let endpoint: String
    let logger: Logger
    var scheduler: Scheduler
    let startedAt: Timestamp
    /// How far the time of day, as this coordinator takes it, is ahead of the record's own clock.
    private let aheadOfRecord: Duration
    /// The moment of what is being handled.
    private(set) var now: Timestamp
    private var actions: [Action] = []
    /// The effects of the last event; a buffer that is used again and again.
    private var effects: [Effect] = []

    /// Where the messages of a session go.
    var peers: [SessionID: RoutingID] = [:]
    /// How many requests of each client are to be answered yet.
    var openRequests = OpenRequests<RoutingID>()
    /// How much those requests take.
    var requestBytes = CoordinatorCore.requestBudget
    /// How much is set aside for answers, or waits to be sent, by peer.
    var answerBytes = CoordinatorCore.answerBudget
    /// The requests that wait for their turns, and for room for their answers.
    var requestLines = RequestLines()
    /// Whose request is done next.
    var turns = FairTurns<RoutingID>()
    /// How much was asked of this turn of the loop, in bytes of answers.
    var servedBytes = 0
    /// What the record is being asked for clients.
    var readings = OpenReadings()
    /// How long the record may take for the request that is being done; nil where none is.
    var reading: OpenReadings.Length?
    /// How many large submissions are not answered.
    var largeSubmissions = 0
    /// Whom the scheduler's answers are for.
    var requests: [RequestID: ReplyAddress] = [:]
    var nextRequest: UInt64 = 1
    /// The keys that the record is being asked for, with the submissions that came with the same key meanwhile.
    var openKeys: [String: [(submission: ValidatedSubmission, client: ReplyAddress)]] = [:]
    var waits = WaitRegistry()
    var queueEnds = QueueEnds()
    var watches = WatchRegistry()
    var pendingOutputs: [UInt64: PendingOutput] = [:]
    /// How often each worker has asked for inputs that it has not been sent.
    var openInputs = OpenRequests<SessionID>()
    /// What could not be read when workers asked for inputs; it is read again at the next heartbeat.
    var unreadInputs: [UnsentInputs] = []
    /// The inputs that are read once their worker has read earlier ones, of each worker in their order.
    var unsentInputs: [SessionID: Fifo<UnsentInputs>] = [:]
    var nextOutputRequest: UInt64 = 1
    /// The jobs that the record is asked about for the sake of what comes next, such as others that depend on them: they must
    /// not be removed before it.
    var pins: [UInt64: Set<JobNumber>] = [:]
    private var nextPin: UInt64 = 1
    var removal = Removal()
    /// Set while the record cannot be written.
    var storeTrouble: StoreError?

    /// What this turn of the loop gathers; see ``endTurn(at:isDrained:)``.
    var changes: [RecordChange] = []
    var afterCommit: [Outgoing] = []
    var dispatches: [SessionID: DispatchBuilder] = [:]
    var touchedJobs: Set<JobNumber> = []

    /// How long after a commit changes that nobody waits for are gathered: a commit costs as much as a hundred changes.
    ///
    /// A worker gathers its reports for less than half of that, so that two of them share a commit.
    private static let gatheringTime = Duration.milliseconds(10)
    /// The same while somebody watches the events, of which nobody is told before they are on disk.
    private static let watchedGatheringTime = Duration.milliseconds(1)

    /// How often the record's clock is kept at least while an operation waits for a time: that is what is added to the wait
    /// where the coordinator is killed.
    private static let clockInterval = Duration.seconds(5)
    /// The same while nothing does, for the age of what is finished.
    private static let idleClockInterval = Duration.seconds(60)

    /// What may be sent once a batch of changes is on disk.
    enum Outgoing {
        /// A reply to a client.
        case reply(Reply, ReplyAddress)
        /// Completions that their worker may forget.
        case acknowledge(SessionID, AttemptToken)
        /// A wait that is to be answered out of the record.
        case waitAnswer(WaitRegistry.Wait)
        /// A submission whose key is being kept with another: the record can answer it then.
        case submission(ValidatedSubmission, ReplyAddress)
        /// Something that the scheduler waits for; it comes with a change of the same event, so never at the end of its turn.
        case milestone(Milestone)
    }

    /// The newest event of each batch that is not on disk yet: nobody is told of it before.
    private var eventOfBatch: [UInt64: UInt64] = [:]
    private var lastBatch: UInt64 = 0
    private var committedBatch: UInt64 = 0
    private(set) var uncommitted: [(batch: UInt64, outgoing: [Outgoing])] = []
    /// The keys of submissions that are not on disk yet, with the batches that they belong to.
    var keysBeingKept: [String: UInt64] = [:]
    private var nextTidying: Timestamp
    /// When the record was last told how far its clock has come.
    private var clockKeptAt: Timestamp
    private var lateness: Lateness
    /// The batch that what happens now belongs to.
    var nextBatch: UInt64 { lastBatch + 1 }
    /// When to have kept at the latest what nobody waits for; nil where nothing was gathered.
    private var flushAt: Timestamp?
    /// When what was gathered was last handed on to be kept.
    private var lastFlush: Timestamp
    private var random: SplitMix

    /// Goes on from what the record holds.
    ///
    /// - Parameters:
    ///   - options: how the coordinator is to run.
    ///   - state: what the record says, its epoch raised.
    ///   - endpoint: where it can be reached, for those who ask.
    ///   - seed: what the jitter of retries comes from.
    ///   - now: the present moment.
    package init(
        _ options: CoordinatorOptions,
        state: StoredState,
        endpoint: String,
        seed: UInt64,
        at now: Timestamp
    ) {
        var state = state
        aheadOfRecord = state.begin(at: now)
        self.options = options
        self.endpoint = endpoint
        self.now = now
        logger = options.logger
        startedAt = now
        nextTidying = now
        clockKeptAt = now
        lastFlush = now
        lateness = Lateness(at: now)
        random = SplitMix(seed: seed)
        scheduler = Scheduler(
            configuration: options.configuration,
            epoch: state.epoch,
            nextJob: state.nextJob,
            queues: state.queues,
            jobs: state.jobs,
            settled: state.settled,
            finished: state.finished,
            hooks: state.hooks,
            workers: state.workers,
            starts: state.starts,
            nextEvent: state.nextEvent,
            at: now
        )
        watches.newestEvent = state.nextEvent - 1
        carryOut(scheduler.takeInitialEffects())
        keepClock()
    }

    /// The present moment, by the record's own clock.
    var recordTime: Timestamp { now + (.zero - aheadOfRecord) }

    /// Has kept how far the record's clock has come, with what is gathered.
    package func keepClock() {
        if changes.isEmpty { changes.append(.clock(recordTime, at: now)) }
    }

    /// Handles a message.
    ///
    /// - Parameters:
    ///   - message: what was sent, whatever it is.
    ///   - peer: where it came from, and where an answer goes.
    ///   - now: the present moment; it never goes backwards.
    package func receive(_ message: ReceivedMessage, from peer: RoutingID, at now: Timestamp) {
        self.now = now
        switch message.content {
        case .success(.worker(let content)): receive(content, from: peer)
        case .success(.client(let content)): receive(content, message, from: peer)
        case .failure(let error): receiveUnreadable(error, request: message.request, from: peer)
        }
    }

    /// Goes on with what the record answered.
    package func take(_ answer: RecordAnswer, at now: Timestamp) {
        self.now = now
        if let length = answer.length { readings.end(length) }
        reading = answer.length
        perform(answer.task)
        reading = nil
        if let pin = answer.pin { pins[pin] = nil }
    }

    /// Passes on what the record answered while the coordinator ends: nothing more can be kept, and whoever asked for more
    /// than an answer asks again when there is a coordinator.
    package func passOn(_ answer: RecordAnswer) {
        switch answer.task {
        case .answer, .sendInputs: perform(answer.task)
        default: break
        }
    }

    /// Lets everybody know what waited for a batch of changes, which is on disk, as are all before it.
    package func committed(_ batch: UInt64, at now: Timestamp) {
        self.now = now
        committedBatch = batch
        if let event = eventOfBatch.removeValue(forKey: batch) { watches.newestEvent = event }
        keysBeingKept = keysBeingKept.filter { $0.value > batch }
        var released = 0
        while released < uncommitted.count, uncommitted[released].batch <= batch {
            release(uncommitted[released].outgoing)
            released += 1
        }
        uncommitted.removeFirst(released)
    }

    /// Notes that the record cannot be written; what was not kept stays first in line.
    ///
    /// A request that was being kept just then is answered neither way until it is. It was carried out: its job has a number,
    /// its events have theirs, and what happened since builds on both, so that it is kept as soon as anything can be, and
    /// must not be called refused. Nor is it sure that it would be forgotten by a coordinator that is started again (see
    /// `Recorder`). A client that cannot wait asks again under its key.
    package func recordFailed(_ error: StoreError, at now: Timestamp) {
        self.now = now
        if storeTrouble == nil {
            apply(.recordWritable(false))
            logger.error(
                "the record cannot be written; nothing is acknowledged until it can",
                metadata: ["error": "\(error)"]
            )
        }
        storeTrouble = error
    }

    /// Notes that the record can be written again.
    package func recordRecovered(at now: Timestamp) {
        self.now = now
        apply(.recordWritable(true))
        storeTrouble = nil
        logger.info("the record can be written again")
    }

    /// Notes the end of a wait that should have ended at a time, or before.
    package func wokeUp(at now: Timestamp, expected: Timestamp) {
        self.now = now
        lateness.wokeUp(at: now, expected: expected)
    }

    /// Sends what may go at once, and has kept what is to be kept.
    ///
    /// - Parameter isDrained: whether all messages that had arrived were handled.
    package func endTurn(at now: Timestamp, isDrained: Bool) {
        self.now = now
        passTime(isDrained: isDrained)
        endTurn()
    }

    /// What is to be done outside since the last call, in this order.
    package func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    /// Everything about the scheduler's state that is not as it must be; empty unless there is a fault in it.
    ///
    /// - Complexity: O(state); for tests.
    package var violations: [String] { scheduler.violations() }

    /// Does what a request comes to once all is looked up.
    func perform(_ task: CoordinatorTask) {
        switch task {
        case .answer(let bytes, let client): send(bytes, to: client)
        case .sendInputs(let message, let inputs, let hasMore): send(message, of: inputs, hasMore: hasMore)
        case .inputsUnread(let inputs):
            returnRoom(of: inputs)
            unreadInputs.append(inputs)
        case .submission(.success(let submission), _, let client): submit(submission, for: client)
        case .submission(.failure(let answer), let key, let client):
            send(answer.reply, to: client)
            release(key: key)
        case .submissionUnread(let submission, let error, let client):
            refuse(submission.submission, isKeyNew: submission.isKeyNew, with: Refusal(error), for: client)
        case .change(let change, let targets, let client): apply(change, to: targets, for: client)
        case .dependencies(let request, let client): resume(request, for: client)
        case .wait(let targets, let limit, let waiter, let began, let client):
            wait(for: targets, atMost: limit, by: waiter, since: began, client)
        case .retry(let submission, let client): submit(submission, for: client)
        case .events(let result, let watch): answer(watch, with: result)
        case .log(let request, let client): answer(request, client)
        case .removed(let result): noteRemoval(result)
        }
    }

    /// Handles an event and what follows from it.
    func apply(_ event: Event) { apply(CollectionOfOne(event)) }

    /// Handles events that came together, and what follows from them.
    ///
    /// Effects are carried out after each of them, while they are in the processor's cache: those of a whole report are not.
    func apply(_ events: some Collection<Event>) {
        for event in events {
            scheduler.enter(event, at: now)
            carryOutEffects()
        }
        scheduler.dispatch()
        carryOutEffects()
    }

    private func carryOutEffects() {
        scheduler.takeEffects(into: &effects)
        carryOut(effects)
    }

    /// A number for the jitter of a retry.
    func seed() -> UInt64 { random.next() }

    /// When a turn is due if nothing else happens.
    package var nextDeadline: Timestamp {
        var next = nextTidying
        if let deadline = scheduler.nextDeadline { next = min(next, max(deadline, lateness.clockFrom)) }
        if let deadline = waits.nextDeadline { next = min(next, deadline) }
        if let deadline = watches.nextDeadline { next = min(next, deadline) }
        if let flushAt { next = min(next, flushAt) }
        if canServeRequestLines || canServeInputs { next = min(next, now) }
        return next
    }

    private func passTime(isDrained: Bool) {
        if isDrained { lateness.drained(at: now) }
        if let deadline = scheduler.nextDeadline, deadline <= now, lateness.allowsClock(at: now, isDrained: isDrained) {
            apply(.timePassed)
        }
        if now >= nextTidying {
            nextTidying = now + options.heartbeatInterval
            peers = peers.filter { scheduler.isCurrent($0.key) }
            dropLateOutputRequests(now)
            queueEnds.forgetOld(now: now)
            if storeTrouble == nil { sendUnreadInputs() } else { actions.append(.retryRecord) }
            if removal.isDue(at: now) { removeFinished() }
            let interval = scheduler.isAnythingPostponed ? Self.clockInterval : Self.idleClockInterval
            if clockKeptAt + interval <= now, storeTrouble == nil { keepClock() }
        }
    }

    /// Sends what may go at once, and hands what has to be kept to the recorder.
    private func endTurn() {
        serveRequestLines()
        if !unsentInputs.isEmpty { serveInputs() }
        for wait in waits.takeDue(touched: touchedJobs, now: now, isOpen: isOpen) {
            afterCommit.append(.waitAnswer(wait))
        }
        touchedJobs.removeAll(keepingCapacity: true)
        if removal.isWorthwhile(for: options.retention) { removeFinished() }
        serveWatches()
        for (session, builder) in dispatches.inOrder {
            guard let peer = peers[session] else { continue }
            send(CoordinatorMessage.dispatch(builder.batch).encoded(), to: peer)
        }
        dispatches.removeAll(keepingCapacity: true)

        let isAnythingGathered = !changes.isEmpty || !afterCommit.isEmpty
        let dueAt = lastFlush + (watches.isAnybodyWatching ? Self.watchedGatheringTime : Self.gatheringTime)
        if isAnybodyWaiting || isAnythingGathered && dueAt <= now {
            flush()
        } else {
            flushAt = isAnythingGathered ? dueAt : nil
        }
    }

    /// Whether what was gathered has an answer in it that somebody waits for.
    ///
    /// A worker does not: it has its next operation already, and keeps completions until they are acknowledged.
    private var isAnybodyWaiting: Bool {
        afterCommit.contains { if case .acknowledge = $0 { false } else { true } }
    }

    /// Has everything that was gathered kept, and sent when it is.
    package func flush() {
        flushAt = nil
        lastFlush = now
        keepChanges()
        guard !afterCommit.isEmpty else { return }
        if committedBatch == lastBatch {
            release(afterCommit)
        } else {
            uncommitted.append((lastBatch, afterCommit))
        }
        afterCommit = []
    }

    /// Hands what was gathered so far to the recorder.
    private func keepChanges() {
        guard !changes.isEmpty else { return }
        if case .clock? = changes.last {} else { changes.append(.clock(recordTime, at: now)) }
        clockKeptAt = now
        lastBatch += 1
        let batch = lastBatch
        eventOfBatch[batch] = scheduler.newestEvent
        actions.append(.keep(changes, batch: batch))
        changes = []
    }

    /// Asks the record something, behind everything that happened until now, so that no answer misses any of it, and goes on
    /// with a task.
    ///
    /// - Parameters:
    ///   - pinned: jobs that must not be removed before the task is done.
    ///   - toleratesFailure: whether an answer will do that misses what cannot be kept just now.
    func read<Value: Sendable>(
        pinning pinned: Set<JobNumber> = [],
        toleratingFailure toleratesFailure: Bool = false,
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value,
        then task: @escaping @Sendable (Result<Value, StoreError>) -> CoordinatorTask
    ) {
        keepChanges()
        var pin: UInt64?
        if !pinned.isEmpty {
            pin = nextPin
            pins[nextPin] = pinned
            nextPin += 1
        }
        if let reading { readings.begin(reading) }
        actions.append(
            .ask(RecordQuestion(pin: pin, length: reading, toleratesFailure: toleratesFailure, body, then: task))
        )
    }

    /// Sends what had to wait for the disk.
    private func release(_ outgoing: [Outgoing]) {
        var acknowledged: [SessionID: [AttemptToken]] = [:]
        for item in outgoing {
            switch item {
            case .reply(let reply, let client): send(reply, to: client)
            case .acknowledge(let session, let token): acknowledged[session, default: []].append(token)
            case .waitAnswer(let wait):
                reading = wait.client.reading
                answer(wait)
                reading = nil
            case .submission(let submission, let client): submit(submission, for: client)
            case .milestone(let milestone): apply(.kept(milestone))
            }
        }
        for (session, tokens) in acknowledged.inOrder {
            if let peer = peers[session] { send(CoordinatorMessage.acknowledge(tokens).encoded(), to: peer) }
        }
    }

    /// Sends a message.
    func send(_ bytes: [UInt8], to peer: RoutingID) {
        answerBytes.take(bytes.count, for: peer)
        actions.append(.send(bytes, to: peer))
    }

    /// Answers a client's request at once.
    func send(_ reply: Reply, to client: ReplyAddress) {
        send(ClientReply.reply(client.number, reply).encoded(), to: client)
    }

    /// Sends an answer, by which the request is no longer open.
    private func send(_ answer: [UInt8], to client: ReplyAddress) {
        close(client)
        noteLength(answer.count, ofAnswerTo: client)
        send(answer, to: client.peer)
    }
}

extension Dictionary where Key == SessionID {
    /// The elements in an order that does not change from one run to the next, so that a simulated run can be repeated.
    fileprivate var inOrder: [(key: SessionID, value: Value)] {
        count > 1 ? sorted { $0.key.rawValue < $1.key.rawValue } : Array(self)
    }
}
