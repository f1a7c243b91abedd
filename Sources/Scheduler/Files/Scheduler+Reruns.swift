@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Finished operations that run again, because files of theirs were lost that others need (FI6).
///
/// The inputs of a rerun are found as for any other operation: its node waits for files without a copy, and what left them runs again, too.
extension Scheduler {
    /// Whether a node is that of a rerun.
    @inline(__always) func isRerun(_ node: OperationNode) -> Bool {
        !graph.reruns.isEmpty && graph.reruns[graph.id(of: node)] != nil
    }

    /// Runs an operation again whose files other operations wait for, unless it runs again already.
    mutating func runAgain(_ id: OperationID) {
        // Workers of before a restart may yet tell that they have the files.
        guard !reconciliation.isOpen, files.isIncomplete(id), graph.fileWaits.isAwaited(id),
            graph.reruns[id].map({ graph.isEnding(graph[$0.place]) }) ?? true
        else { return }
        guard !areFirstFileReportsAwaited else { return putOffDecisionAboutFiles() }
        if let objection = objection(toRunAgain: id) { return failWaiting(for: id, because: objection) }
        guard let producer = files[id]?.producer, let job = graph.job(id.job),
            let node = node(of: id, producer, in: job)
        else { return }
        let place = addRerun(of: id, node)
        advance(place, on: .conditionsMet)
    }

    /// Why an operation cannot run again, as the end of a sentence; nil if it can.
    private func objection(toRunAgain id: OperationID) -> String? {
        guard let source = files[id], let job = graph.job(id.job), let producer = source.producer,
            let entry = graph[job].entry(ofIndex: id.index)
        else { return "job \(id.job) has finished" }
        if let failure = source.failure { return failure }
        if producer.record.attempt == 0 {
            return producer.record.reason?.code == .sent
                ? "its files came with the job, which has to be submitted again" : "it took the files of an earlier job"
        }
        if graph[job].templates[Int(graph[job].entries[entry].template)].restart == .never {
            return "it is never restarted"
        }
        return nil
    }

    /// A node for another attempt of a finished operation.
    mutating func node(of id: OperationID, _ producer: KeptSource.Producer, in job: JobIndex) -> OperationNode? {
        guard let entry = graph[job].entry(ofIndex: id.index) else { return nil }
        // A rerun of a barrier is no barrier: the operations that waited for the barrier have gone on.
        var node = OperationNode(
            job: job,
            entry: Int32(entry),
            index: id.index,
            count: 1,
            queue: queue(named: producer.queue),
            sequence: producer.sequence,
            order: producer.order,
            priority: producer.priority
        )
        node.attempt = producer.record.attempt
        node.isRecordedFirst = true
        node.isUnsent = true
        node.hasInputs = !graph.dependencies(of: node).isEmpty
        return node
    }

    /// Adds the node of a rerun, which counts for its queue and for nothing else.
    mutating func addRerun(of id: OperationID, _ node: OperationNode) -> NodeIndex {
        let place = graph.insertRerun(node, of: id)
        count(node, in: node.state, by: 1)
        return place
    }

    // MARK: - Reports

    /// Whether the files of a rerun were lost with a worker that is back, and that has yet to tell whether it has them.
    func awaitsReport(_ rerun: OperationNode) -> Bool {
        guard !files.areReported, let loss = files[graph.id(of: rerun)]?.loss,
            let worker = workers.index(ofName: loss.worker)
        else { return false }
        return files.isReporting(worker)
    }

    /// Puts the reruns in line again that have waited for a report.
    mutating func endWaitForReports() {
        guard !graph.reruns.isEmpty else { return }
        for queue in files.reruns.queuesWithNodesApart { endKeepingApart(in: queue, but: nil) }
    }

    // MARK: - The record

