import Logging
import Operations
import Scheduler
import Store
import Wire
import ZeroMQ

/// The loop around the scheduler: messages in, events; effects, messages out.
///
/// One thread runs it and nothing else touches its socket. What has to be on disk first waits for the recorder's word;
/// dispatches do not.
final class CoordinatorLoop {
    let options: CoordinatorOptions
    let endpoint: String
    let logger: Logger
    let tasks: Mailbox<LoopTask>
    private let recorder: Recorder
    var scheduler: Scheduler
    let clock: Clock
    let startedAt: Timestamp

    private let context: Context
    private let socket: Socket
    private var poller = Poller()

    /// Where the messages of a session go.
    var peers: [SessionID: RoutingID] = [:]
    /// Whom the scheduler's answers are for.
    var requests: [RequestID: ReplyAddress] = [:]
    var nextRequest: UInt64 = 1
    /// The keys that the record is being asked for, with the submissions that came with the same key meanwhile.
    var openKeys: [String: [(submission: Submission, client: ReplyAddress)]] = [:]
    var waits = WaitRegistry()
    var watches = WatchRegistry()
    var pendingOutputs: [UInt64: PendingOutput] = [:]
    /// Whose inputs could not be read when their workers asked; they are read again at the next heartbeat.
    var unreadInputs: [AttemptToken: (operation: OperationID, session: SessionID)] = [:]
    var nextOutputRequest: UInt64 = 1
    /// Set while the record cannot be written.
    var storeTrouble: StoreError?

    /// What this turn of the loop gathers; see ``endTurn()``.
    var changes: [RecordChange] = []
    var afterCommit: [Outgoing] = []
    var dispatches: [SessionID: DispatchBuilder] = [:]
    var touchedJobs: Set<JobNumber> = []

    /// How long changes that nobody waits for are gathered: a commit costs as much as a hundred changes.
    private static let gatheringTime = Duration.milliseconds(5)

    /// What may be sent once a batch of changes is on disk.
    enum Outgoing {
        /// A reply to a client.
        case reply(Reply, ReplyAddress)
        /// Completions that their worker may forget.
        case acknowledge(SessionID, AttemptToken)
        /// A wait that is to be answered out of the record.
        case waitAnswer(WaitRegistry.Wait)
        /// Something that the scheduler waits for.
        case milestone(Milestone)
    }

    /// The newest event of each batch that is not on disk yet: nobody is told of it before.
    private var eventOfBatch: [UInt64: UInt64] = [:]
    private var lastBatch: UInt64 = 0
    private var committedBatch: UInt64 = 0
    private var uncommitted: [(batch: UInt64, outgoing: [Outgoing])] = []
    private var nextHeartbeat: Timestamp
    private var lateness: Lateness
    /// When to have kept at the latest what nobody waits for.
    private var flushAt: Timestamp?
    private var isStopping = false
    private var random = SystemRandomNumberGenerator()

