@_spi(Baton) import BatonOperations

/// Handling of timers.
@_spi(Baton) extension Scheduler {
    mutating func timePassed() {
        while let timer = timers.removeFirst(dueAt: now) {
            guard isCurrent(timer) else {
                timers.noteStaleRemoved()
                continue
            }
            switch timer.purpose {
            case .operation(let reference):
                endDelay(of: reference.index)
            case .worker(let reference):
                judgeLiveness(of: reference.index)
            case .lostWorker(let reference):
                forgetLost(reference.index)
            case .activity(let reference):
                judgeActivity(of: reference.index)
            case .trial(let reference):
                allowTrial(of: reference.index)
            case .deferredRequest(let number):
                expire(number)
            case .queueRate(let queue):
                endRateWait(of: queue, for: timer.deadline)
            case .jobDeadline(let number):
                deadlinePassed(timer.deadline, of: number)
            case .keptFiles(let number):
                endKeepingFiles(of: number)
            case .sparedFiles:
                endSparing()
            case .surplusCopies:
                reviewSurplus()
            case .firstFileReports:
                endFirstFileReports()
            case .reconcileWindow:
                endReconcileTime()
            }
        }
    }

    /// Makes a node wait until a time.
    mutating func postpone(_ node: NodeIndex, until time: Timestamp) {
        graph[node].postpone(until: time)
        timers.insert(Timer(deadline: time, purpose: .operation(graph.reference(to: node))))
    }

    /// Ends a node's delay.
    ///
    /// - Parameter hasTimer: whether the timer of the delay is still set, and is stale from now on.
    mutating func endDelay(of node: NodeIndex, hasTimer: Bool = false) {
        let waitsForNothing = graph[node].endDelay()
        graph[node].isRecordedFirst = true
        if hasTimer { noteStaleTimers() }
        if waitsForNothing { advance(node, on: .conditionsMet) }
        commitRecord(of: node)
    }

    /// Whether any operation may be waiting for a time, or has a deadline.
    ///
    /// - Complexity: O(1) while many operations wait, O(workers) while none waits.
    public var isAnythingPostponed: Bool {
        timers.all.contains {
            switch $0.purpose {
            case .operation, .jobDeadline: true
            default: false
            }
        }
    }

    /// Whether the subject of a timer still waits for the timer.
    func isCurrent(_ timer: Timer) -> Bool {
        switch timer.purpose {
        case .operation(let reference):
            graph.resolve(reference).map { graph[$0].notBefore == timer.deadline } ?? false
        case .worker(let reference):
            workers.resolve(reference).map { workers[timesOf: $0].judgedAt == timer.deadline } ?? false
        case .lostWorker(let reference):
            workers.resolve(reference).map { workers[timesOf: $0].forgottenAt == timer.deadline } ?? false
        case .activity(let reference):
            workers.resolve(reference).map { workers[timesOf: $0].isActivityWatched } ?? false
        case .trial(let reference):
            workers.resolve(reference).map { workers[timesOf: $0].triedAt == timer.deadline } ?? false
        case .deferredRequest(let number):
            requests.isWaiting(number)
        // The queue may have another rate, or be another one, by the time of the timer, which finds that out itself.
        case .queueRate: true
        case .jobDeadline(let number):
            graph.job(number).flatMap { graph[$0].deadlines?.moments.contains(timer.deadline) } ?? false
        case .keptFiles(let number):
            files.keptUntil[number] == timer.deadline
        case .sparedFiles, .surplusCopies: true
        case .firstFileReports:
            files.firstReports.hasTimer
        case .reconcileWindow:
            reconciliation.isOpen
        }
    }

    /// Counts stale timers; once most timers are stale, removes the stale timers.
    ///
    /// All timers that an event has made stale at the same time are counted in one call: a removal in between would remove
    /// timers that are counted afterwards.
    ///
    /// - Complexity: O(1), amortised.
    mutating func noteStaleTimers(_ number: Int = 1) {
        guard number > 0 else { return }
        if timers.noteStale(number) { timers.keep(timers.all.filter { isCurrent($0) }) }
    }
}
