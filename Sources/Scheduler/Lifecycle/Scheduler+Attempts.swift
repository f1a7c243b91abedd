@_spi(Baton) import BatonOperations

/// Handling of workers' reports about attempts.
extension Scheduler {
    mutating func attemptsStarted(_ session: SessionID, _ starts: [AttemptStart]) {
        guard let worker = noteSignOfLife(session) else { return }
        for start in starts {
            guard let node = node(of: start.token, at: worker) else { continue }
            advance(node, on: .started, TransitionContext(startedAt: now.before(microseconds: start.age)))
        }
        reconciliation.noteStarts(starts, in: session, at: now)
        judgeSpeed(of: worker)
    }

    mutating func attemptsReturned(_ session: SessionID, _ tokens: [AttemptToken]) {
        guard let worker = noteSignOfLife(session) else { return }
        // Nothing would answer the recall of an attempt that has been returned already.
        reconciliation.dropClaims(of: tokens, in: session)
        for token in tokens {
            if let node = node(of: token, at: worker) {
                attemptTotals.givenBack += 1
                advance(node, on: .returned)
            } else if let hook = workers[worker].hooks[token] {
                requeueHook(hook)
            }
        }
    }

    mutating func attemptEnded(
        _ session: SessionID,
        _ token: AttemptToken,
        _ operation: OperationID,
        _ result: AttemptResult,
        age: Int64,
        seed: UInt64
    ) {
        guard let worker = noteSignOfLife(session) else { return }
        handle(
            ReportedEnd(
                session: session,
                token: token,
                operation: operation,
                result: result,
                endedAt: now.before(microseconds: age),
                seed: seed
            ),
            from: worker
        )
    }

    /// Handles the end of an attempt, or keeps the end until the attempt's claim holds.
    mutating func handle(_ end: ReportedEnd, from worker: WorkerIndex) {
        let (session, token) = (end.session, end.token)
        reconciliation.noteArrival(of: end)
        let isGivenBack = judgeHealth(end.result.end, token, at: worker)
        if let hook = hook(of: token, at: worker) {
            hookEnded(hook, end)
            emit(.acknowledge(session, token, isStale: false))
            return
        }
        guard let node = node(of: token, at: worker), graph.id(at: node) == end.operation else {
            return handleUnexpected(end)
        }
        if isGivenBack {
            if case .noRoom = end.result.end, graph[node].stage == .sent { noteNoRoom(for: graph[node], at: worker) }
            graph[node].isRecordedFirst = true
            attemptTotals.givenBack += 1
            advance(node, on: .startFailed)
            emit(.acknowledge(session, token, isStale: false))
            return
        }
        if !end.result.hasNoFiles, let failure = failure(bySizeOf: end, of: node, at: worker) {
            conclude(node, failure, from: worker)
        } else {
            conclude(node, end, from: worker)
        }
    }

    /// Handles the end of a node's attempt that has run.
    private mutating func conclude(_ node: NodeIndex, _ end: ReportedEnd, from worker: WorkerIndex) {
        let (session, token) = (end.session, end.token)
        let (begun, duration) = (end.startedAt, end.duration)
        // An ended attempt has started, even if the worker did not report the start.
        advance(node, on: .started, TransitionContext(startedAt: begun, endFollows: true))
        learn(duration, bytes: end.result.byteCount, of: worker, node)
        var context = TransitionContext(
            exitStatus: end.result.end.exitStatus,
            signal: end.result.end.signal,
            hasResult: end.result.hasResult,
            hasOutput: end.result.hasOutput,
            leavesFiles: !end.result.hasNoFiles
        )
        // Also an empty result tells a rerun that its attempt has ended.
        if context.hasOutput || context.leavesFiles || !graph.reruns.isEmpty { context.keepResult(of: end) }
        context.end = measureEnd(of: node, begun: begun, duration: duration)
        queues[graph[node].queue].totals.runs.add(microseconds: duration)
        let event: Lifecycle.Event
        if case .exited(0) = end.result.end {
            attemptTotals.succeeded += 1
            event = .attemptSucceeded
        } else {
            event = judge(end, of: node, at: worker, &context)
        }
        let isItsOwn = event == .attemptSucceeded || event == .attemptFailed
        if event == .attemptCancelled || graph[node].isCancelled && !isItsOwn {
            context.reason = executingCancellationReason(of: graph[node])
        }
        advance(node, on: event, context)
        emit(.acknowledge(session, token, isStale: false))
    }