    init(_ options: CoordinatorOptions, tasks: Mailbox<LoopTask>) throws(CoordinatorError) {
        self.options = options
        self.tasks = tasks
        logger = options.logger
        clock = Clock()
        startedAt = clock.now
        nextHeartbeat = startedAt
        lateness = Lateness(at: startedAt)
        try Self.checkReach(of: options)

        do throws(ZeroMQError) {
            let context = try Context()
            self.context = context
            var settings = SocketOptions()
            settings.maximumMessageSize = WireLimits.maximumMessageLength
            settings.linger = .seconds(1)
            socket = try Socket(.router, in: context, options: settings)
            try socket.bind(options.listen)
            endpoint = try socket.lastEndpoint
        } catch {
            throw Self.bindError(error, options.listen)
        }
        let state: StoredState
        do throws(StoreError) {
            let store = try SQLiteStore(path: options.storePath, eventHistory: options.eventHistory)
            state = try store.open()
            recorder = try Recorder(
                store: store,
                onFailure: { tasks.post(.storeFailed($0)) },
                onRecovery: { tasks.post(.storeRecovered) }
            )
        } catch {
            let kind: CoordinatorError.Kind = error.kind == .inUse ? .storeInUse : .storeNotAccessible
            throw CoordinatorError(kind, error.description)
        }
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
            nextEvent: state.nextEvent,
            at: startedAt
        )
        watches.newestEvent = state.nextEvent - 1
        logger.info(
            "listening",
            metadata: [
                "address": "\(endpoint)", "store": "\(options.storePath)", "epoch": "\(state.epoch)",
                "unfinishedJobs": "\(state.jobs.count)",
            ]
        )
    }

    /// Serves until it is told to stop.
    func run() throws(CoordinatorError) {
        defer {
            socket.close()
            context.terminate()
        }
        let incoming = poller.add(socket)
        let wake = poller.add(tasks.waker)
        carryOut(scheduler.takeInitialEffects())
        endTurn()
        do throws(ZeroMQError) {
            while !isStopping {
                let start = clock.now
                let deadline = max(nextDeadline, start)
                _ = try poller.poll(timeout: deadline - start)
                lateness.wokeUp(at: clock.now, expected: deadline)
                if poller.isReadable(wake) { performTasks() }
                let isDrained = poller.isReadable(incoming) ? try receiveMessages() : true
                passTime(isDrained: isDrained)
                endTurn()
            }
        } catch {
            recorder.shutDown()
            throw CoordinatorError(.other, "The coordinator's socket failed: \(error).")
        }
        // What was taken is put on disk, and whoever waits for that is told.
        flush()
        recorder.shutDown()
        for task in tasks.takeAll() {
            switch task {
            case .committed, .send, .sendInputs: perform(task)
            // Nothing more can be kept: whoever asks for more asks again when there is a coordinator.
            default: break
            }
        }
        logger.info("stopped")
    }

    private func performTasks() {
        for task in tasks.takeAll() { perform(task) }
    }

    /// Does what another thread asked for, or what a request comes to once all is looked up.
    func perform(_ task: LoopTask) {
        switch task {
        case .committed(let batch): committed(batch)
        case .kept(let milestone): apply(.kept(milestone))
        case .storeFailed(let error): storeFailed(error)
        case .storeRecovered:
            storeTrouble = nil
            logger.info("the record can be written again")
        case .send(let bytes, let peer): send(bytes, to: peer)
        case .sendInputs(let messages, let session):
            guard let peer = peers[session] else { return }
            for message in messages { send(message, to: peer) }
        case .inputsUnread(let operation, let token, let session): unreadInputs[token] = (operation, session)
        case .submission(.success(let submission), _, let client): submit(submission, for: client)
        case .submission(.failure(let answer), let key, let client):
            send(answer.reply, to: client)
            release(key: key)
        case .change(let change, let targets, let client): apply(change, to: targets, for: client)
        case .dependencies(let request, let client): resume(request, for: client)
        case .wait(let targets, let limit, let waiter, let client):
            wait(for: targets, atMost: limit, by: waiter, client)
        case .retry(let submission, let client): submit(submission, for: client)
        case .events(let result, let watch): answer(watch, with: result)
        case .log(let request, let client): answer(request, client)
        case .stop: isStopping = true
        }
    }

    /// Takes messages in, not more than a turn's worth, so that what they lead to is not held up.
    ///
    /// - Returns: whether none is left.
    private func receiveMessages() throws(ZeroMQError) -> Bool {
        for _ in 0..<256 {
            guard let routed = try socket.receiveRouted() else { return true }
            let peer = routed.sender
            guard !routed.message.isMalformed else {
                logger.debug("dropped a message of a wrong number of frames", metadata: ["peer": "\(peer)"])
                continue
            }
            let decoded = routed.message.withUnsafeBytes { bytes in
                Result { () throws(WireError) in try Incoming(decoding: bytes) }
            }
            switch decoded {
            case .success(.worker(let message)): receive(message, from: peer)
            case .success(.client(let message)): receive(message, from: peer)
            case .failure(let error):
                let request = routed.message.withUnsafeBytes { ClientMessage.requestNumber(of: $0) }
                receiveUnreadable(error, request: request, from: peer)
            }
        }
        return false
    }

    /// Handles an event and what follows from it.
    func apply(_ event: Event) {
        carryOut(scheduler.apply(event, at: clock.now))
    }

    /// A number for the jitter of a retry.
    func seed() -> UInt64 { random.next() }

    private var nextDeadline: Timestamp {
        var next = nextHeartbeat
        if let deadline = scheduler.nextDeadline { next = min(next, max(deadline, lateness.clockFrom)) }
        if let deadline = waits.nextDeadline { next = min(next, deadline) }
        if let deadline = watches.nextDeadline { next = min(next, deadline) }
        if let flushAt { next = min(next, flushAt) }
        return next
    }

    private func passTime(isDrained: Bool) {
        let now = clock.now
        if isDrained { lateness.drained(at: now) }
        if let deadline = scheduler.nextDeadline, deadline <= now, lateness.allowsClock(at: now, isDrained: isDrained) {
            apply(.timePassed)
        }
        if now >= nextHeartbeat {
            nextHeartbeat = now + options.heartbeatInterval
            let heartbeat = CoordinatorMessage.heartbeat.encoded()
            peers = peers.filter { scheduler.isCurrent($0.key) }
            for peer in peers.values { send(heartbeat, to: peer) }
            dropLateOutputRequests(now)
            if storeTrouble == nil { sendUnreadInputs() } else { recorder.retry() }
        }
    }

    /// Sends what may go at once, and hands what has to be kept to the recorder.
    private func endTurn() {
        for wait in waits.takeDue(touched: touchedJobs, now: clock.now, isOpen: isOpen) {
            afterCommit.append(.waitAnswer(wait))
        }
        touchedJobs.removeAll(keepingCapacity: true)
        serveWatches()
        for (session, builder) in dispatches {
            guard let peer = peers[session] else { continue }
            send(CoordinatorMessage.dispatch(builder.batch).encoded(), to: peer)
        }
        dispatches.removeAll(keepingCapacity: true)

        if isAnybodyWaiting {
            flush()
        } else if flushAt == nil, !changes.isEmpty || !afterCommit.isEmpty {
            flushAt = clock.now + Self.gatheringTime
        } else if let flushAt, flushAt <= clock.now {
            flush()
        }
    }

    /// Whether what was gathered has an answer in it that somebody waits for.
    ///
    /// A worker does not: it has its next operation already, and keeps completions until they are acknowledged.
    private var isAnybodyWaiting: Bool {
        afterCommit.contains { if case .acknowledge = $0 { false } else { true } }
    }

    /// Has everything that was gathered kept, and sent when it is.
    private func flush() {
        flushAt = nil
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
        lastBatch += 1
        let batch = lastBatch
        eventOfBatch[batch] = scheduler.newestEvent
        let tasks = tasks
        recorder.append(changes) { result in
            if case .success = result { tasks.post(.committed(batch)) }
        }
        changes = []
    }

    /// Asks the record something, behind everything that happened until now, so that no answer misses any of it.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        keepChanges()
        recorder.read(body, completion: completion)
    }

    private func committed(_ batch: UInt64) {
        committedBatch = batch
        if let event = eventOfBatch.removeValue(forKey: batch) { watches.newestEvent = event }
        var released = 0
        while released < uncommitted.count, uncommitted[released].batch <= batch {
            release(uncommitted[released].outgoing)
            released += 1
        }
        uncommitted.removeFirst(released)
    }

    /// Sends what had to wait for the disk.
    private func release(_ outgoing: [Outgoing]) {
        var acknowledged: [SessionID: [AttemptToken]] = [:]
        for item in outgoing {
            switch item {
            case .reply(let reply, let client): send(reply, to: client)
            case .acknowledge(let session, let token): acknowledged[session, default: []].append(token)
            case .waitAnswer(let wait): answer(wait)
            // As a task: what follows from it belongs to a turn from its beginning on.
            case .milestone(let milestone): tasks.post(.kept(milestone))
            }
        }
        for (session, tokens) in acknowledged {
            if let peer = peers[session] { send(CoordinatorMessage.acknowledge(tokens).encoded(), to: peer) }
        }
    }

    private func storeFailed(_ error: StoreError) {
        if storeTrouble == nil {
            logger.error(
                "the record cannot be written; nothing is acknowledged until it can",
                metadata: ["error": "\(error)"]
            )
        }
        storeTrouble = error
    }

    /// Sends a message if its receiver is still connected.
    ///
    /// One that is not has lost it: a worker says what it holds when it comes back, and a client asks again.
    func send(_ bytes: [UInt8], to peer: RoutingID) {
        do throws(ZeroMQError) {
            if case .sent = try socket.send(bytes, to: peer) { return }
            logger.debug("the receiver of a message is gone", metadata: ["peer": "\(peer)"])
        } catch {
            logger.warning("a message could not be sent", metadata: ["peer": "\(peer)", "error": "\(error)"])
        }
    }

    /// Answers a client's request at once.
    func send(_ reply: Reply, to client: ReplyAddress) {
        send(ClientReply.reply(client.number, reply).encoded(), to: client.peer)
    }

    private static func checkReach(of options: CoordinatorOptions) throws(CoordinatorError) {
        guard options.listen.hasPrefix("tcp://") else {
            throw CoordinatorError(
                .badAddress,
                "\"\(options.listen)\" is not an address to listen at. Give one like \(CoordinatorOptions.defaultEndpoint)."
            )
        }
        let address = options.listen.dropFirst("tcp://".count)
        let isLoopback = ["127.", "localhost:", "[::1]:"].contains { address.hasPrefix($0) }
        guard isLoopback || options.isInsecure else {
            throw CoordinatorError(
                .insecureAddress,
                "\(options.listen) can be reached from other hosts, and anybody there could run commands as you. "
                    + "Listen at a loopback address, or say --insecure if the network is your own."
            )
        }
    }

    private static func bindError(_ error: ZeroMQError, _ address: String) -> CoordinatorError {
        switch error.reason {
        case .addressInUse:
            CoordinatorError(
                .addressInUse,
                "Another process listens at \(address) already. Stop it, or choose another address with --listen."
            )
        default:
            CoordinatorError(.badAddress, "The coordinator cannot start: \(error)")
        }
    }
}
