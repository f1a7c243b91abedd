@_spi(Baton) import BatonOperations

/// A node that has become impossible to run because of a condition.
struct Skip {
    /// The node, which may have finished by other means.
    var node: SlabReference<OperationNode>
    /// The reason for the skip.
    var reason: Reason
    /// The root cause, or that the node is not needed (DE24).
    var ending: Ending
    /// Whether the node still counts the condition as unmet.
    var isCounted = false
    /// Whether each operation of a block has a root of its own; see ``BatonOperations/OperationRecord/rootsFollow``.
    var rootsFollow = false
}

/// The end of operations, which decides about their dependents, arrays and jobs.
extension Scheduler {
    mutating func finish(_ place: NodeIndex, _ outcome: Outcome, _ context: TransitionContext) {
        if !graph.reruns.isEmpty, isRerun(graph[place]) { return endRerun(place, outcome, context) }
        let node = graph[place]
        let hasSucceeded = outcome == .succeeded
        var worker = node.worker.map { workers[$0].introduction.name }
        var readyAt = node.readyAt
        if !hasSucceeded {
            // An operation that is lost for good has left its worker already.
            if worker == nil, let lost = context.worker { worker = workers[lost].introduction.name }
            if readyAt == nil, !graph.elementTable.isEmpty { readyAt = sharedReadyMoment(of: node) }
        }
        let keepsFiles = context.leavesFiles && hasSucceeded && graph.template(at: place).work.keepsFiles
        let record = OperationRecord(
            of: graph.id(of: node),
            count: node.count,
            state: .finished,
            outcome: outcome,
            isCancelled: node.isCancelled,
            reason: hasSucceeded ? nil : context.reason ?? defaultReason(outcome, of: place),
            skippedFor: outcome == .skipped ? context.skippedFor ?? .notNeeded : nil,
            rootsFollow: outcome == .skipped && context.rootsFollow && node.count > 1,
            exitStatus: context.exitStatus,
            signal: context.signal,
            attempt: node.attempt,
            losses: node.losses,
            failures: node.failures,
            token: node.token,
            worker: worker,
            readyAt: readyAt,
            startedAt: node.startedAt,
            finishedAt: context.end?.moment ?? now,
            hasResult: context.hasResult,
            hasFiles: keepsFiles,
            priorityChange: node.priorityChange
        )
        if context.hasOutput { commitOutput(of: graph.id(of: node), attempt: node.attempt, context) }
        if keepsFiles { keepFiles(of: place, record, context) }
        finish(place, as: record, outcome, told: context.end?.told)
    }

    /// Finishes an operation with its last record.
    ///
    /// - Parameter told: the time of the end that watchers are told; nil for now.
    mutating func finish(
        _ place: NodeIndex,
        as record: consuming OperationRecord,
        _ outcome: Outcome,
        told: Timestamp?
    ) {
        let (id, attempt, worker) = (record.id, record.attempt, record.worker)
        let end = record.dependencyEnd ?? DependencyEnd(.succeeded)
        // The record moves into the change: it is read before.
        emit(.commit(.operation(record)))
        noteChange(of: place, .state(.finished, outcome: outcome, attempt: attempt, worker: worker), at: told)

        let hadTurn = graph[place].hasTurn
        leaveWorker(place)
        if !graph.fileWaits.isEmpty { forgetFileWait(of: place) }
        let node = graph[place]
        count(node, in: node.state, by: -Int(node.count))
        graph[node.job].counts.add(Int(node.count), ended: outcome, end.ending)
        graph.totals.add(Int(node.count), ended: outcome, end.ending)
        queues.count(Int(node.count), ended: outcome, end.ending, in: node.queue)
        if end.ending.isFailure { noteFailure(of: node, outcome) }
        if node.state == .executing { countCompletion(of: node) }
        addHooks(of: node, outcome, attempt: attempt, worker: worker)
        graph.remove(place)
        if hadTurn { noteStaleEntry(of: node) }
        if node.notBefore != nil { noteStaleTimers() }
        if reconciliation.isOpen { dismissClaim(on: id) }
        leaveSegment(node)
        queues.serve(node.queue)
        notifyDependents(of: node, end)
    }

    /// Keeps the files of a successful attempt whose operation declares some.
    @inline(never)
    private mutating func keepFiles(of place: NodeIndex, _ record: OperationRecord, _ context: TransitionContext) {
        if let result = context.result { keepFiles(result.files, of: place, record) }
    }

    /// The reason for an outcome that needs no further explanation.
    private func defaultReason(_ outcome: Outcome, of place: NodeIndex) -> Reason? {
        guard outcome == .cancelled else { return nil }
        let node = graph[place]
        return graph[node.job].failures.isStopped && !node.hasStarted
            ? failureLimitReason(of: node) : Reason(.cancelled, "Its cancellation was asked for.")
    }

    /// Notifies the dependents of a finished operation, of its array and of its job.
    private mutating func notifyDependents(of node: OperationNode, _ end: DependencyEnd) {
        if isAnyRequestWaiting {
            let first = graph.id(of: node)
            informDeferredRequests { address in
                guard case .operation(let id) = address, id.job == first.job,
                    (first.index..<first.index + node.count).contains(id.index)
                else { return nil }
                return end.after(id.index - first.index)
            }
        }
        notifyDependents(
            node.dependents,
            of: end,
            subject: .operation(node, end.ending),
            hasRun: node.state == .executing
        )
        let entry = Int(node.entry)
        if let array = graph[node.job].entries[entry].array {
            let news = graph[node.job].arrays[array.offset].join.count(Int(node.count), end)
            notifyDependents(news, of: node, end) { .array(entry: entry, job: node.job, $0) }
            if !graph.elementTable.isEmpty { noteElements(of: node, in: array, end) }
        }
        let news = graph[node.job].join.count(Int(node.count), end)
        notifyDependents(news, of: node, end) { .job(node.job, $0) }
        if news.end != nil { deferred.finishedJobs.append(node.job) }
    }

