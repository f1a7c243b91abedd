@_spi(Baton) import BatonInvariants
@_spi(Baton) public import BatonOperations

/// Large jobs, whose entries the scheduler takes in turns while their rows come into the record.
@_spi(Baton) extension Scheduler {
    /// Whether the entries of a job are being taken in turns, and nobody finds the job yet.
    public func isArriving(_ job: JobNumber) -> Bool { arrivals[job] != nil }

    /// Takes some more entries of a submission under a reserved number.
    ///
    /// A submission that cannot be taken in turns comes as a whole, and is refused then if it has to be.
    mutating func continueArrival(of number: JobNumber, _ validated: ValidatedSubmission, entries: Int) {
        if arrivals[number] == nil { beginArrival(of: number, validated) }
        takeTurn(of: number, validated.submission, atMost: entries)
    }

    private mutating func beginArrival(of number: JobNumber, _ validated: ValidatedSubmission) {
        let submission = validated.submission
        guard validated.canBeTakenInTurns, (try? checkRoom(forQueues: submission.queueNames)) != nil,
            !validated.needs.haveRequests || (try? checkLimits(of: submission.templates)) != nil
        else { return }
        let queues = submission.queueNames.map { queue(named: $0) }
        // The final time and requester are those of the last turn.
        let record = JobRecord(
            number: number,
            submittedAt: now,
            order: graph.nextSequence,
            submission: submission,
            areRowsStored: true
        )
        let job = graph.insertHidden(record, validated.needs)
        graph.makeRoom(forNodes: submission.entries.count, edges: 0)
        arrivals[number] = ArrivingJob(
            job,
            queues: queues,
            templateCount: validated.needs.haveRequests ? submission.templates.count : 0,
            entryCount: submission.entries.count,
            firstAge: graph.takeSequence(UInt64(validated.operationCount))
        )
    }

    private mutating func takeTurn(of number: JobNumber, _ submission: Submission, atMost most: Int) {
        // Out of the table, so that its lists are not copied when they grow.
        guard var arriving = arrivals.removeValue(forKey: number) else { return }
        let entries = submission.entries
        var left = most
        while left > 0, let (pass, range) = arriving.takePositions(atMost: left) {
            left -= range.count
            switch pass {
            case .requests: graph.noteRequests(of: submission.templates, range, for: arriving.job)
            case .nodes: addNodes(of: entries, range, &arriving)
            case .edges: connect(range, &arriving)
            case .states: beginStates(of: entries, range, &arriving)
            }
        }
        arrivals[number] = arriving
    }

    private mutating func addNodes(of entries: [Entry], _ range: Range<Int>, _ arriving: inout ArrivingJob) {
        graph[arriving.job].append(entries, range, entryBase: 0, templateBase: 0, earlier: [])
        for position in range {
            let live = graph[arriving.job].entries[position]
            let age = arriving.firstAge + UInt64(live.first)
            var node = OperationNode(
                job: arriving.job,
                entry: Int32(position),
                index: live.first,
                count: live.count,
                queue: arriving.queues[entries[position].queue],
                sequence: age,
                order: age,
                priority: entries[position].priority
            )
            if entries[position].isHeld { node.hold() }
            arriving.nodes.append(graph.insertHidden(node))
        }
    }

    private mutating func connect(_ range: Range<Int>, _ arriving: inout ArrivingJob) {
        if arriving.dependents.isEmpty {
            arriving.dependents = Array(repeating: nil, count: arriving.entryCount)
            graph.makeRoom(forNodes: 0, edges: graph[arriving.job].dependencies.count)
        }
        for entry in range {
            let node = arriving.nodes[entry]
            for position in graph[arriving.job].dependencyRange(ofEntry: entry) {
                if let (other, condition) = graph[arriving.job].ownOperation(ofDependency: position) {
                    graph.addEdge(to: node, condition, in: &arriving.dependents[other])
                } else {
                    let dependency = graph[arriving.job].dependencies[position]
                    connect(node, to: dependency, ends: [:])
                }
            }
        }
    }

    /// Makes operations ready that wait for nothing; all of them are reserved until the job is revealed.
    private mutating func beginStates(of entries: [Entry], _ range: Range<Int>, _ arriving: inout ArrivingJob) {
        for position in range {
            let place = arriving.nodes[position]
            if let first = arriving.dependents[position] { graph[place].dependents = first }
            if graph[place].waiting == 0 {
                reserve(place)
                graph[place].state = .ready
                let node = graph[place]
                arriving.addReady(node, graph.reference(to: place))
            }
            let node = graph[place]
            arriving.count(node, inQueueAt: entries[position].queue)
        }
    }

    /// Takes the last entries of a job, and lets everybody find the job.
    mutating func reveal(
        _ number: JobNumber,
        _ validated: ValidatedSubmission,
        _ submission: Submission,
        request: RequestID
    ) {
        takeTurn(of: number, submission, atMost: .max)
        guard var arriving = arrivals.removeValue(forKey: number), arriving.isWhole else {
            failInvariant("A job is revealed that is not whole.")
        }
        let job = arriving.job
        giveAgesBehindBarriers(&arriving)
        let record = JobRecord(
            number: number,
            submittedAt: now,
            submittedBy: current.requester?.text,
            order: arriving.firstAge,
            submission: submission,
            areRowsStored: true
        )
        for change in submission.queueChanges { changeQueue(change) }
        emit(.commit(.job(record)))
        emit(.confirm(.job(number)))
        graph.reveal(job)
        graph[job].noteSubmission(at: now, by: record.submittedBy)
        graph[job].uncommittedParts = 1
        if validated.needs.haveDeadlines { noteDeadlines(of: job, entries: submission.entries.indices, since: now) }
        noteDeadline(ofWhole: job, since: now)
        graph.noteKey(of: submission, job: job)
        let operations = graph[job].operationCount
        note(.jobSubmitted(number, operations: UInt32(operations)))
        for (queue, counts) in zip(arriving.queues, arriving.counts) where counts.unfinished > 0 {
            graph[job].counts += counts
            graph.totals += counts
            queues[queue].counts += counts
            queues[queue].segments.add(counts.unfinished)
        }
        noteReady(arriving.readyRuns, of: number)
        answer(request, .job(number, operations: operations, isNew: true))
        beginStart(of: arriving.readyNodes, request: request)
    }

    /// Lets the operations come after the barriers that were added during the arrival, which do not wait for them (BA1, BA2).
    private mutating func giveAgesBehindBarriers(_ arriving: inout ArrivingJob) {
        let age = arriving.firstAge
        guard arriving.queues.contains(where: { queues[$0].segments.haveBarrier(youngerThan: age) }) else { return }
        arriving.firstAge = graph.takeSequence(UInt64(graph[arriving.job].operationCount))
        for place in arriving.nodes { graph[place].lowerAge(by: arriving.firstAge - age) }
    }

    /// Forgets a submission that does not become a job.
    ///
    /// - Complexity: O(the entries that were taken).
    mutating func endArrival(of number: JobNumber) {
        guard let arriving = arrivals.removeValue(forKey: number) else { return }
        graph.removeHidden(arriving.job, arriving.nodes, arriving.dependents)
        for other in files.endUses(by: number) { forgetFilesIfUnneeded(of: other) }
    }
}