    /// The record of a rerun: that of the finished operation, with the number and the token of the rerun's attempt.
    ///
    /// While an attempt is at a worker, the record has its number, so that a restart finds it. The number is used up once the attempt may
    /// have run. An attempt that returns unstarted leaves the record as it was before: an attempt that never ran is not reported.
    func rerunRecord(of node: OperationNode) -> OperationRecord? {
        let id = graph.id(of: node)
        guard graph.reruns[id] != nil, let source = files[id], var record = source.producer?.record else { return nil }
        let isOfFiles = node.attempt == source.attempt && record.attempt == source.attempt
        if node.token != nil || !isOfFiles { record.token = node.token }
        record.attempt = node.stage == .sent ? node.attempt + 1 : node.attempt
        if let worker = node.worker { record.worker = workers[worker].introduction.name }
        return record
    }

    /// Notes that a rerun is given to a worker.
    ///
    /// With the first one the record learns what became of the attempt whose files were lost.
    @inline(never)
    mutating func noteRerunSent(_ place: NodeIndex) {
        let node = graph[place]
        let id = graph.id(of: node)
        guard graph.reruns[id] != nil else { return }
        countRerun(node)
        guard let source = files[id], let producer = source.producer, !producer.isLossRecorded else { return }
        let record = producer.record
        files.change(id) { $0.producer?.isLossRecorded = true }
        let loss = source.loss.map { "Its files were \($0.phrase)." } ?? "No worker has its files any more."
        var attempt = AttemptRecord(
            attempt: record.attempt,
            worker: record.worker,
            startedAt: record.startedAt,
            endedAt: record.finishedAt ?? now,
            reason: Reason(.files, loss)
        )
        // No attempt has been made since that could have let them grow.
        if let limits = graph.grownLimits(of: node) { attempt.limits = limits }
        attempt.token = record.token
        (attempt.exitStatus, attempt.signal) = (record.exitStatus, record.signal)
        emit(.commit(.attempt(id, attempt)))
    }

    // MARK: - The end

    /// Ends a rerun whose last attempt has ended: its files are back, or the operations that wait for them fail.
    mutating func endRerun(_ place: NodeIndex, _ outcome: Outcome, _ context: TransitionContext) {
        let node = graph[place]
        let id = graph.id(of: node)
        guard let ended = rerunRecord(of: node), let worker = node.worker ?? context.worker, outcome == .succeeded,
            let result = context.result
        else {
            return failRerun(place, context)
        }
        let name = workers[worker].introduction.name
        removeRerun(place)
        files.change(id) { source in
            source.producer?.record.attempt = ended.attempt
            source.producer?.record.token = ended.token
            source.producer?.record.worker = name
            source.producer?.isLossRecorded = false
        }
        var record = ended
        record.worker = name
        commitOutput(of: record.id, attempt: record.attempt, result)
        emit(.commit(.files(id, attempt: record.attempt, result.files)))
        emit(.commit(.operation(record)))
        replaceFiles(of: id, attempt: record.attempt, result.files, at: worker)
    }

    private mutating func failRerun(_ place: NodeIndex, _ context: TransitionContext) {
        let node = graph[place]
        let id = graph.id(of: node)
        let reason = context.reason ?? Reason(.cancelled, "Its cancellation was asked for.")
        // Without a worker there was no attempt: its own files were lost.
        let hadAttempt = node.token != nil
        if hadAttempt { commitAttempt(of: node, TransitionContext(reason: reason, context)) }
        let record = rerunRecord(of: node)
        removeRerun(place)
        if var record {
            // Of a lost attempt, the number counts already.
            record.attempt = node.attempt
            record.token = nil
            files.change(id) { $0.producer?.record.token = nil }
            if var result = context.result {
                result.result = nil
                commitOutput(of: record.id, attempt: record.attempt, result)
            }
            if hadAttempt { emit(.commit(.operation(record))) }
        }
        files.change(id) { $0.failure = Self.failure(reason, ofAttempt: hadAttempt ? node.attempt : nil) }
        deferred.files.lost.append(id)
    }

