@_spi(Baton) import BatonInvariants
@_spi(Baton) package import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) package import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) package import BatonZeroMQ

/// The coordinator's logic, without a socket, a thread, a clock or a disk of its own.
///
/// The way of an event: a message or an answer comes in here, the scheduler makes effects of the event, the effects become
/// messages and changes of the record, and the turn's actions go out. Pass all input to the core, end each turn with
/// ``endTurn(at:isDrained:)``, and carry out the actions of ``takeActions()`` in their order. The same code runs behind a real
/// socket and in a simulation.
///
/// The core owns the scheduler and the actions, which no other file changes. The rest of the state is in structs with private
/// state, and the head of each struct says what the struct owns and guarantees: ``CommitQueue`` and ``Removal`` for the record,
/// ``Admission`` and ``AwaitedAnswers`` for the clients, ``SubmissionKeys``, ``LatestRetries``, ``WaitRegistry``,
/// ``WorkerWaits``, ``WatchRegistry``, ``OutputRequests``, ``RecentFailures`` and ``ThroughputRing`` for their requests,
/// ``WorkerPeers``, ``DispatchBatches``, ``InputDelivery``, ``Appearances`` and ``HelloChallenges`` for the workers,
/// ``RetainedFiles``, ``FileConnections`` and ``PieceRequests`` for the files, ``ScheduleBoard`` for the schedules,
/// ``RefusedVersions`` and ``LateResults`` for the log.
package final class CoordinatorCore {
    let options: CoordinatorOptions
    let endpoint: String
    let logger: Logger
    /// The keys behind the tokens of operations; nil for a coordinator without keys.
    let operationKeys: OperationKeys?
    /// The incarnation of the record's first start, from which the identities of spans are derived.
    let record: Incarnation
    let startedAt: Timestamp
    /// The moment of the present input.
    private(set) var now: Timestamp
    /// How far the host's clock is ahead of the coordinator's own time.
    private(set) var aheadOfOwnTime = Duration.zero
    /// How far the record was ahead of the host's clock at the start; nil if it was not.
    private let lead: RecordLead?
    /// The lead, once the host's clock was set and has passed the record's newest time.
    private(set) var outrunLead: RecordLead?

    private(set) var scheduler: Scheduler
    /// The effects of the last event; a reused buffer.
    private var effects: [Effect] = []
    private(set) var actions: [Action] = []
    private var invariantSchedule = InvariantSchedule()
    /// The last batch that was handed over with a turn of a large change.
    var batchOfLastTurn: UInt64 = 0
    /// When what is due once in each interval of heartbeats is due again.
    var nextTidying: Timestamp
    var lateness: Lateness
    /// Since when the lease of this leader is unproven; nil while it is proven, or without a lease.
    var silentSince: Timestamp?
    private var random: SplitMix

    // The record.
    var commits: CommitQueue
    var removal = Removal()

    // The clients and their requests.
    var admission = Admission()
    var answers = AwaitedAnswers()
    var keys = SubmissionKeys()
    var latestRetries = LatestRetries()
    var waits = WaitRegistry()
    var queueEnds = QueueEnds()
    /// The keys with which the coordinator's own keys were handed over, and which serve no second time.
    var usedKeys: Set<KeyNumber> = []
    var workerWaits = WorkerWaits()
    var watches = WatchRegistry()
    var outputs = OutputRequests()
    var recentFailures: RecentFailures
    var throughput: ThroughputRing
    var jobPaces = JobPaces()
    var turns = DurationHistogram()

    // What starts by itself.
    var schedules = ScheduleBoard()

    // The workers.
    var workers = WorkerPeers()
    var dispatches = DispatchBatches()
    var inputs = InputDelivery()
    var refusedVersions = RefusedVersions()
    var histories = WorkerHistories()
    /// The ends that the present report tells of attempts which are not the worker's any more, or never were.
    var staleEnds: Set<StaleEnd> = []
    var lateResults = LateResults()
    var appearances = Appearances()
    var challenges = HelloChallenges()
    var loads: WorkerLoads
    /// The first start of the record that workers have reported and that is not earlier than the present start; nil without one.
    var rivalStart: LeaderRank?

    // The files.
    var retainedFiles = RetainedFiles()
    var fileConnections = FileConnections()
    var pieces = PieceRequests()

    /// Continues from the state in the record.
    ///
    /// - Parameters:
    ///   - options: the coordinator's options.
    ///   - state: the record's state, with a raised epoch.
    ///   - endpoint: the coordinator's address, for status documents.
    ///   - operationKeys: the keys behind the tokens of operations; nil for a coordinator without keys.
    ///   - seed: the seed for the jitter of retries.
    ///   - now: the present moment.
    package init(
        _ options: CoordinatorOptions,
        state: StoredState,
        endpoint: String,
        operationKeys: OperationKeys? = nil,
        seed: UInt64,
        at now: Timestamp
    ) {
        var state = state
        let aheadOfRecord = state.begin(at: now)
        self.options = options
        self.endpoint = endpoint
        self.operationKeys = operationKeys
        record = state.record
        lead = state.lead
        self.now = now
        logger = options.logger
        startedAt = now
        nextTidying = now
        recentFailures = RecentFailures(at: now, earlier: state.recent)
        // What happened before the start is no part of the first second.
        throughput = ThroughputRing(
            at: now,
            beginning: ThroughputRing.Moment(started: state.totals.attempts.started),
            earlier: state.recent
        )
        loads = WorkerLoads(at: now)
        commits = CommitQueue(RecordClock(ahead: aheadOfRecord, at: now), at: now)
        lateness = Lateness(at: now)
        random = SplitMix(seed: seed)
        scheduler = Scheduler(
            configuration: options.configuration,
            epoch: state.epoch,
            nextJob: state.nextJob,
            queues: state.queues,
            jobs: state.jobs,
            acceptedAt: state.acceptedAt,
            ends: state.dependencyEnds,
            elementEnds: state.elementEnds,
            endTimes: state.dependencyTimes,
            finished: state.finished,
            totals: state.totals,
            hooks: state.hooks,
            workers: state.workers,
            drains: state.drains,
            pauses: state.pauses,
            limits: state.limits,
            files: state.files,
            keptUntil: state.filesKeptUntil,
            starts: state.starts,
            nextEvent: state.nextEvent,
            firstOrderedJob: state.firstOrderedJob,
            at: now
        )
        watches.noteNewest(state.nextEvent - 1)
        carryOut(scheduler.takeInitialEffects())
        if let lead { tell(of: lead) }
        if !state.schedules.isEmpty { restore(state.schedules) }
        commitClock()
    }

    // MARK: - Input

    /// Handles a message.
    ///
    /// - Parameters:
    ///   - message: the message, readable or not.
    ///   - peer: the sender, and the receiver of any answer.
    ///   - requester: the holder of the sender's key; nil for a coordinator without keys.
    ///   - now: the present moment; must never go backwards.
    package func receive(
        _ message: ReceivedMessage,
        from peer: RoutingID,
        by requester: Requester? = nil,
        at now: Timestamp
    ) {
        self.now = now
        switch message.content {
        case .success(.worker(let content)):
            if permits(content, by: requester, from: peer) {
                receive(content, length: message.length, from: peer, by: requester)
            }
        case .success(.hello(let protocols, let proof)):
            if permitsHello(with: proof, by: requester, from: peer) { welcome(peer, speaking: protocols) }
        case .success(.request(let number, let request)):
            if permits(request, number: number, by: requester, from: peer) {
                admit(request, message, number: number, from: peer, by: requester)
            }
        case .success(.piece(let head, let bytes)): receive(head, bytes, from: peer)
        case .failure(let error): receiveUnreadable(error, request: message.request, from: peer)
        }
    }

    /// Continues with an answer from the record.
    package func receive(_ answer: RecordAnswer, at now: Timestamp) {
        self.now = now
        proceed(with: answer)
    }

    /// Sends the messages that waited for a batch of changes, after the commit of the batch and of all earlier batches.
    package func committed(_ batch: UInt64, at now: Timestamp) {
        self.now = now
        carryOutFollowUps(ofBatch: batch)
    }

    /// Notes that the record cannot be written; the failed changes stay first in line.
    package func recordFailed(_ error: StoreError, at now: Timestamp) {
        self.now = now
        noteFailure(error)
    }

    /// Notes that the record can be written again.
    package func recordRecovered(at now: Timestamp) {
        self.now = now
        noteRecovery()
    }

    /// Notes the end of a poll that should have ended at the expected time or earlier.
    package func wokeUp(at now: Timestamp, expected: Timestamp) {
        self.now = now
        lateness.wokeUp(at: now, expected: expected)
        if throughput.note(moment, at: now) { loads.note(scheduler.workerLoads, at: now) }
    }

    /// Notes how long the turn so far took, before the silence of workers has consequences.
    package func noteWork(from start: Timestamp, to now: Timestamp) {
        self.now = now
        lateness.worked(from: start, to: now)
    }

    /// Notes the present moment of an input that another file handles.
    func note(_ now: Timestamp) { self.now = now }

    /// Notes how far the host's clock is ahead of the coordinator's own time.
    func noteHostClock(_ ahead: Duration) {
        if let lead, lead.isOutrun(at: now + ahead, after: ahead - aheadOfOwnTime) { outrunLead = lead }
        aheadOfOwnTime = ahead
    }

    // MARK: - Events

    /// The arrays that a submission depends on element by element, and whose finished elements the record has to tell.
    func unknownElements(of validated: ValidatedSubmission) -> Set<Address> { scheduler.unknownElements(of: validated) }

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
        if invariantSchedule.isDue(after: events.count, state: scheduler.size) {
            expensiveInvariant(scheduler.violations())
        }
    }

    private func carryOutEffects() {
        scheduler.takeEffects(into: &effects)
        carryOut(effects)
    }

    /// Takes the totals for the record, if any have changed since they were last taken.
    func takeChangedTotals() -> ClusterTotals? { scheduler.takeChangedTotals() }

    /// The worker with a current session; nil if the session is not current.
    func reporter(in session: SessionID) -> Scheduler.Reporter? { scheduler.reporter(in: session) }

    /// Whether a message with a key may speak for a session.
    func mayUse(_ session: SessionID, withKey key: UInt32?) -> Bool { scheduler.mayUse(session, withKey: key) }

    /// The relation of a session to an attempt.
    func possession(
        of token: AttemptToken,
        _ operation: OperationID,
        in session: SessionID
    ) -> Scheduler.Possession {
        scheduler.possession(of: token, operation, in: session)
    }

    /// Whether a job has unfinished operations, or takes further ones.
    func isUnfinished(_ job: JobNumber) -> Bool { scheduler.isUnfinished(job) }

    /// A random number, as for the jitter of a retry.
    func seed() -> UInt64 { random.next() }

    // MARK: - Output

    /// Takes the next job's number for a submission that comes into the record in parts; nil if all numbers are used up.
    func reserveJob() -> JobNumber? { scheduler.reserveJob() }

    /// The actions since the last call, in the order to carry them out.
    package func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    /// Hands on the large jobs that were removed since the last turn: another thread gives back their memory.
    func freeRemovedJobs() {
        if let removed = scheduler.takeRemovedJobs() { emit(.free(Remains(of: removed))) }
    }

    /// Adds an action behind all earlier actions.
    func emit(_ action: Action) { actions.append(action) }

    /// Sends a message.
    func send(_ bytes: [UInt8], to peer: RoutingID) {
        admission.noteMessage(bytes.count, to: peer)
        actions.append(.send(bytes, to: peer))
    }

    /// Sends a message over a connection for files, together with those right before it to the same peer.
    func sendTogether(_ bytes: [UInt8], to peer: RoutingID) {
        admission.noteMessage(bytes.count, to: peer)
        guard case .sendTogether(var messages, let last)? = actions.last, last == peer else {
            return actions.append(.sendTogether([bytes], to: peer))
        }
        // Before the change: the list has a single owner then, and is not copied.
        actions.removeLast()
        messages.append(bytes)
        actions.append(.sendTogether(messages, to: peer))
    }

    /// Answers a client's request at once.
    func send(_ reply: Reply, to client: ReplyAddress) {
        if let errand = client.errand { return answer(errand, reply) }
        send(PreparedReply(reply, to: client), to: client)
    }

    /// Sends a client a prepared reply, and closes the request.
    func send(_ reply: PreparedReply, to client: ReplyAddress) {
        admission.close(client, replyLength: reply.length)
        switch reply {
        case .message(let bytes): send(bytes, to: client.peer)
        case .history(let page): emit(.handOver(page, to: client.peer))
        }
    }

    // MARK: - Checks

    /// Whether a present or a lost worker has a name; a worker that has left in order does not count.
    package func hasWorker(named name: String) -> Bool {
        scheduler.worker(named: name).map { $0.condition != .left } ?? false
    }

    /// All violations of the scheduler's invariants; empty unless the scheduler has a bug.
    ///
    /// - Complexity: O(state); for tests.
    package var violations: [String] { scheduler.violations() }
}

extension Scheduler {
    /// The number of operations, queues and workers that a check of all invariants looks at.
    fileprivate var size: Int { counts.unfinished + queueCount + workerCount }
}
