@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Scheduler {
    /// Restores the scheduler from a record, with every unfinished operation in its recorded state.
    ///
    /// Sent and executing attempts stay with their worker until the worker is lost; the worker counts as silent from now on.
    /// All other operations wait for the end of the reconcile window, because the record may lack the last dispatches before
    /// a crash. The window closes when all workers that had a session have returned, or when its time is up. If no worker had
    /// a session, the window closes at once.
    ///
    /// - Parameters:
    ///   - configuration: the limits by which workers are judged.
    ///   - epoch: the number of this start; larger than the epoch of any token in the record.
    ///   - nextJob: the number of the next job.
    ///   - queues: all queues with their settings.
    ///   - restoredJobs: the unfinished jobs, oldest first.
    ///   - acceptedAt: when these jobs, and then their additions, were accepted, by the clock that users see; unless given, as the
    ///     jobs say, whose times are by the record's own clock.
    ///   - ends: the outcomes of dependencies in finished jobs.
    ///   - elementEnds: how those elements of finished jobs ended on which arrays depend one by one, by the range of the elements.
    ///   - endTimes: when these dependencies finished.
    ///   - finished: the outcome counts of all operations in finished jobs.
    ///   - totals: what has happened in the cluster since the record was made.
    ///   - hooks: the completion hooks that are still to be run, oldest first.
    ///   - workers: the workers that had a session.
    ///   - drains: the workers that are to get nothing new.
    ///   - pauses: the executing operations that are paused.
    ///   - limits: the limits that several queues share, with their units.
    ///   - files: the files of the finished operations of unfinished jobs, of those on which operations of unfinished jobs depend,
    ///     finished or not, and of the jobs in `keptUntil`.
    ///   - keptUntil: until when finished jobs keep their files.
    ///   - starts: all starts in the record by epoch, including this start.
    ///   - nextEvent: the number of the next event.
    ///   - firstOrderedJob: the first job that was never in the hands of a coordinator that sent operations before their
    ///     release was on disk.
    ///   - now: the time of the start.
    public init(
        configuration: Configuration = Configuration(),
        epoch: UInt32,
        nextJob: JobNumber,
        queues: [String: QueueRecord],
        jobs restoredJobs: [RestoredJob],
        acceptedAt: [JobNumber: [Timestamp]] = [:],
        ends: [Address: DependencyEnd],
        elementEnds: [Address: ElementEnds] = [:],
        endTimes: [Address: Timestamp] = [:],
        finished: JobCounts,
        totals: ClusterTotals = ClusterTotals(),
        hooks: [CompletionHook] = [],
        workers: [String: WorkerRecord] = [:],
        drains: [WorkerID: DrainRecord] = [:],
        pauses: [OperationID: PauseRecord] = [:],
        limits: [String: Int] = [:],
        files: [FileSource] = [],
        keptUntil: [JobNumber: Timestamp] = [:],
        starts: [UInt32: CoordinatorStart] = [:],
        nextEvent: UInt64 = 1,
        firstOrderedJob: JobNumber = JobNumber(1),
        at now: Timestamp
    ) {
        self.init(configuration: configuration, epoch: epoch, incarnation: starts[epoch]?.incarnation ?? .unknown)
        tokens.starts = starts
        self.workers.absentWorkers = AbsentWorkers(workers, until: now + configuration.lostAfter)
        self.drains = DrainTable(drains)
        self.limits = SharedLimitTable(limits)
        current.time = now
        recordState = RecordState(nextJob: nextJob)
        graph.totals = finished
        recordState.nextEvent = nextEvent
        restore(totals)
        self.queues.restore(queues, totals)
        for hook in hooks { _ = self.hooks.add(hook, isCommitted: true) }
        restoreFiles(files, keptUntil: keptUntil)

        var ends = ends
        var highestOrder: UInt64 = 0
        var recorded: [(worker: String, node: NodeIndex)] = []
        restore(restoredJobs, acceptedAt, &highestOrder, &recorded)
        for restored in restoredJobs {
            for record in restored.records where record.count == 1 {
                if let end = record.dependencyEnd { ends[.operation(record.id)] = end }
            }
        }
        graph.raiseSequence(to: highestOrder)
        if !files.isEmpty { restoreReruns(of: restoredJobs, &recorded) }
        restore(pauses)
        for name in Set(workers.keys).union(recorded.lazy.map(\.worker)).sorted() {
            let place = seatAbsent(name, workers[name] ?? WorkerRecord())
            for (worker, node) in recorded where worker == name {
                bind(node, to: place)
                claimResources(of: node)
                if !limits.isEmpty { takeLimits(of: node) }
            }
        }
        isolateDependencies(of: restoredJobs)
        divideElements(of: restoredJobs, elementEnds, &ends)
        let places = Array(graph.nodeIndexes)
        var due: Set<NodeIndex> = []
        for node in places {
            if graph[node].token != nil {
                if isRerun(graph[node]) { continue }
                graph[node].hasInputs = leftResults(to: node, ends: ends)
                continue
            }
            if graph[node].isHeld { graph[node].hold() }
            let time = graph[node].notBefore
            graph[node].notBefore = nil
            if let time, time > now {
                postpone(node, until: time)
            } else if time != nil || graph[node].isRecordedFirst {
                due.insert(node)
            }
            graph[node].isRecordedFirst = due.contains(node)
            connect(node, ends: ends)
        }
        noteUnsent(from: firstOrderedJob)
        // Watchers were told of ready operations before the restart, except when a delay has ended since, and of those that waited for
        // files: until the workers have told what they have, nothing is lost.
        var times = RecordedTimes(restoredJobs, endTimes: endTimes)
        for node in places where graph[node].token == nil {
            guard graph[node].waiting == 0 else {
                graph[node].readyAt = times.readiness(of: graph.id(at: node))
                continue
            }
            let readyAt = due.contains(node) ? nil : readyMoment(of: node, &times)
            advance(node, on: .conditionsMet, TransitionContext(wasTold: !due.contains(node)))
            if let readyAt { graph[node].readyAt = readyAt }
        }
        // Nodes with further conditions are recorded, too: after another restart, the delay or the wait would again look as if it
        // had just ended.
        for node in places where due.contains(node) { commitRecord(of: node) }
        for queue in self.queues.indexes where !self.queues[queue].settings.isSuspended {
            finishFlagged(inQueue: queue)
        }
        openFirstFileReports(of: workers.keys)
        openReconcileWindow(for: workers)
        // Nothing may start before it is known which deadlines have passed.
        timePassed()
        finishDeferredWork()
        closeReconcileWindowIfDue()
    }

    /// Takes the effects of the restore, to be carried out before the first event.
    public mutating func takeInitialEffects() -> [Effect] {
        defer { current.effects = [] }
        return current.effects
    }

    /// A part of a job: its submission, or an addition.
    private struct Part {
        /// The number of the first operation in the order of additions.
        var order: UInt64
        /// The position of the job.
        var job: Int
        /// The entries.
        var entries: Range<Int>
        /// When the coordinator accepted the operations, by the record's own clock.
        var since: Timestamp
        /// The same by the clock that users see.
        var acceptedAt: Timestamp
    }

    /// The parts of all jobs in the order of their additions.
    private static func parts(of jobs: [RestoredJob], _ acceptedAt: [JobNumber: [Timestamp]]) -> [Part] {
        var parts: [Part] = []
        var isSorted = true
        for (position, restored) in jobs.enumerated() {
            let count = restored.job.submission.entries.count
            let moments = acceptedAt[restored.job.number] ?? []
            let whole = Part(
                order: restored.job.order,
                job: position,
                entries: 0..<count,
                since: restored.job.submittedAt,
                acceptedAt: moments.first ?? restored.job.submittedAt
            )
            // A large job has its number before its operations are added, and smaller jobs overtake it.
            if let last = parts.last, last.order > whole.order { isSorted = false }
            parts.append(whole)
            guard !restored.additions.isEmpty else { continue }
            isSorted = false
            var (entry, index) = (0, UInt64(0))
            for (number, addition) in restored.additions.enumerated() {
                while entry < count, index < UInt64(addition.first) {
                    index += UInt64(restored.job.submission.entries[entry].count)
                    entry += 1
                }
                let last = parts.count - 1
                let rest = entry..<parts[last].entries.upperBound
                parts[last].entries = parts[last].entries.lowerBound..<entry
                parts.append(
                    Part(
                        order: addition.order,
                        job: position,
                        entries: rest,
                        since: addition.addedAt,
                        acceptedAt: moments.indices.contains(number + 1) ? moments[number + 1] : addition.addedAt
                    )
                )
            }
        }
        return isSorted ? parts : parts.sorted { ($0.order, $0.job) < ($1.order, $1.job) }
    }

    /// Adds a job without nodes.
    private mutating func insert(_ restored: RestoredJob) -> JobIndex {
        let needs = TemplateNeeds(of: restored.job.submission.templates)
        let job = graph.insert(restored.job, needs)
        if needs.haveDeadlines { graph[job].deadlines = JobDeadlines() }
        noteDeadline(ofWhole: job, since: min(restored.job.submittedAt, now))
        graph[job].startedAt = restored.records.lazy.compactMap(\.startedAt).min()
        graph[job].changedDependencies = restored.dependencies
        graph[job].changedCommands = restored.commands
        for (index, limits) in restored.limits { graph.restoreLimits(limits, ofOperation: index, in: job) }
        graph[job].mayMissAttempts = restored.mayMissAttempts
        graph.noteKey(of: restored.job.submission, job: job)
        guard !restored.additions.isEmpty else { return job }
        if graph[job].growth == nil { graph[job].growth = JobGrowth(isOpen: false) }
        for addition in restored.additions {
            graph[job].growth?.note(addition)
            if let key = addition.key { graph.noteKey(ofAddition: key, to: job) }
        }
        return job
    }

    /// Creates the nodes of all jobs' unfinished operations, without their conditions.
    ///
    /// - Parameters:
    ///   - highestOrder: raised above all orders that were given with priorities.
    ///   - recorded: receives the attempts that workers have according to the record.
    private mutating func restore(
        _ jobs: [RestoredJob],
        _ acceptedAt: [JobNumber: [Timestamp]],
        _ highestOrder: inout UInt64,
        _ recorded: inout [(worker: String, node: NodeIndex)]
    ) {
        let places = jobs.map { insert($0) }
        var records = jobs.map { $0.records[...] }
        for part in Self.parts(of: jobs, acceptedAt) {
            let job = jobs[part.job].job
            graph.raiseSequence(to: part.order)
            restore(part, of: job, at: places[part.job], &records[part.job], &highestOrder, &recorded)
        }
        for place in places where graph[place].join.unfinished == 0 { deferred.finishedJobs.append(place) }
    }

    /// Creates the nodes of the unfinished operations of a part of a job.
    ///
    /// - Parameter records: the records of the job from the part on; becomes those behind the part.
    private mutating func restore(
        _ part: Part,
        of restored: JobRecord,
        at job: JobIndex,
        _ records: inout ArraySlice<OperationRecord>,
        _ highestOrder: inout UInt64,
        _ recorded: inout [(worker: String, node: NodeIndex)]
    ) {
        let submission = restored.submission
        if graph[job].deadlines != nil {
            // The rest of a deadline is no longer than the whole one, as that of a delay.
            noteDeadlines(of: job, entries: part.entries, since: min(part.since, now))
        }
        var queues = [QueueIndex?](repeating: nil, count: submission.queueNames.count)
        for position in part.entries {
            let entry = submission.entries[position]
            var index = graph[job].entries[position].first
            let end = index + graph[job].entries[position].count
            while index < end {
                let record = records.first.flatMap { $0.id.index <= index ? $0 : nil }
                if let record {
                    records.removeFirst()
                    guard record.id.index == index else { continue }
                }
                let count =
                    record.map { min($0.count, end - index) } ?? min(records.first?.id.index ?? end, end) - index
                // The queue of operations that have finished may have been deleted since, and stays so.
                if record?.state != .finished, queues[entry.queue] == nil {
                    queues[entry.queue] = queue(named: submission.queueNames[entry.queue])
                }
                var node = OperationNode(
                    job: job,
                    entry: Int32(position),
                    index: index,
                    count: count,
                    queue: queues[entry.queue] ?? .unused,
                    sequence: graph.nextSequence,
                    order: graph.nextSequence,
                    priority: entry.priority,
                    isHeld: entry.isHeld,
                    isBarrier: entry.isBarrier
                )
                node.readyAt = part.acceptedAt
                if let record {
                    restore(node, record, &highestOrder, &recorded)
                } else {
                    // The rest of a delay is no longer than the whole delay, whatever submission time the record has.
                    node.notBefore = entry.delay.map { min(part.since, now) + $0 }
                    isolateChanged(addNode(node))
                }
                index += count
            }
        }
    }

    /// Restores a node to its recorded state.
    private mutating func restore(
        _ fresh: OperationNode,
        _ record: OperationRecord,
        _ highestOrder: inout UInt64,
        _ recorded: inout [(worker: String, node: NodeIndex)]
    ) {
        guard fresh.count > 0 else { return }
        var node = fresh
        // Real counts stay below the limit, and the limit leaves room for further counting.
        node.attempt = min(record.attempt, .max / 2)
        node.losses = min(record.losses, .max / 2)
        node.failures = min(record.failures, .max / 2)
        node.isHeld = record.isHeld
        node.isCancelled = record.isCancelled
        if let change = record.priorityChange {
            node.priority = change.priority
            node.order = change.order
            highestOrder = max(highestOrder, change.order + UInt64(node.count))
        }
        switch (record.state, record.token) {
        case (.finished, _):
            // A finished operation keeps its age, so that the order of the other operations stays the same.
            _ = graph.takeSequence(UInt64(node.count))
            if record.hasFiles { noteProducer(node, record) }
            countFinished(record, count: Int(node.count), in: node.job, entry: Int(node.entry))
        case (.executing, let token?)
        where node.count == 1 && reconciliation.noteKnown(tokens.whole(token)):
            node.state = .executing
            node.token = token
            node.startedAt = record.startedAt
            node.readyAt = record.readyAt
            takeArrayPlace(for: node)
            recorded.append((record.worker ?? "", addNode(node)))
        case (.ready, let token?)
        where node.count == 1 && reconciliation.noteKnown(tokens.whole(token)):
            // The attempt was sent to a worker, and the worker may have started the attempt since.
            node.state = .ready
            node.token = token
            node.readyAt = record.readyAt
            takeArrayPlace(for: node)
            let place = addNode(node)
            linkSent(place)
            recorded.append((record.worker ?? "", place))
        case (.pending, _), (.ready, _), (.executing, _):
            node.notBefore = record.notBefore
            if record.state == .ready, let readyAt = record.readyAt { node.readyAt = readyAt }
            // Noted here until the conditions are known.
            if record.state == .pending, record.reason?.code == .input { node.isRecordedFirst = true }
            let place = addNode(node)
            if node.isCancelled { queues[node.queue].flagged.append(graph.reference(to: place)) }
            isolateChanged(place)
        }
    }

    /// Gives each element of a block whose dependencies or commands were changed a node of its own.
    private mutating func isolateChanged(_ block: NodeIndex) {
        let node = graph[block]
        guard node.count > 1 else { return }
        let changed = Set(graph[node.job].changedDependencies.keys).union(graph[node.job].changedCommands.keys)
        for index in changed.sorted()
        where (node.index..<node.index + node.count).contains(index) {
            let id = OperationID(job: graph[node.job].number, index: index)
            if let whole = graph.node(for: id) { isolate(id, in: whole, isConnected: false) }
        }
    }

    /// Gives each array element that other operations depend on by address a node of its own.
    private mutating func isolateDependencies(of restoredJobs: [RestoredJob]) {
        let changed = restoredJobs.lazy.flatMap(\.dependencies.values).joined()
        let submitted = restoredJobs.lazy.flatMap(\.job.submission.entries).flatMap(\.dependencies)
        for dependency in Array(submitted) + Array(changed) { isolateTarget(of: dependency, isConnected: false) }
    }

    /// Divides the arrays that wait for elements of other arrays, of which some may have finished.
    private mutating func divideElements(
        of restoredJobs: [RestoredJob],
        _ elementEnds: [Address: ElementEnds],
        _ ends: inout [Address: DependencyEnd]
    ) {
        let waiting = restoredJobs.filter { $0.job.submission.entries.contains(where: \.dependencies.haveElements) }
        guard !waiting.isEmpty else { return }
        let records = Dictionary(restoredJobs.map { ($0.job.number, $0.records) }) { first, _ in first }
        for restored in waiting {
            guard let job = graph.job(restored.job.number) else { continue }
            let entries = restored.job.submission.entries
            var known = elementEnds
            for dependency in entries.lazy.flatMap(\.dependencies) {
                guard case .operations(let number, let range) = graph.address(of: dependency.target, job: job),
                    let finished = records[number]
                else { continue }
                let first = finished.indices.binarySearch { place in
                    UInt64(finished[place].id.index) + UInt64(finished[place].count) > UInt64(range.lowerBound)
                }
                var finishedEnds = ElementEnds()
                for record in finished[first...].prefix(while: { $0.id.index < range.upperBound }) {
                    finishedEnds.insert(record, in: range)
                }
                known[.operations(number, range)] = finishedEnds
            }
            divide(entries.indices, of: job, known, &ends)
        }
    }

    /// Whether any dependency of a node left a result or files; a node with an attempt waits for no dependency any more.
    private func leftResults(to node: NodeIndex, ends: [Address: DependencyEnd]) -> Bool {
        let job = graph[node].job
        return graph.singleDependencies(of: graph[node]).contains { dependency in
            switch graph.source(of: dependency.target, job: job) {
            case .node: false
            case .array(let other, let array): graph[other].arrays[array.offset].join.dependencyEnd.hasInputs
            case .job(let other): graph[other].join.dependencyEnd.hasInputs
            case .gone(let address): ends[address]?.hasInputs ?? false
            }
        }
    }

    /// Counts operations that finished before the restart.
    private mutating func countFinished(_ record: OperationRecord, count: Int, in job: JobIndex, entry: Int) {
        let outcome = record.outcome ?? .failed
        let end = record.dependencyEnd ?? DependencyEnd(.failed(record.id))
        graph[job].counts.add(count, ended: outcome, end.ending)
        if end.ending.isFailure { noteFailure(in: job, entry: Int32(entry), outcome) }
        graph.totals.add(count, ended: outcome, end.ending)
        graph[job].join.count(count, end)
        if let array = graph[job].entries[entry].array { graph[job].arrays[array.offset].join.count(count, end) }
    }
}

extension DependencyEnd {
    /// Whether the end leaves something for dependents.
    fileprivate var hasInputs: Bool { hasResult || hasFiles }
}
