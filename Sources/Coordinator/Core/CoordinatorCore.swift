import BatonLogging
package import BatonOperations
import BatonScheduler
package import BatonStore
import BatonWire
package import BatonZeroMQ

/// The coordinator's logic, without a socket, a thread, a clock or a disk of its own.
///
/// The core turns messages into the scheduler's events, and turns effects into messages and changes of the record. Messages
/// that require a commit wait in the core until the record confirms the commit; dispatches do not wait. Pass all input to the
/// core, end each turn with ``endTurn(at:isDrained:)``, and carry out the actions of ``takeActions()`` in their order. The
/// same code runs behind a real socket and in a simulation.
package final class CoordinatorCore {
    /// An action for the core's owner to carry out.
    package enum Action: Sendable {
        /// Send a message to a peer that is still connected: after a reconnection, a worker reports its attempts and a client
        /// repeats its requests. Call ``CoordinatorCore/delivered(_:to:)`` once the message is sent or dropped.
        case send([UInt8], to: RoutingID)
        /// Commit changes together, after all earlier changes, and call ``CoordinatorCore/committed(_:at:)`` after the
        /// commit.
        case keep([RecordChange], batch: UInt64)
        /// Ask the record, after all earlier changes are committed, and pass the answer to ``CoordinatorCore/take(_:at:)``.
        case ask(RecordQuestion)
        /// Try again to commit the changes that failed.
        case retryRecord
    }

    let options: CoordinatorOptions
    let endpoint: String
    let logger: Logger
    var scheduler: Scheduler
    let startedAt: Timestamp
    /// How far the coordinator's time of day is ahead of the record's own clock.
    private let aheadOfRecord: Duration
    /// The moment of the present input.
    private(set) var now: Timestamp
    private var actions: [Action] = []
    /// The effects of the last event; a reused buffer.
    private var effects: [Effect] = []

    /// The peer of each session.
    var peers: [SessionID: RoutingID] = [:]
    /// The number of each client's unanswered requests.
    var openRequests = OpenRequests<RoutingID>()
    /// The bytes of the unanswered requests, by peer.
    var requestBytes = CoordinatorCore.requestBudget
    /// The bytes of replies that are reserved or wait to be sent, by peer.
    var answerBytes = CoordinatorCore.answerBudget
    /// The requests that wait for their turns and for room for their replies.
    var requestLines = RequestLines()
    /// Decides whose request comes next.
    var turns = FairTurns<RoutingID>()
    /// The bytes of replies requested in this turn of the loop.
    var servedBytes = 0
    /// The record's open readings for clients.
    var readings = OpenReadings()
    /// How long the record may take for the present request; nil outside a request.
    var reading: OpenReadings.Length?
    /// The number of unanswered large submissions.
    var largeSubmissions = 0
    /// The clients that the scheduler's answers go to.
    var requests: [RequestID: ReplyAddress] = [:]
    var nextRequest: UInt64 = 1
    /// The keys that the record is looking up, with later submissions of the same key.
    var openKeys: [String: [(submission: ValidatedSubmission, client: ReplyAddress)]] = [:]
    var waits = WaitRegistry()
    var queueEnds = QueueEnds()
    var watches = WatchRegistry()
    var pendingOutputs: [UInt64: PendingOutput] = [:]
    /// The number of each worker's unanswered requests for inputs.
    var openInputs = OpenRequests<SessionID>()
    /// The inputs that could not be read; the next tidying with a writable record reads the inputs again.
    var unreadInputs: [UnsentInputs] = []
    /// The inputs to read once their worker has read the earlier inputs, in order, by worker.
    var unsentInputs: [SessionID: Fifo<UnsentInputs>] = [:]
    var nextOutputRequest: UInt64 = 1
    /// The jobs in pending readings of the record: the job must not be removed before the task that follows, such as a
    /// submission that depends on the job.
    var pins: [UInt64: Set<JobNumber>] = [:]
    private var nextPin: UInt64 = 1
    var removal = Removal()
    /// The error while the record cannot be written.
    var storeTrouble: StoreError?

    /// The output of this turn of the loop; see ``endTurn(at:isDrained:)``.
    var changes: [RecordChange] = []
    var afterCommit: [Outgoing] = []
    var dispatches: [SessionID: DispatchBuilder] = [:]
    var touchedJobs: Set<JobNumber> = []

    /// How long after a commit the core gathers changes that no client waits for: a commit costs as much as a hundred
    /// changes.
    ///
    /// A worker gathers its reports for less than half of this time, so that two reports share a commit.
    private static let gatheringTime = Duration.milliseconds(10)
    /// The same while a client watches the events, since no client gets an event before the event is on disk.
    private static let watchedGatheringTime = Duration.milliseconds(1)

    /// The longest time between two commits of the record's clock while an operation waits for a time.
    ///
    /// After a kill of the coordinator, the wait is longer by up to this time.
    private static let clockInterval = Duration.seconds(5)
    /// The same while no operation waits for a time; the ages of finished jobs need the clock.
    private static let idleClockInterval = Duration.seconds(60)

    /// A message or action that waits until a batch of changes is on disk.
    enum Outgoing {
        /// A reply to a client.
        case reply(Reply, ReplyAddress)
        /// A completion that the worker may forget.
        case acknowledge(SessionID, AttemptToken)
        /// A wait to answer from the record.
        case waitAnswer(WaitRegistry.Wait)
        /// A submission with the key of an earlier, uncommitted submission; the record can answer after the commit.
        case submission(ValidatedSubmission, ReplyAddress)
        /// A milestone that the scheduler waits for.
        ///
        /// A milestone always comes with a change of the same event, so no milestone is released at the end of its own turn.
        case milestone(Milestone)
    }

    /// The newest event of each uncommitted batch; no client gets the event before the commit.
    private var eventOfBatch: [UInt64: UInt64] = [:]
    private var lastBatch: UInt64 = 0
    private var committedBatch: UInt64 = 0
    private(set) var uncommitted: [(batch: UInt64, outgoing: [Outgoing])] = []
    /// The keys of uncommitted submissions, with their batches.
    var keysBeingKept: [String: UInt64] = [:]
    private var nextTidying: Timestamp
    /// When the record's clock was last passed to the recorder.
    private var clockKeptAt: Timestamp
    private var lateness: Lateness
    /// The batch of the present changes.
    var nextBatch: UInt64 { lastBatch + 1 }
    /// When to commit gathered changes at the latest; nil if no changes are gathered.
    private var flushAt: Timestamp?
    /// When gathered changes were last passed to the recorder.
    private var lastFlush: Timestamp
    private var random: SplitMix

    /// Continues from the state in the record.
    ///
    /// - Parameters:
    ///   - options: the coordinator's options.
    ///   - state: the record's state, with a raised epoch.
    ///   - endpoint: the coordinator's address, for status documents.
    ///   - seed: the seed for the jitter of retries.
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

    /// The present moment by the record's own clock.
    var recordTime: Timestamp { now + (.zero - aheadOfRecord) }

    /// Adds the record's clock to the gathered changes, unless other changes will add the clock anyway.
    package func keepClock() {
        if changes.isEmpty { changes.append(.clock(recordTime, at: now)) }
    }

    /// Handles a message.
    ///
    /// - Parameters:
    ///   - message: the message, readable or not.
    ///   - peer: the sender, and the receiver of any answer.
    ///   - now: the present moment; must never go backwards.
    package func receive(_ message: ReceivedMessage, from peer: RoutingID, at now: Timestamp) {
        self.now = now
        switch message.content {
        case .success(.worker(let content)): receive(content, from: peer)
        case .success(.client(let content)): receive(content, message, from: peer)
        case .failure(let error): receiveUnreadable(error, request: message.request, from: peer)
        }
    }

    /// Continues with an answer from the record.
    package func take(_ answer: RecordAnswer, at now: Timestamp) {
        self.now = now
        if let length = answer.length { readings.end(length) }
        reading = answer.length
        perform(answer.task)
        reading = nil
        if let pin = answer.pin { pins[pin] = nil }
    }

    /// Passes on an answer from the record while the coordinator stops.
    ///
    /// No more changes can be committed, so requests with further steps stay unanswered; their clients repeat the requests
    /// when a coordinator is back.
    package func passOn(_ answer: RecordAnswer) {
        switch answer.task {
        case .answer, .sendInputs: perform(answer.task)
        default: break
        }
    }

    /// Releases the messages that waited for a batch of changes, after the commit of the batch and of all earlier batches.
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

    /// Notes that the record cannot be written; the failed changes stay first in line.
    ///
    /// A request whose commit failed gets no reply until the commit succeeds. The request was performed: its job and its
    /// events have numbers, and later changes build on both. The changes are committed as soon as the disk permits, so a
    /// refusal would be false. Even after a crash, a restarted coordinator may find the changes on disk (see `Recorder`). An
    /// impatient client asks again under the same key.
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

    /// Notes the end of a poll that should have ended at the expected time or earlier.
    package func wokeUp(at now: Timestamp, expected: Timestamp) {
        self.now = now
        lateness.wokeUp(at: now, expected: expected)
    }

    /// Ends a turn: handles due timers, sends messages that need no commit, and passes changes to the recorder.
    ///
    /// - Parameter isDrained: whether the turn handled all messages that had arrived.
    package func endTurn(at now: Timestamp, isDrained: Bool) {
        self.now = now
        passTime(isDrained: isDrained)
        endTurn()
    }

    /// The actions since the last call, in the order to carry them out.
    package func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    /// All violations of the scheduler's invariants; empty unless the scheduler has a bug.
    ///
    /// - Complexity: O(state); for tests.
    package var violations: [String] { scheduler.violations() }

    /// Performs the task that follows a lookup.
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

    /// Handles an event and its effects.
    func apply(_ event: Event) { apply(CollectionOfOne(event)) }

    /// Handles events that came together, and their effects.
    ///
    /// The effects are carried out after each event, while the effects are in the processor's cache; the effects of a whole
    /// report would not fit.
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

    /// When the next turn is due without other input.
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

    /// Sends messages that need no commit, and passes changes to the recorder.
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

    /// Whether any gathered reply has a client waiting for the commit.
    ///
    /// A worker does not wait: the worker has its next operation already, and keeps completions until their acknowledgement.
    private var isAnybodyWaiting: Bool {
        afterCommit.contains { if case .acknowledge = $0 { false } else { true } }
    }

    /// Passes all gathered changes to the recorder; the messages that wait for the commit are sent after the commit.
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

    /// Passes the gathered changes to the recorder.
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

    /// Asks the record, after all changes up to now are committed, and continues with a task.
    ///
    /// - Parameters:
    ///   - pinned: jobs that must not be removed before the end of the task.
    ///   - toleratesFailure: whether the answer may leave out changes that cannot be committed at present.
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

    /// Sends the messages that waited for a commit.
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

    /// Sends a reply and closes the request.
    private func send(_ answer: [UInt8], to client: ReplyAddress) {
        close(client)
        noteLength(answer.count, ofAnswerTo: client)
        send(answer, to: client.peer)
    }
}

extension Dictionary where Key == SessionID {
    /// The elements in an order that is the same in each run, so that a simulated run can be repeated.
    fileprivate var inOrder: [(key: SessionID, value: Value)] {
        count > 1 ? sorted { $0.key.rawValue < $1.key.rawValue } : Array(self)
    }
}
