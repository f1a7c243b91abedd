@_spi(Baton) public import BatonOperations

/// The state machine of the coordinator: `(state, event, now) -> (state, effects)`.
///
/// The scheduler owns the unfinished jobs, the queues and the workers, and decides what happens to them. The scheduler has
/// no clock, socket, disk, thread or randomness: time and seeds come in with the events. Actions go out as effects, and the
/// caller has to keep their order. Every input gets an answer, and no input is trusted.
///
/// A growing number of waiting operations does not slow the scheduler down: finishing an operation costs O(its dependents),
/// choosing the next operation O(log n).
@_spi(Baton) public struct Scheduler: Sendable {
    /// The limits by which workers are judged.
    public let configuration: Configuration
    /// The unfinished operations and jobs, and their dependencies.
    var graph = Graph()
    /// The queues, and the order in which they share the workers.
    var queues = QueueBoard()
    /// The workers that have joined.
    var workers = WorkerRoster()
    /// What the attempts at the workers have taken of the workers' offers.
    var ledger = ResourceLedger()
    /// The workers that are kept for operations that fit no worker now.
    var reservations = ReservationTable()
    /// The limits that several queues share.
    var limits = SharedLimitTable()
    /// The workers that get nothing new until an administrator takes the request back.
    var drains = DrainTable()
    /// The recalls of attempts, and the requests that wait for them.
    var requests = DeferredRequests()
    /// The large change that takes turns, and the requests that wait for its end.
    @Boxed var changes = LargeChanges()
    /// The large jobs whose entries are taken in turns, by their reserved numbers; no client, worker or watcher knows them yet.
    var arrivals: [JobNumber: ArrivingJob] = [:]
    /// The facts that are unknown after a restart until the workers report.
    @Boxed var reconciliation = Reconciliation()
    /// The files that finished operations left, and the workers that have copies.
    @Boxed var files = FileTable()
    /// The completion hooks that still have to run or are running.
    @Boxed var hooks = HookTable()
    /// The actions that are due at a time.
    var timers = TimerTable()
    /// The tokens of attempts.
    var tokens: AttemptTokens
    /// Whether the record can be written, the numbers of the next job and event, and the totals.
    var recordState: RecordState
    /// The work that the current event leaves for its end.
    var deferred = DeferredWork()
    /// The event that is being handled, and its effects.
    var current = CurrentEvent()

    /// The maximum number of effects whose memory is kept for the next event: most events have about ten effects, a large
    /// submission has millions.
    private static let mostKeptEffects = 4096

    /// Starts with an empty record.
    public init(
        configuration: Configuration = Configuration(),
        epoch: UInt32 = 1,
        incarnation: Incarnation = .unknown
    ) {
        self.configuration = configuration
        tokens = AttemptTokens(epoch: epoch, incarnation: incarnation)
        recordState = RecordState(nextJob: JobNumber(1))
    }

    /// The starts and ends of attempts since the record was made.
    public internal(set) var attemptTotals: AttemptTotals {
        @inline(__always) get { recordState.totals.attempts }
        @inline(__always) _modify { yield &recordState.totals.attempts }
    }

    /// How many jobs have finished with each outcome since the record was made.
    public var jobsFinished: EndCounts { recordState.totals.jobs }

    /// The time of the current event.
    @inline(__always) var now: Timestamp { current.time }

    /// The next time at which ``Event/timePassed`` is of use; nil if no timer is set.
    public var nextDeadline: Timestamp? { timers.nextDeadline }