    /// Decides what the end of an attempt that did not succeed means for its operation, and notes why.
    ///
    /// Apart from the ends of successful attempts, which are many: with it, each would cost a copy of the end.
    @inline(never)
    private mutating func judge(
        _ end: ReportedEnd,
        of node: NodeIndex,
        at worker: WorkerIndex,
        _ context: inout TransitionContext
    ) -> Lifecycle.Event {
        if context.hasResult, graph.template(at: node).work.keepResult == .onSuccess { context.dropResult() }
        switch end.result.end {
        case .exited, .signalled, .timedOut, .exceededMemory, .notStarted, .unusableResult, .unkeptFiles, .threw:
            let template = graph.template(at: node)
            var timeout: Duration?
            if case .timedOut = end.result.end { timeout = graph.grownLimits(at: node)?.timeout }
            context.reason = Self.reason(for: end.result.end, template.work, timeout: timeout)
            attemptTotals.failed += 1
            if graph[node].failures < UInt32(template.retries),
                Self.isRetried(end.result.end, template, &context.reason)
            {
                // Only the last attempt leaves a result.
                context.dropResult()
                context.retryAt = now + backoff(template, failures: graph[node].failures, seed: end.seed)
                return .attemptFailedWithRetriesLeft
            }
            return .attemptFailed
        case .cancelled:
            noteEarlierDeadline(of: node, end.token)
            if graph[node].cancellation == .overdue { attemptTotals.failed += 1 } else { attemptTotals.cancelled += 1 }
            return .attemptCancelled
        case .interrupted, .workerFault, .lostInputs:
            context.reason = Self.reason(for: end.result.end, graph.template(at: node).work)
            context.dropResult()
            attemptTotals.lost += 1
            graph[node].losses += 1
            var isLast = graph.restartPolicy(at: node) == .never
            // A faulty worker could return the operation any number of times, unlike a worker that leaves.
            if case .workerFault = end.result.end, graph[node].losses > configuration.maximumLosses { isLast = true }
            return isLast ? .attemptLostForGood : .attemptLost
        case .noRoom(let lack, _):
            return noteRoomLack(lack, of: node, at: worker, &context)
        case .stopped:
            context.wasStopped = true
            context.dropResult()
            let isLast = graph.restartPolicy(at: node) == .never
            countStopped(isLast: isLast)
            context.reason = Reason(.lost, isLast ? Self.stoppedForGood : Self.stopped)
            return isLast ? .attemptLostForGood : .attemptLost
        }
    }

    /// Corrects the start of an ended attempt by the worker's measurements, and returns the end; both lie between dispatch
    /// and now.
    ///
    /// Reports arrive late, so the true start is no later than the earliest start that any report implies. The start is set
    /// to that earliest time. The end is the start plus the duration that the worker measured.
    private mutating func measureEnd(of place: NodeIndex, begun: Timestamp, duration: Int64) -> TransitionContext.End {
        let told = graph[place].startedAt ?? now
        let start = max(graph[place].sentAt, min(told, begun))
        graph[place].startedAt = start
        let job = graph[place].job
        if let first = graph[job].startedAt, start < first { graph[job].startedAt = start }
        let (end, overflow) = start.rawValue.addingReportingOverflow(duration)
        // The clock may have been set back since the start was recorded.
        let moment = max(start, overflow ? now : min(now, Timestamp(rawValue: end)))
        return TransitionContext.End(moment: moment, told: max(moment, told))
    }

    /// The node of an attempt that a worker holds.
    ///
    // In line, because a call would copy the whole scheduler.
    @inline(__always)
    func node(of token: AttemptToken, at worker: WorkerIndex) -> NodeIndex? { workers[worker].attempts[token] }

    /// The completion hook of an attempt that a worker holds.
    @inline(__always)
    private func hook(of token: AttemptToken, at worker: WorkerIndex) -> HookIndex? { workers[worker].hooks[token] }

    /// Takes an attempt back from a worker that has left in good order.
    ///
    /// No loss counts: the operation fails only if its restart policy is `never`.
    mutating func retract(_ node: NodeIndex) {
        guard graph[node].stage == .executing else {
            // The worker would have reported a start.
            attemptTotals.givenBack += 1
            advance(node, on: .returned)
            return
        }
        let isLast = graph.restartPolicy(at: node) == .never
        countStopped(isLast: isLast)
        var reason = Reason(.lost, isLast ? Self.stoppedForGood : Self.stopped)
        if graph[node].isCancelled {
            reason = Reason(.cancelled, "Its cancellation was asked for, and its worker was stopped.")
        }
        advance(
            node,
            on: isLast ? .attemptLostForGood : .attemptLost,
            TransitionContext(reason: reason, wasStopped: true)
        )
    }

