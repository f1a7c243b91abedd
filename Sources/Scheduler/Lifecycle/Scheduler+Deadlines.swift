@_spi(Baton) import BatonOperations

/// Deadlines of operations and jobs: what is not finished then ends as failed (SC5).
///
/// The deadline of a job spares the operations that are there for failures: those with a dependency `onFailure`, and all that depends
/// on these.
///
/// The record has no more than the options and the times of the submission and of additions, from which a restarted coordinator knows
/// the deadlines. Like delays, they count by the record's clock.
extension Scheduler {
    /// Sets the timers for the deadlines of new operations of a job.
    ///
    /// - Parameters:
    ///   - entries: the entries of the operations.
    ///   - time: when the operations were accepted.
    /// - Complexity: O(entries).
    mutating func noteDeadlines(of job: JobIndex, entries: Range<Int>, since time: Timestamp) {
        var options: Set<Duration> = []
        for entry in entries {
            if let option = graph[job].deadline(ofEntry: entry) { options.insert(option) }
        }
        for option in options {
            note(JobDeadlines.Deadline(moment: time + option, entries: entries, option: option), of: job)
        }
    }

    /// Sets the timer for the deadline of a whole job, if the job has one.
    ///
    /// - Parameter time: when the job was accepted.
    mutating func noteDeadline(ofWhole job: JobIndex, since time: Timestamp) {
        guard let duration = graph[job].settings.deadline else { return }
        note(JobDeadlines.Deadline(moment: time + duration, entries: 0..<Int.max, option: nil), of: job)
    }

    private mutating func note(_ deadline: JobDeadlines.Deadline, of job: JobIndex) {
        var deadlines = graph[job].deadlines ?? JobDeadlines()
        let isFirst = deadlines.add(deadline)
        graph[job].deadlines = deadlines
        guard isFirst else { return }
        timers.insert(Timer(deadline: deadline.moment, purpose: .jobDeadline(graph[job].number)))
    }

    /// Ends the operations whose deadline has come.
    mutating func deadlinePassed(_ moment: Timestamp, of number: JobNumber) {
        guard let job = graph.job(number) else { return }
        graph[job].deadlines?.pass(moment)
        endOverdueOperations(of: job)
    }

    /// Ends the operations whose deadlines have come during the reconcile window.
    ///
    /// - Complexity: O(unfinished jobs).
    mutating func endOverdueOperations() {
        for job in graph.jobsByAge where graph[job].deadlines?.passed.isEmpty == false {
            endOverdueOperations(of: job)
        }
    }

    /// Ends the operations of a job whose deadlines have come.
    ///
    /// While the coordinator waits for its workers after a restart, it does not know what has started. Only operations of which it knows
    /// that end then, so that none of them starts once more; all others end with the reconcile window.
    ///
    /// - Complexity: O(unfinished nodes of the job); many of them end in the turns of a large change.
    private mutating func endOverdueOperations(of job: JobIndex) {
        let isWindowOpen = reconciliation.isOpen
        guard let passed = isWindowOpen ? graph[job].deadlines?.passed : graph[job].deadlines?.takePassed(),
            !passed.isEmpty
        else { return }
        let isWhole = passed.contains { $0.option == nil }
        let nodes = graph.unfinishedNodes(of: job)
        let kept = isWhole ? keptEntries(of: job, among: nodes) : []
        let overdue = nodes.filter { place in
            let entry = Int(graph[place].entry)
            guard graph[place].cancellation == .notRequested, !isWindowOpen || isStartKnown(of: place)
            else { return false }
            if isWhole, !kept.contains(Int32(entry)) { return true }
            let option = graph[job].deadline(ofEntry: entry)
            return passed.contains { $0.option != nil && $0.option == option && $0.entries.contains(entry) }
        }
        if overdue.count > configuration.operationsPerTurn {
            endInTurns(overdue)
        } else {
            // The end of one operation may finish other nodes.
            for reference in overdue.map({ graph.reference(to: $0) }) {
                if let place = graph.resolve(reference) { endOverdue(place) }
            }
        }
        // Nothing that is added later could run.
        if isWhole, !isWindowOpen { close(job) }
    }

    /// Whether it is known during the reconcile window if an operation has started: no worker can claim it.
    private func isStartKnown(of place: NodeIndex) -> Bool {
        graph[place].stage == .executing || !queues[graph[place].queue].isGated
    }

    /// Ends operations in the turns of a large change, except those that workers have, which are few.
    private mutating func endInTurns(_ overdue: [NodeIndex]) {
        var waiting: [SlabReference<OperationNode>] = []
        for place in overdue {
            guard graph[place].token == nil else {
                endOverdue(place)
                continue
            }
            graph[place].cancellation = .awaitsTurn
            reserve(place)
            waiting.append(graph.reference(to: place))
        }
        changes.add(
            LargeChange(kind: .endOverdue, request: nil, report: ChangeReport(changed: 0), lastNotes: []),
            of: waiting
        )
        beginChanges()
    }

    /// Ends a node whose deadline has come; a worker that has the attempt is asked to end it.
    mutating func endOverdue(_ place: NodeIndex) {
        switch graph[place].stage {
        case .pending, .ready: finish(place, .failed, TransitionContext(reason: Self.deadlineReason(graph[place])))
        case .sent, .executing:
            graph[place].cancellation = .overdue
            withoutWaiting { $0.askWorkerToEnd(place) }
        case .finished: break
        }
    }

    /// Notes that an earlier coordinator has asked a worker for the end of an attempt because of a deadline.
    ///
    /// After a crash, the record's clock may be some seconds behind that of the earlier coordinator, and the deadline is still to come.
    ///
    /// - Parameter token: the token of the attempt, which a worker has ended because it was asked to.
    mutating func noteEarlierDeadline(of place: NodeIndex, _ token: AttemptToken) {
        // Otherwise a request has ended it that the record does not have, because the earlier coordinator died before it had answered.
        guard graph[place].cancellation == .notRequested, token.epoch < tokens.epoch, hasDeadline(place) else { return }
        graph[place].cancellation = .overdue
    }

    /// Whether an operation ends at a deadline of its own or of its job.
    ///
    /// - Complexity: O(unfinished nodes of the job) if the job has a deadline.
    private func hasDeadline(_ place: NodeIndex) -> Bool {
        let job = graph[place].job
        guard let deadlines = graph[job].deadlines else { return false }
        let entry = Int(graph[place].entry)
        if deadlines.isOfWholeJob, !keptEntries(of: job, among: graph.unfinishedNodes(of: job)).contains(Int32(entry)) {
            return true
        }
        guard let option = graph[job].deadline(ofEntry: entry) else { return false }
        return deadlines.contains(option, ofEntry: entry)
    }

    /// Why an operation ends at its deadline.
    static func deadlineReason(_ node: OperationNode) -> Reason {
        Reason(.deadline, node.hasStarted ? "It had not ended by its deadline." : "It had not started by its deadline.")
    }
}

extension LiveJob {
    /// The deadline that the operations of an entry have as an option, counted from their submission; nil for none.
    fileprivate func deadline(ofEntry entry: Int) -> Duration? { templates[Int(entries[entry].template)].deadline }
}