    /// Handles one event of a batch, without dispatching the operations that become ready.
    ///
    /// Call ``dispatch()`` after the last event of the batch. Effects may be taken (``takeEffects(into:)``) between two
    /// events.
    ///
    /// - Parameters:
    ///   - event: the event to handle.
    ///   - now: the time of the event; a time before that of the previous event is replaced by the time of the previous
    ///     event.
    public mutating func enter(_ event: Event, at now: Timestamp) {
        current.time = max(current.time, now)
        if reconciliation.isOpen, event.dependsOnWhatStarted {
            reconciliation.postpone(event)
        } else {
            handleInOrder(event)
        }
        finishDeferredWork()
        closeReconcileWindowIfDue()
        if requests.isAnyDue { resumeDueRequests() }
        if !files.unclaimed.isEmpty, !event.isAboutKnownFiles, arrivals.isEmpty, !isAnyRequestWaiting {
            forgetUnclaimedFiles()
        }
    }

    /// Dispatches ready operations and hooks after a batch of events, and then sends the recalls.
    public mutating func dispatch() {
        if recordState.isWritable {
            dispatchReady()
            // An element that has come back to its line has been looked at again.
            while !deferred.files.isEmpty {
                settleFiles()
                dispatchReady()
            }
            dispatchHooks()
        }
        sendRecalls()
    }

    /// Replaces the content of a buffer by the effects of the events since the last call, in order.
    ///
    /// The scheduler reuses the buffer's memory, so that two buffers serve for all events.
    public mutating func takeEffects(into buffer: inout [Effect]) {
        if buffer.capacity > Self.mostKeptEffects { buffer = [] }
        buffer.removeAll(keepingCapacity: true)
        swap(&current.effects, &buffer)
    }

    /// Handles an event; a request waits for none of the recalls of other events.
    mutating func handle(_ event: Event) {
        requests.forgetRecalls()
        current.requester = event.request?.requester
        defer { current.requester = nil }
        switch event {
        case .submit(let validated, let ends, let reserved, let request):
            submit(validated, ends: ends, reserved: reserved, request: request)
        case .arrivalContinued(let validated, let number, let entries):
            continueArrival(of: number, validated, entries: entries)
        case .arrivalEnded(let number):
            endArrival(of: number)
        case .add(let validated, let job, let ends, let request):
            add(validated, to: job, ends: ends, request: request)
        case .close(let jobs, let request):
            close(jobs, request: request)
        case .cancel(let selections, let request):
            cancel(selections, request: request)
        case .hold(let selections, let request):
            hold(selections, request: request)
        case .release(let selections, let request):
            release(selections, request: request)
        case .pause(let selections, let request):
            pause(selections, request: request)
        case .resume(let selections, let request):
            resume(selections, request: request)
        case .signal(let selections, let signal, let request):
            self.signal(selections, signal, request: request)
        case .setPriority(let selections, let priority, let request):
            setPriority(selections, priority, request: request)
        case .depend(let operation, let dependencies, let ends, let request):
            depend(operation, dependencies, ends: ends, request: request)
        case .undepend(let operation, let targets, let request):
            undepend(operation, targets, request: request)
        case .addCommand(let operation, let command, let request):
            addCommand(command, to: operation, request: request)
        case .reportProgress(let operation, let attempt, let progress, let request):
            reportProgress(of: operation, attempt: attempt, progress, request: request)
        case .setQueue(let change, let request):
            setQueue(change, request: request)
        case .deleteQueue(let name, let request):
            deleteQueue(name, request: request)
        case .setLimit(let change, let request):
            setLimit(change, request: request)
        case .drain(let names, let request):
            drain(names, request: request)
        case .undrain(let names, let request):
            undrain(names, request: request)
        case .stop(let names, let isImmediate, let request):
            stop(names, isImmediate: isImmediate, request: request)
        case .forget(let names, let request):
            forget(names, request: request)
        case .workerJoined(let introduction):
            workerJoined(introduction)
        case .workerHeard(let session):
            workerHeard(session)
        case .workerBytesArrived(let session, let time):
            workerBytesArrived(session, at: time)
        case .workerLeaving(let session):
            workerLeaving(session)
        case .workerLeft(let session):
            workerLeft(session)
        case .workerExpelled(let name, let cause):
            workerExpelled(name, because: cause)
        case .attemptsStarted(let session, let starts):
            attemptsStarted(session, starts)
        case .attemptsReturned(let session, let tokens):
            attemptsReturned(session, tokens)
        case .attemptsProgressed(let session, let progress):
            attemptsProgressed(session, progress)
        case .attemptEnded(let session, let token, let operation, let result, let age, let seed):
            attemptEnded(session, token, operation, result, age: age, seed: seed)
        case .filesHeld(let session, let digests, let isFirst):
            filesHeld(session, digests, isFirst: isFirst)
        case .filesSent(let digests):
            filesSent(digests)
        case .filesLackRoom(let bytes):
            giveWay(to: bytes)
        case .filesDropped(let session, let digests, let areDamaged):
            filesDropped(session, digests, areDamaged: areDamaged)
        case .filesMissing(let session, let token, let digests, let givers):
            filesMissing(session, token, digests, givers: givers)
        case .filesNotCopied(let session, let digests, let givers):
            filesNotCopied(session, digests, givers: givers)
        case .fetchOutdated(let session, let token):
            fetchOutdated(session, token)
        case .fetchesProgressed(let session, let fetches):
            fetchesProgressed(session, fetches)
        case .filesKnown(let known):
            filesKnown(known)
        case .jobsDeleted(let jobs):
            jobsDeleted(jobs)
        case .workerDistance(let session, let roundTrip):
            workerDistance(session, roundTrip: roundTrip)
        case .workerHealth(let session, let fault):
            workerHealth(session, fault: fault)
        case .operationsWaiting(let operations):
            reservations.waiting = Set(operations)
        case .changeContinued:
            continueChanges()
        case .committed(let milestone):
            committed(milestone)
        case .recordWritable(let isWritable):
            recordState.isWritable = isWritable
        case .clockStepped(let step):
            note(.clockStepped(step))
        case .scheduleChanged(let name, let news, let requester):
            current.requester = requester
            note(.schedule(name, news))
        case .timePassed:
            timePassed()
        }
    }