    /// Counts an attempt that ended with its worker's stop; the last attempt of an operation is lost, as documents say.
    private mutating func countStopped(isLast: Bool) {
        if isLast { attemptTotals.lost += 1 } else { attemptTotals.stopped += 1 }
    }

    /// Takes an attempt away from a lost worker.
    ///
    /// - Parameter hasStarted: whether the attempt is known to have started: then no worker was sent another one instead.
    mutating func lose(_ node: NodeIndex, with worker: String, hasStarted: Bool = false) {
        guard !graph[node].isWithheld else {
            // The attempt never reached the worker.
            advance(node, on: .returned)
            return
        }
        let sentence = "Its worker \(worker.asShown) was lost."
        if !hasStarted, graph[node].losses < configuration.maximumLosses,
            postponeLoss(of: node, with: worker, Reason(.lost, sentence), isCounted: true)
        {
            return
        }
        // The attempt may have started without a report: the next attempt takes the next number (D3).
        if graph[node].stage == .sent { graph[node].attempt += 1 }
        attemptTotals.lost += 1
        graph[node].losses += 1
        let losses = graph[node].losses
        let isTooOften = losses > configuration.maximumLosses
        let isOnlyOne = graph.restartPolicy(at: node) == .never
        var reason = Reason(.lost, sentence)
        if isOnlyOne { reason.message = "Its worker \(worker.asShown) was lost, and it is never restarted." }
        if isTooOften { reason.message = "Its workers were lost \(losses) times, the last time \(worker.asShown)." }
        if graph[node].isCancelled {
            reason = Reason(.cancelled, "Its cancellation was asked for, and its worker \(worker.asShown) was lost.")
        }
        advance(
            node,
            on: isTooOften || isOnlyOne ? .attemptLostForGood : .attemptLost,
            TransitionContext(reason: reason, worker: workers.index(ofName: worker))
        )
    }

    /// Takes an attempt away from a worker that has to give up its place.
    ///
    /// The eviction adds to neither the failures nor the losses of the operation.
    ///
    /// - Parameters:
    ///   - worker: the place that the attempt had.
    ///   - cause: the beginning of the sentence with the reason, which names the worker.
    mutating func evict(_ node: NodeIndex, from worker: WorkerIndex, because cause: String) {
        guard !graph[node].isWithheld else {
            advance(node, on: .returned)
            return
        }
        let name = workers[worker].introduction.name
        if postponeLoss(of: node, with: name, Reason(.lost, "\(cause)."), isCounted: false) { return }
        // The attempt may have started and may still run: the next attempt takes the next number (D3).
        if graph[node].stage == .sent { graph[node].attempt += 1 }
        attemptTotals.lost += 1
        let isOnlyOne = graph.restartPolicy(at: node) == .never
        var reason = Reason(.lost, isOnlyOne ? "\(cause), and it is never restarted." : "\(cause).")
        if graph[node].isCancelled { reason = Reason(.cancelled, "Its cancellation was asked for. \(cause).") }
        advance(
            node,
            on: isOnlyOne ? .attemptLostForGood : .attemptLost,
            TransitionContext(reason: reason, worker: worker)
        )
    }

    // MARK: - How fast a worker is

    /// Updates the mean durations of the template and the worker, on which sending ahead is based.
    private mutating func learn(_ duration: Int64, bytes: Int, of worker: WorkerIndex, _ place: NodeIndex) {
        // Workers are not trusted: a duration counts as at most one day.
        let last = min(duration, 86_400_000_000)
        graph.learnDuration(last, of: place)
        workers[timesOf: worker].noteEnd(after: last, leaving: bytes, at: now)
        judgeSpeed(of: worker)
    }

    mutating func judgeSpeed(of worker: WorkerIndex) {
        let room = configuration.sendAhead.room(
            slots: workers[worker].introduction.slots,
            mean: workers[timesOf: worker].meanDuration,
            meanBytes: workers[timesOf: worker].meanBytes,
            distance: workers[timesOf: worker].distance,
            isFlowing: isFlowing(worker)
        )
        if room != workers[worker].roomAhead { workers.change(worker) { $0.roomAhead = room } }
    }

    /// Whether a worker has recently started or ended an attempt; always true without automatic sending ahead.
    func isFlowing(_ worker: WorkerIndex) -> Bool {
        guard case .automatic = configuration.sendAhead else { return true }
        return now.rawValue - workers[timesOf: worker].lastActive.rawValue < workers[timesOf: worker].patience
    }

