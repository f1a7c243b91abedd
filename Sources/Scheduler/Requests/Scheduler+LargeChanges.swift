@_spi(Baton) import BatonOperations

/// Changes of many operations, in turns.
@_spi(Baton) extension Scheduler {
    /// Whether ``Event/changeContinued`` is of use now: a large change has a turn left that waits for no worker, or requests wait
    /// for the end of one.
    public var hasTurnLeft: Bool {
        @inline(__always) get { changes.hasTurn }
    }

    /// Handles an event, unless the event asks for a change and an earlier request for a large one has not ended.
    ///
    /// Submissions and additions do not wait: a request means no operation that was added after it.
    @inline(__always)
    mutating func handleInOrder(_ event: Event) {
        if changes.holdsUpRequests, event.changesOperations {
            changes.append(event, firstLaterAge: graph.nextSequence)
        } else {
            handle(event)
        }
    }

    /// Whether a change of so many nodes is to take turns.
    ///
    /// A request that workers' answers bring back during a large change came before it, and is carried out at once.
    func takesTurns(_ nodeCount: Int) -> Bool {
        nodeCount > configuration.operationsPerTurn && changes.underWay == nil && !current.isGivingUp
    }

    /// Begins a change of unstarted operations, and takes its first turn unless workers have to say first what has started.
    ///
    /// - Parameter notes: the notes at the end of the answer.
    mutating func beginChange(
        _ kind: LargeChange.Kind,
        of places: [NodeIndex],
        notes: [String],
        request: RequestID
    ) {
        for place in places { recall(place) }
        begin(LargeChange(kind: kind, request: request, report: ChangeReport(changed: 0), lastNotes: notes), of: places)
    }

    /// Begins a cancellation of many operations, and takes its first turn.
    ///
    /// The operations that workers have are cancelled now: they are as few as the workers can take. The other operations get the
    /// mark ``CancellationStage/awaitsTurn``, which keeps an operation from being dispatched or skipped until its turn.
    ///
    /// - Parameter notes: the notes of the answer.
    mutating func beginCancellation(
        of places: [NodeIndex],
        _ selections: [OperationSelection],
        notes: [String],
        request: RequestID
    ) {
        var report = ChangeReport(changed: 0)
        var waiting: [NodeIndex] = []
        for place in places {
            guard graph[place].token == nil, !graph[place].isCancelled else {
                report.changed += cancel(place)
                continue
            }
            graph[place].cancellation = .awaitsTurn
            report.changed += Int(graph[place].count)
            waiting.append(place)
        }
        // Now, so that nothing is added to a job between the turns.
        let closed = closeCancelled(selections)
        begin(LargeChange(kind: .cancel, request: request, report: report, lastNotes: notes + closed), of: waiting)
    }

    /// Begins to finish many operations that were cancelled while their queue was suspended, and takes the first turn (SU4).
    ///
    /// They keep their flag until their turns, so that a restarted coordinator finishes what had no turn.
    ///
    /// - Parameters:
    ///   - report: the answer, which comes after the last turn.
    ///   - request: the request for the resume; nil for a resume that a submission brings.
    mutating func beginToFinishFlagged(inQueue queue: QueueIndex, _ report: ChangeReport, request: RequestID?) {
        let flagged = queues[queue].flagged.compactMap { graph.resolve($0) }
        queues[queue].flagged = []
        begin(LargeChange(kind: .finishFlagged, request: request, report: report, lastNotes: []), of: flagged)
    }

    /// Lets operations of a new job start, which are ready and reserved; many of them start in the turns of a large change.
    ///
    /// - Parameter request: the submission, which has its answer.
    mutating func beginStart(of references: [SlabReference<OperationNode>], request: RequestID) {
        let kind = LargeChange.Kind.start(now)
        guard references.count > configuration.operationsPerTurn else {
            return withoutWaiting { scheduler in
                var report = ChangeReport(changed: 0)
                for reference in references {
                    guard let place = scheduler.graph.resolve(reference) else { continue }
                    scheduler.carryOut(kind, at: place, &report)
                    scheduler.unreserve(reference)
                }
            }
        }
        // The first turn does not belong to the submission: another change may come first.
        let report = ChangeReport(changed: 0)
        changes.add(LargeChange(kind: kind, request: request, report: report, lastNotes: []), of: references)
    }