    /// Why an operation could not be run again, as the end of a sentence.
    ///
    /// - Parameter attempt: the attempt that failed; nil if the files that it needs are lost.
    private static func failure(_ reason: Reason, ofAttempt attempt: UInt32?) -> String {
        // The reasons of a long lineage contain each other.
        if attempt == nil, reason.message.utf8.count > longestReason {
            return "files that it needs cannot be made again"
        }
        let message = reason.message.hasSuffix(".") ? String(reason.message.dropLast()) : reason.message
        let rest = message.prefix(1).lowercased() + message.dropFirst()
        return attempt.map { "its attempt \($0) failed: \(rest)" } ?? rest
    }

    /// The most bytes of a reason that becomes a part of another one.
    private static let longestReason = 400

    /// Ends an unneeded rerun that has not started; one that runs brings its files back.
    mutating func endIfUnneeded(_ id: OperationID) {
        guard let rerun = graph.reruns[id], !files.isIncomplete(id) || !graph.fileWaits.isAwaited(id) else { return }
        // During the reconcile window no operation waits yet.
        guard !reconciliation.isOpen else { return }
        switch graph[rerun.place].stage {
        case .pending, .ready: removeRerun(rerun.place)
        case .sent: withoutWaiting { $0.recall(rerun.place) }
        case .executing, .finished: break
        }
    }

    /// Ends the reruns of a finished job; operations that wait for their files fail.
    ///
    /// Their states are no longer reported. An attempt at a worker keeps its slot, its place in its queue and its units of limits until it
    /// has ended there.
    mutating func endReruns(of job: JobIndex) {
        let number = graph[job].number
        for (id, rerun) in graph.reruns.sorted(by: { $0.key < $1.key }) where id.job == number {
            let node = graph[rerun.place]
            if node.stage == .executing {
                let reason = Reason(
                    .cancelled,
                    "Its job finished, and no operation of the job needs its files any more."
                )
                commitAttempt(of: node, TransitionContext(reason: reason))
            }
            var record = rerunRecord(of: node)
            if node.token == nil {
                removeRerun(rerun.place)
            } else {
                graph[rerun.place].isCancelled = true
                withoutWaiting { $0.askWorkerToEnd(rerun.place) }
            }
            // No other attempt follows: the number of one that is not known to have started is not needed.
            record?.attempt = node.attempt
            record?.token = nil
            if let record, node.token != nil { emit(.commit(.operation(record))) }
            deferred.files.lost.append(id)
        }
    }

    /// Takes in what becomes of a rerun whose job has finished: only that it is over at its worker.
    mutating func advanceEnding(_ place: NodeIndex, on event: Lifecycle.Event) {
        switch event {
        case .returned, .startFailed, .attemptSucceeded, .attemptFailedWithRetriesLeft, .attemptFailed,
            .attemptWithoutRoom, .attemptCancelled, .attemptLost, .attemptLostForGood:
            removeRerun(place)
        case .conditionsMet, .conditionAdded, .conditionImpossible, .inputsLost, .sent, .started,
            .cancellationRequested, .queueResumed:
            break
        }
    }

    /// Removes the node of a rerun, wherever it is.
    private mutating func removeRerun(_ place: NodeIndex) {
        let hadTurn = graph[place].hasTurn
        let isDelayed = graph[place].notBefore != nil
        leaveWorker(place)
        if !graph.fileWaits.isEmpty { forgetFileWait(of: place) }
        let node = graph[place]
        count(node, in: node.state, by: -1)
        // Attempts of it may have been lost before it was dropped.
        let id = graph.id(of: node)
        let last = max(files[id]?.producer?.record.attempt ?? 0, node.attempt)
        files.change(id) { source in
            source.producer?.record.attempt = last
            // The token of another attempt than that of the files would look like one that is under way.
            if last > source.attempt { source.producer?.record.token = nil }
        }
        graph.removeRerun(place)
        if hadTurn { noteStaleEntry(of: node) }
        if isDelayed { noteStaleTimers() }
        queues.serve(node.queue)
    }
}

extension TransitionContext {
    /// The same details with a reason.
    fileprivate init(reason: Reason, _ other: TransitionContext) {
        self = other
        self.reason = reason
    }
}