    /// Sets a timer to judge a worker's activity at the earliest time at which the worker could have stalled.
    mutating func watchActivity(of worker: WorkerIndex) {
        guard case .automatic = configuration.sendAhead, !workers[timesOf: worker].isActivityWatched else { return }
        workers[timesOf: worker].isActivityWatched = true
        timers.insert(
            Timer(
                deadline: Timestamp(
                    rawValue: workers[timesOf: worker].lastActive.rawValue + workers[timesOf: worker].patience
                ),
                purpose: .activity(workers.reference(to: worker))
            )
        )
    }

    /// Recalls the attempts sent ahead to a worker if the worker has stalled.
    mutating func judgeActivity(of worker: WorkerIndex) {
        workers[timesOf: worker].isActivityWatched = false
        guard workers[worker].prefetchedCount > 0 else { return }
        guard !isFlowing(worker) else { return watchActivity(of: worker) }
        recallPrefetched(of: worker)
    }

    /// Recalls the attempts sent ahead to a stalled worker, and sets the worker's limit of attempts ahead to 0.
    mutating func recallPrefetched(of worker: WorkerIndex) {
        workers.change(worker) { $0.roomAhead.attempts = 0 }
        for token in workers[worker].sent.suffix(.max).reversed() {
            if let node = workers[worker].attempts[token], graph[node].isPrefetched { recall(node) }
        }
    }

    // MARK: - Failures

    /// Why an attempt did not succeed.
    ///
    /// - Parameter timeout: the time limit of the attempt, if that is another one than the work's.
    static func reason(for end: AttemptEnd, _ work: Work, timeout: Duration? = nil) -> Reason? {
        switch end {
        case .exited(0): nil
        case .exited(let status): Reason(.exit, "It exited with status \(status).")
        case .signalled(let signal): Reason(.signal, "It was ended by signal \(signal).")
        case .timedOut:
            Reason(.timeout, "It ran longer than its timeout of \((timeout ?? work.timeout)?.text ?? "0s").")
        case .exceededMemory(let limit) where work.memory == nil:
            Reason(
                .memory,
                "It asked for no memory, and used more than the \(ByteSize.roughText(of: limit)) that its worker gives such "
                    + "operations."
            )
        case .exceededMemory(let limit):
            Reason(.memory, "It used more memory than the \(ByteSize.text(of: limit)) that it asked for.")
        case .notStarted(let sentence): Reason(.launch, sentence)
        case .unusableResult(let sentence): Reason(.result, sentence)
        case .unkeptFiles(let sentence): Reason(.files, sentence)
        case .threw(let error): Reason(.error, "It threw an error: \(error)")
        case .cancelled: nil
        case .workerFault(let why, _): Reason(.lost, "It was lost through a fault of its worker. \(why)")
        case .noRoom(let lack, _): Reason(.files, unkept(lack, at: "its worker"))
        case .lostInputs(let why): Reason(.lost, why)
        case .interrupted: Reason(.lost, "Its worker went away.")
        case .stopped: Reason(.lost, stopped)
        }
    }

    /// Whether another attempt follows a failed one while retries are left; if not, the reason says why.
    private static func isRetried(_ end: AttemptEnd, _ template: Template, _ reason: inout Reason?) -> Bool {
        guard let known = reason else { return true }
        let addition: String
        switch template.retryRule(for: known.code, exitStatus: end.exitStatus) {
        case .retried: return true
        case .notRetried: addition = "Such an end is not retried."
        case .final: addition = "The status is final."
        }
        reason?.message = "\(known.message) \(addition)"
        return false
    }

    private static let stopped = "Its worker was stopped."
    private static let stoppedForGood = "Its worker was stopped, and it is never restarted."

    /// The wait before the next attempt: exponential backoff with a jitter, by default of a quarter up or down.
    ///
    /// The wait doubles with each failure, up to its limit: unless the template has one, a day, or the first wait if that is longer
    /// (RT1).
    private func backoff(_ template: Template, failures: UInt32, seed: UInt64) -> Duration {
        let first = Double(template.retryDelay.microseconds)
        let doubled = first * Double(UInt64(1) << UInt64(min(failures, 32)))
        let jitter =
            1 - configuration.retryJitter + 2 * configuration.retryJitter * Double(seed >> 11) / Double(UInt64(1) << 53)
        let limit = template.retryDelayLimit.map { Double($0.microseconds) } ?? max(first, 86_400_000_000)
        return .microseconds(Int64(min(doubled * jitter, limit)))
    }
}

extension AttemptResult {
    /// The bytes of the result and of both outputs.
    fileprivate var byteCount: Int {
        (hasResult ? result?.count ?? 0 : 0) + standardOutput.bytes.count + standardError.bytes.count
    }
}