    /// Begins a change, which waits for the recalls of the current request.
    private mutating func begin(_ change: LargeChange, of places: [NodeIndex]) {
        var change = change
        for place in places { reserve(place) }
        if requests.awaitsRecalls, let request = change.request { change.wait = wait(request, until: .turns) }
        changes.add(change, of: places.map { graph.reference(to: $0) })
        if change.mayGoOn { takeTurn() }
    }

    /// Takes the next turn of a large change, or handles the first request that has waited for its end.
    mutating func continueChanges() {
        guard changes.hasTurn else { return }
        if let change = changes.begin() {
            current.requester = change.request?.requester
            takeTurn()
        } else if let (event, firstLaterAge) = changes.takeWaiting() {
            current.firstLaterAge = firstLaterAge
            handle(event)
            current.firstLaterAge = nil
        }
    }

    /// Takes the first turn of a change that nobody has asked for, unless an earlier change takes turns.
    ///
    /// From then on, requests wait. A cancellation before it would find operations that await their turn, and have no effect (CA1).
    mutating func beginChanges() {
        guard changes.underWay == nil else { return }
        let requester = current.requester
        continueChanges()
        current.requester = requester
    }

    private mutating func takeTurn() {
        guard let change = changes.begin() else { return }
        var report = change.report
        let most = max(1, configuration.operationsPerTurn) * change.turnFactor
        // The answer waits for the recalls of the first turn alone: its patience does not grow with the number of turns.
        withoutWaiting { scheduler in
            for reference in scheduler.changes.takeNodes(atMost: most) {
                guard let place = scheduler.graph.resolve(reference) else { continue }
                scheduler.carryOut(change.kind, at: place, &report)
                scheduler.unreserve(reference)
            }
        }
        report.notes = Array(report.notes.prefix(Self.mostNotes))
        changes.note(report)
        if changes.isLastTurnOver { endChange() }
    }

    private mutating func carryOut(_ kind: LargeChange.Kind, at place: NodeIndex, _ report: inout ChangeReport) {
        switch kind {
        case .cancel:
            // Counted in the first turn.
            if graph[place].cancellation == .awaitsTurn {
                graph[place].cancellation = .notRequested
                _ = cancel(place)
            }
        case .hold: hold(place, &report)
        case .release: release(place, &report)
        case .setPriority(let priority): setPriority(place, priority, &report)
        case .start(let moment):
            if graph[place].stage == .ready, graph[place].readyAt == nil { graph[place].readyAt = moment }
        case .endOverdue:
            if graph[place].cancellation == .awaitsTurn {
                graph[place].cancellation = .notRequested
                endOverdue(place)
            }
        case .finishFlagged: advance(place, on: .queueResumed)
        }
    }

    /// Ends a change after its last turn, and gives the answer or lets it wait for the workers.
    private mutating func endChange() {
        guard let change = changes.end(), let request = change.request else { return }
        if case .start = change.kind { return }
        var report = change.report
        report.notes += change.lastNotes
        guard let wait = change.wait else { return conclude(request, report) }
        report.notes = Array(report.notes.prefix(Self.mostNotes))
        requests.continueWait(wait, until: .answer(.changed(report)))
    }
}

extension Event {
    /// Whether the event is a request whose outcome depends on earlier changes of operations and queues.
    fileprivate var changesOperations: Bool {
        switch self {
        case .cancel, .hold, .release, .setPriority, .depend, .undepend, .addCommand, .setQueue, .deleteQueue: true
        default: false
        }
    }
}
