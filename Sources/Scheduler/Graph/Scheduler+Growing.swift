@_spi(Baton) public import BatonOperations

/// Additions to open jobs, and the closing of open jobs.
///
/// An open job counts as one unfinished operation of itself, so that its dependents, hooks and waits wait for the closing.
@_spi(Baton) extension Scheduler {
    /// Whether an unfinished job takes further operations.
    public func isOpen(_ job: JobNumber) -> Bool { graph.job(job).map { graph[$0].isOpen } ?? false }

    /// Whether an unfinished job knows an addition by its key.
    public func hasAddition(withKey key: String, to job: JobNumber) -> Bool {
        graph.job(job).flatMap { graph[$0].growth?.additions[key] } != nil
    }

    mutating func add(
        _ validated: ValidatedSubmission,
        to number: JobNumber,
        ends: [Address: DependencyEnd],
        request: RequestID
    ) {
        let submission = validated.submission
        do throws(Refusal) {
            guard let job = graph.job(number) else { throw .finished(number) }
            if let key = submission.key, let earlier = graph[job].growth?.additions[key] {
                guard !submission.differs(fromDigest: earlier.digest) else {
                    throw .otherAddition(withKey: key, to: number)
                }
                let (first, operations) = (earlier.first, earlier.operations)
                return emit(.answer(request, .added(number, first: first, operations: operations, isNew: false)))
            }
            if let key = submission.key, let other = graph.keys[key] { throw other.refusal(ofKey: key) }
            if validated.needs.haveRequests { try checkLimits(of: submission.templates) }
            let addition = try checked(submission, to: job, ends: ends, elementEnds: validated.elementEnds)
            // The job's trace adds an option to the templates.
            let isTraced = graph[job].growth?.traceParent != nil
            let needs = isTraced ? TemplateNeeds(of: addition.submission.templates) : validated.needs
            add(addition, needs, to: job, ends: ends, elementEnds: validated.elementEnds)
            let operations = UInt32(addition.submission.operationCount)
            answer(request, .added(number, first: addition.first, operations: operations, isNew: true))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    /// The addition in the form of the record; refuses what the job does not take.
    private func checked(
        _ submission: Submission,
        to job: JobIndex,
        ends: [Address: DependencyEnd],
        elementEnds: [Address: ElementEnds]
    ) throws(Refusal) -> JobAddition {
        let number = graph[job].number
        guard graph[job].isOpen else { throw .notOpen(number) }
        let count = graph[job].operationCount
        guard count.addingSaturated(submission.operationCount) <= Submission.maximumOperations else {
            throw Refusal(
                .invalid,
                "Job \(number) has \(count) operations, and a job may have at most \(Submission.maximumOperations)."
            )
        }
        for entry in submission.entries {
            guard let name = entry.name, graph[job].entry(named: name) != nil else { continue }
            throw Refusal(
                .duplicateName,
                "Job \(number) already has an operation with the name \"\(name.asShown)\". Choose another name."
            )
        }
        var resolved = try graph.resolvingNames(of: submission, ends: ends, elementEnds: elementEnds)
        if submission.rejectsUnplaceable, let refusal = unplaceable(submission) { throw refusal }
        resolved.rejectsUnplaceable = false
        try checkRoom(forQueues: resolved.queueNames)
        try refuseCycle(of: resolved, addedTo: job)
        let earlier = graph.useEarlierEntries(of: job, in: &resolved)
        resolved.addressElements(in: number, from: UInt32(count))
        resolved.tellWorks(of: graph[job].growth?.traceParent)
        return JobAddition(
            job: number,
            first: UInt32(count),
            addedAt: now,
            addedBy: current.requester?.text,
            order: graph.nextSequence,
            submission: resolved,
            earlier: earlier
        )
    }

    private mutating func add(
        _ addition: JobAddition,
        _ needs: TemplateNeeds,
        to job: JobIndex,
        ends: [Address: DependencyEnd],
        elementEnds: [Address: ElementEnds]
    ) {
        let entries = addition.submission.entries
        let queues = addition.submission.queueNames.map { queue(named: $0) }
        emit(.commit(.addition(addition)))
        emit(.confirm(.job(addition.job)))
        let base = graph[job].entries.count
        graph.append(addition, needs, to: job)
        graph[job].uncommittedParts += 1
        let count = UInt32(addition.submission.operationCount)
        note(.operationsAdded(addition.job, first: addition.first, count: count))
        graph.makeRoom(forNodes: entries.count, edges: 0)
        let added = addNodes(of: entries, to: job, from: base, in: queues)
        if needs.haveDeadlines { noteDeadlines(of: job, entries: base..<base + added.count, since: now) }
        let mayDivide = entries.indices.contains { position in
            entries[position].dependencies.haveElements || entries[position].dependencies.haveExisting
        }
        var allEnds = ends
        if mayDivide { divide(base..<base + added.count, of: job, elementEnds, &allEnds) }
        let divided = mayDivide ? dividedNodes(among: added, of: job, from: base) : []
        for node in added { connect(node, ends: allEnds) }
        for (_, node) in divided { connect(node, ends: allEnds) }
        start(added, of: entries)
        start(divided, of: entries)
    }

    mutating func close(_ numbers: [JobNumber], request: RequestID) {
        var report = ChangeReport(changed: 0)
        for number in numbers {
            guard let job = graph.job(number) else {
                report.notes.append("Job \(number) is finished; closing it has no effect.")
                continue
            }
            guard graph[job].isOpen else {
                report.notes.append("Job \(number) is not open; closing it has no effect.")
                continue
            }
            close(job)
            report.changed += 1
        }
        conclude(request, report)
    }

    /// Closes a job; a job without unfinished operations is finished.
    mutating func close(_ job: JobIndex, isCancelled: Bool = false) {
        guard graph[job].isOpen else { return }
        graph[job].growth?.close()
        // An operation that the cancellation met decides by its own end.
        if isCancelled, graph[job].counts.unfinished == 0, graph[job].counts.succeeded == 0 {
            graph[job].counts.isCancelled = true
            graph[job].join.cancel(rootedAt: OperationID(job: graph[job].number, index: 0))
        }
        emit(.commit(.jobClosed(graph[job].number)))
        note(.jobClosed(graph[job].number))
        let news = graph[job].join.close()
        guard let end = news.end else { return }
        notifyDependents(news.dependents, of: end, subject: .job(job, end.ending), hasRun: !news.mayHaveLeftOut)
        deferred.finishedJobs.append(job)
    }
}

extension Refusal {
    /// Refuses operations for a job that is finished.
    @_spi(Baton) public static func finished(_ job: JobNumber) -> Refusal {
        Refusal(
            .invalid,
            "Job \(job) is finished, and takes no further operations. Submit them as a new job, which may depend on it."
        )
    }

    /// Refuses operations for a job that was not opened, or was closed.
    fileprivate static func notOpen(_ job: JobNumber) -> Refusal {
        Refusal(
            .invalid,
            "Job \(job) takes no further operations: it was not submitted as open, or has been closed. Submit them as a new job, "
                + "which may depend on it."
        )
    }
}

extension Graph {
    /// Lets dependencies on earlier operations of the job refer to their entries, so that a retry of the job finds them.
    ///
    /// - Returns: the first operations of these entries; see ``BatonOperations/JobAddition/earlier``.
    fileprivate func useEarlierEntries(of job: JobIndex, in submission: inout Submission) -> [UInt32] {
        var positions: [UInt32: Int] = [:]
        var earlier: [UInt32] = []
        for entry in submission.entries.indices where submission.entries[entry].dependencies.haveExisting {
            for position in submission.entries[entry].dependencies.indices {
                guard case .existing(let address) = submission.entries[entry].dependencies[position].target,
                    let first = firstOperation(ofEntryAt: address, of: job)
                else { continue }
                let known = positions[first] ?? earlier.count
                if known == earlier.count {
                    positions[first] = known
                    earlier.append(first)
                }
                submission.entries[entry].dependencies[position].target = .entry(submission.entries.count + known)
            }
        }
        return earlier
    }

    /// The first operation of the whole entry of a job that an address means; nil for another job, and for a part of an array.
    private func firstOperation(ofEntryAt address: Address, of job: JobIndex) -> UInt32? {
        guard address.job == self[job].number else { return nil }
        switch address {
        case .operation(let id):
            guard let entry = self[job].entry(ofIndex: id.index), self[job].entries[entry].array == nil else {
                return nil
            }
            return id.index
        case .named(_, let name):
            return self[job].entry(named: name).map { self[job].entries[$0].first }
        case .job, .operations: return nil
        }
    }
}