    /// Carries out the work that an event has deferred: skips, retained ends of attempts, finished jobs, and what was lost of files.
    ///
    /// Each step is a loop instead of a recursion, so that chains may have any length (DE19).
    mutating func finishDeferredWork() {
        // Most events leave nothing, and are asked first.
        if deferred.hasSkips { finishSkipped() }
        if reconciliation.hasDueEnds { handleDeferredEnds() }
        if !deferred.failingJobs.isEmpty { stopFailingJobs() }
        if !deferred.finishedJobs.isEmpty { closeFinishedJobs() }
        if !deferred.files.isEmpty { settleFiles() }
    }

    /// Continues work that had to wait until a milestone was on disk.
    private mutating func committed(_ milestone: Milestone) {
        switch milestone {
        case .job(let number):
            if let job = graph.job(number), graph[job].uncommittedParts > 0 { graph[job].uncommittedParts -= 1 }
        case .hook(let operation): hooks.noteCommitted(operation)
        case .session(let session): sessionCommitted(session)
        case .dispatch(let session, let token): dispatchCommitted(session, token)
        }
    }

    /// Adds an effect to the effects of the current event.
    mutating func emit(_ effect: Effect) {
        current.effects.append(effect)
    }

    /// Records an event for clients that watch the cluster (OB10).
    ///
    /// - Parameters:
    ///   - queue: the queue of the operations that the event is about.
    ///   - moment: the time of the event; now unless given.
    mutating func note(
        _ subject: consuming ClusterEvent.Subject,
        in queue: String? = nil,
        at moment: Timestamp? = nil
    ) {
        let by = current.requester != nil && subject.isRequested ? current.requester : nil
        let event = ClusterEvent(sequence: recordState.nextEvent, time: moment ?? now, requester: by, subject: subject)
        recordState.nextEvent += event.count
        emit(.event(.event(event), queue: queue))
    }
}
