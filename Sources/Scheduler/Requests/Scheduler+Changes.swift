@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Holding, releasing and changing the priority of operations that have not started.
extension Scheduler {
    mutating func hold(_ selections: [OperationSelection], request: RequestID) {
        let changing = select(selections).filter { !graph[$0].isHeld }
        let consequence = "holding it has no effect"
        if takesTurns(changing.count) {
            let ended = notes(onFinished: selections, consequence)
            return beginChange(.hold, of: changing, notes: ended, request: request)
        }
        if deferRequest(.hold(selections, request: request), request, for: changing) { return }
        var report = ChangeReport(changed: 0)
        for place in changing { hold(place, &report) }
        report.notes += notes(onFinished: selections, consequence)
        conclude(request, report)
    }

    /// Holds a node that has not started, unless it is held.
    mutating func hold(_ place: NodeIndex, _ report: inout ChangeReport) {
        guard !graph[place].isHeld, isUnstarted(place, "held", "holding it has no effect", &report) else { return }
        graph[place].hold()
        noteChange(of: place, .held(true))
        advance(place, on: .conditionAdded)
        commitRecord(of: place)
        report.changed += Int(graph[place].count)
    }

    mutating func release(_ selections: [OperationSelection], request: RequestID) {
        let places = select(selections)
        let consequence = "releasing it has no effect"
        let held = places.filter { graph[$0].isHeld }
        if takesTurns(held.count) {
            let ended = notes(onFinished: selections, consequence)
            return beginChange(.release, of: held, notes: ended, request: request)
        }
        var report = ChangeReport(changed: 0)
        for place in held { release(place, &report) }
        if places.count == 1, report.changed == 0, let place = places.first {
            report.notes.append("\(graph.id(of: graph[place])) is not held; releasing it has no effect.")
        }
        report.notes += notes(onFinished: selections, consequence)
        conclude(request, report)
    }

    /// Releases a node that is held.
    mutating func release(_ place: NodeIndex, _ report: inout ChangeReport) {
        guard graph[place].isHeld else { return }
        report.changed += Int(graph[place].count)
        let waitsForNothing = graph[place].release()
        graph[place].isRecordedFirst = true
        noteChange(of: place, .held(false))
        if waitsForNothing { advance(place, on: .conditionsMet) }
        commitRecord(of: place)
    }

    mutating func setPriority(_ selections: [OperationSelection], _ priority: Priority, request: RequestID) {
        let changing = select(selections).filter { graph[$0].priority != priority }
        let consequence = "another priority has no effect"
        if takesTurns(changing.count) {
            let ended = notes(onFinished: selections, consequence)
            return beginChange(.setPriority(priority), of: changing, notes: ended, request: request)
        }
        if deferRequest(.setPriority(selections, priority, request: request), request, for: changing) { return }
        var report = ChangeReport(changed: 0)
        for place in changing { setPriority(place, priority, &report) }
        report.notes += notes(onFinished: selections, consequence)
        conclude(request, report)
    }

    /// Moves a node that has not started to the tail of another priority, unless it has that priority (PR6).
    mutating func setPriority(_ place: NodeIndex, _ priority: Priority, _ report: inout ChangeReport) {
        guard graph[place].priority != priority,
            isUnstarted(place, "given another priority", "another priority has no effect", &report)
        else { return }
        let hadTurn = graph[place].hasTurn
        graph[place].priority = priority
        graph[place].order = graph.takeSequence(UInt64(graph[place].count))
        graph[place].isInLine = false
        noteChange(of: place, .priority(priority))
        commitRecord(of: place)
        if hadTurn { noteStaleEntry(of: graph[place]) }
        if graph[place].stage == .ready { enqueue(place) }
        report.changed += Int(graph[place].count)
    }

    /// Whether an operation has certainly not started; if not, adds the reason to the report.
    private func isUnstarted(
        _ place: NodeIndex,
        _ change: String,
        _ consequence: String,
        _ report: inout ChangeReport
    ) -> Bool {
        let id = graph.id(of: graph[place])
        switch graph[place].stage {
        case .executing:
            report.notes.append("\(id) is executing; \(consequence).")
            return false
        case .sent:
            let worker = workerName(of: graph[place])
            report.unanswered = Set(report.unanswered + [worker]).sorted()
            report.notes.append(
                "\(id) was not \(change), because the worker \(worker.asShown) has it and did not say whether it has started."
            )
            return false
        case .pending, .ready, .finished:
            return true
        }
    }

    mutating func conclude(_ request: RequestID, _ report: ChangeReport) {
        var report = report
        report.notes = Array(report.notes.prefix(Self.mostNotes))
        if report.changed == 0, !report.unanswered.isEmpty {
            emit(.answer(request, .refused(.unanswered(by: report.unanswered))))
        } else {
            answer(request, .changed(report))
        }
    }

    // MARK: - Progress

    mutating func reportProgress(
        of operation: OperationID,
        attempt: UInt32,
        _ reported: OperationProgress,
        request: RequestID
    ) {
        guard let place = graph.node(for: operation), graph[place].stage == .executing, graph[place].attempt == attempt
        else {
            let note = "\(operation) is not executing its attempt \(attempt); its progress was not noted."
            return conclude(request, ChangeReport(changed: 0, notes: [note]))
        }
        noteProgress(reported, of: place)
        answer(request, .changed(ChangeReport(changed: 1)))
    }

    /// Notes the progress of attempts as their worker reports it.
    ///
    /// A worker repeats its last report to a coordinator that may not have it; what is known already is no change.
    mutating func attemptsProgressed(_ session: SessionID, _ reported: [AttemptProgress]) {
        guard let worker = noteSignOfLife(session) else { return }
        // Each progress is an event, and a worker sends the last one of an attempt alone.
        let last = Dictionary(reported.indices.lazy.map { (reported[$0].token, $0) }, uniquingKeysWith: { $1 })
        for (position, report) in reported.enumerated() where last[report.token] == position {
            guard let place = node(of: report.token, at: worker), graph[place].stage == .executing,
                graph.progress[place] != report.progress
            else { continue }
            noteProgress(report.progress, of: place)
        }
    }

    private mutating func noteProgress(_ reported: OperationProgress, of place: NodeIndex) {
        // A finished operation that runs again has made all of its progress.
        if isRerun(graph[place]) { return }
        forgetProgress(of: place)
        graph.progress[place] = reported
        addProgress(of: place, Int64(reported.millionths))
        noteChange(of: place, .progress(reported))
    }

    /// Discards the progress that an attempt reported.
    mutating func forgetProgress(of place: NodeIndex) {
        guard !graph.progress.isEmpty, let reported = graph.progress.removeValue(forKey: place) else { return }
        addProgress(of: place, -Int64(reported.millionths))
    }

    /// Adds reported progress to the job and, unless the operation is a barrier, to the queue (PG1).
    private mutating func addProgress(of place: NodeIndex, _ millionths: Int64) {
        let job = graph[place].job
        graph[job].partial += millionths
        invariant(graph[job].partial >= 0, "The operations of a job have made less than no progress.")
        guard !graph[place].isBarrier else { return }
        let queue = graph[place].queue
        queues[queue].partial += millionths
        invariant(queues[queue].partial >= 0, "The operations of a queue have made less than no progress.")
    }

    /// Counts an operation that ran to its end for the progress of its queue, if the queue has a total (PG1).
    mutating func countCompletion(of node: OperationNode) {
        let queue = node.queue
        guard queues[queue].settings.total != nil, !node.isBarrier else { return }
        queues[queue].completed += 1
        commitQueue(node.queue)
    }
}