    /// Notifies the dependents of an array or a job whose operations have finished.
    private mutating func notifyDependents(
        _ news: Join.News,
        of node: OperationNode,
        _ end: DependencyEnd,
        whole: (Ending) -> Graph.Subject
    ) {
        if news.isRuledOutNow {
            // A dependent that needs all operations to succeed need not wait for the rest (DE9).
            let subject = Graph.Subject.operation(node, end.ending)
            for edge in graph.edges(from: news.dependents) where edge.condition == .success {
                deferred.skips.append(skip(edge.dependent, edge.condition, subject, end.ending))
            }
        }
        guard let end = news.end else { return }
        notifyDependents(news.dependents, of: end, subject: whole(end.ending), hasRun: !news.mayHaveLeftOut)
    }

    /// Notifies all dependents of a finished target.
    ///
    /// - Parameter hasRun: whether the target is certain to have finished by its attempts.
    mutating func notifyDependents(
        _ head: EdgeTable.Index?,
        of outcome: DependencyEnd,
        subject: Graph.Subject,
        hasRun: Bool
    ) {
        var head = head
        while let edge = graph.removeFirstEdge(from: &head) {
            guard let dependent = graph.resolve(edge.dependent) else { continue }
            if outcome.hasResult { graph[dependent].hasInputs = true }
            if outcome.hasFiles { noteFileInputs(of: dependent, from: graph.job(of: subject)) }
            if !hasRun { graph[dependent].isRecordedFirst = true }
            let impossible: Ending? =
                switch edge.condition {
                case .any: nil
                case .success: outcome.ending == .succeeded ? nil : outcome.ending
                case .failure:
                    outcome.ending.isFailure
                        ? nil
                        : graph.ruleOutFailure(of: graph.failureTarget(of: subject), outcome.ending, for: dependent)
                case .failureOfAll: outcome.ending.isFailure ? nil : Graph.skip(afterOnly: outcome.ending)
                }
            if let impossible {
                deferred.skips.append(skip(edge.dependent, edge.condition, subject, impossible, isCounted: true))
            } else {
                if graph[dependent].removeCondition() { advance(dependent, on: .conditionsMet) }
            }
        }
    }

    private func skip(
        _ node: SlabReference<OperationNode>,
        _ condition: DependencyCondition,
        _ subject: Graph.Subject,
        _ ending: Ending,
        isCounted: Bool = false
    ) -> Skip {
        Skip(
            node: node,
            reason: graph.unmet(condition, graph.fate(of: subject), ending),
            ending: ending,
            isCounted: isCounted
        )
    }

    /// Finishes nodes that became impossible to run, and their dependents, in a loop for chains of any length (DE19).
    mutating func finishSkipped() {
        var next = 0
        repeat {
            if !deferred.elementNews.isEmpty { tellElements() }
            finishSkipped(from: &next)
        } while !deferred.elementNews.isEmpty
        deferred.skips.removeAll(keepingCapacity: true)
    }

    private mutating func finishSkipped(from next: inout Int) {
        while next < deferred.skips.count {
            let skip = deferred.skips[next]
            next += 1
            guard let place = graph.resolve(skip.node) else { continue }
            var context = TransitionContext(reason: skip.reason, skippedFor: skip.ending)
            context.rootsFollow = skip.rootsFollow
            advance(place, on: .conditionImpossible, context)
            // An operation cancelled in a suspended queue stays, and ignores its conditions.
            guard skip.isCounted, graph.resolve(skip.node) != nil else { continue }
            if graph[place].removeCondition() { advance(place, on: .conditionsMet) }
        }
    }

    /// Removes the jobs whose last operation finished during the event.
    mutating func closeFinishedJobs() {
        for place in deferred.finishedJobs {
            let root = graph[place].join.dependencyEnd.ending.root
            let startedAt = graph[place].startedAt
            emit(
                .commit(
                    .jobFinished(graph[place].number, graph[place].counts, now, startedAt: startedAt, root: root)
                )
            )
            note(.jobFinished(graph[place].number, graph[place].counts))
            recordState.totals.jobs[graph[place].counts.outcome ?? .failed] += 1
            if isAnyRequestWaiting {
                let (number, end) = (graph[place].number, graph[place].join.dependencyEnd)
                informDeferredRequests { $0 == .job(number) ? end : nil }
                for array in graph[place].arrays where !graph[place].names[array.entry].isEmpty {
                    let (name, end) = (graph[place].names[array.entry], array.join.dependencyEnd)
                    informDeferredRequests { $0 == .named(number, name) ? end : nil }
                }
            }
            addHooks(ofJob: place)
            if !files.isEmpty || !graph.reruns.isEmpty { endFiles(of: place) }
            let moments = graph[place].deadlines?.moments.count ?? 0
            graph.remove(place)
            noteStaleTimers(moments)
        }
        deferred.finishedJobs.removeAll(keepingCapacity: true)
    }
}
