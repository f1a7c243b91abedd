@_spi(Baton) public import BatonOperations

/// Pausing and continuing what executes, and signals to it (RT6, RT7).
///
/// A paused operation keeps its slot, its place in the limits of queue and array, its memory and its units of resources and shared
/// limits. It gives back its processors, which nothing uses meanwhile. When it goes on, it takes them at once, even if others have
/// them: it has started, and must not wait for operations that have come later.
extension Scheduler {
    mutating func pause(_ selections: [OperationSelection], request: RequestID) {
        let consequence = "pausing it has no effect"
        let places = select(selections)
        var report = ChangeReport(changed: 0)
        var told: Set<WorkerIndex> = []
        for place in places {
            guard graph[place].stage == .executing else {
                note(idle: place, among: places, consequence, &report)
                continue
            }
            guard graph.pauses[place] == nil else { continue }
            guard let worker = reachable(place, "paused", consequence, &report) else { continue }
            let pause = PauseRecord(by: current.requester?.text, since: now)
            graph.pauses[place] = pause
            emit(.commit(.pause(graph.id(at: place), pause)))
            noteChange(of: place, .paused(true))
            claimResources(of: place)
            told.insert(worker)
            report.changed += 1
        }
        sendPauses(to: told)
        report.notes += notes(onFinished: selections, consequence)
        conclude(request, report)
    }

    mutating func resume(_ selections: [OperationSelection], request: RequestID) {
        let consequence = "continuing it has no effect"
        let places = select(selections)
        var report = ChangeReport(changed: 0)
        var told: Set<WorkerIndex> = []
        for place in places {
            guard endPause(of: place) else { continue }
            noteChange(of: place, .paused(false))
            claimResources(of: place)
            if let worker = graph[place].worker { told.insert(worker) }
            report.changed += 1
        }
        sendPauses(to: told)
        if places.count == 1, report.changed == 0, let place = places.first {
            report.notes.append("\(graph.id(at: place)) is not paused; \(consequence).")
        }
        report.notes += notes(onFinished: selections, consequence)
        conclude(request, report)
    }

    mutating func signal(_ selections: [OperationSelection], _ signal: OperationSignal, request: RequestID) {
        let consequence = "a signal has no effect"
        let places = select(selections)
        var report = ChangeReport(changed: 0)
        var tokens: [WorkerIndex: [AttemptToken]] = [:]
        for place in places {
            guard graph[place].stage == .executing, let token = token(of: graph[place]) else {
                note(idle: place, among: places, consequence, &report)
                continue
            }
            guard let worker = reachable(place, "sent a signal", consequence, &report) else { continue }
            guard workers[worker].isPresent else {
                let name = workers[worker].introduction.name
                report.unanswered = Set(report.unanswered + [name]).sorted()
                continue
            }
            noteChange(of: place, .signalled(signal))
            tokens[worker, default: []].append(token)
            report.changed += 1
        }
        for (worker, tokens) in tokens.sorted(by: { $0.value[0] < $1.value[0] }) {
            emit(.signal(workers[worker].introduction.session, tokens, signal))
        }
        report.notes += notes(onFinished: selections, consequence)
        conclude(request, report)
    }

    /// The worker of an executing operation that can be paused and get signals; nil otherwise, with the reason in the report.
    private func reachable(
        _ place: NodeIndex,
        _ change: String,
        _ consequence: String,
        _ report: inout ChangeReport
    ) -> WorkerIndex? {
        let id = graph.id(at: place)
        guard case .commands = graph.template(at: place).work.kind else {
            report.notes.append("\(id) has no processes of its own, and cannot be \(change).")
            return nil
        }
        guard !graph[place].isCancelled else {
            report.notes.append("\(id) is being cancelled; \(consequence).")
            return nil
        }
        guard graph[place].cancellation != .overdue else {
            report.notes.append("\(id) is being ended at its deadline; \(consequence).")
            return nil
        }
        guard let worker = graph[place].worker else { return nil }
        let introduction = workers[worker].introduction
        guard introduction.knowsPauses else {
            report.notes.append(
                "\(id) cannot be \(change): its worker \(introduction.name.asShown) is of an earlier version of Baton. Upgrade it."
            )
            return nil
        }
        return worker
    }

    /// Notes that an operation does not execute, if the request is about it alone.
    private func note(
        idle place: NodeIndex,
        among places: [NodeIndex],
        _ consequence: String,
        _ report: inout ChangeReport
    ) {
        guard places.count == 1 else { return }
        report.notes.append("\(graph.id(at: place)) is not executing; \(consequence).")
    }

    /// Tells workers which of their attempts are to stand still; an absent worker is told in its welcome.
    private mutating func sendPauses(to places: Set<WorkerIndex>) {
        let present = places.filter { !workers[$0].isAbsent }
        for session in present.map({ workers[$0].introduction.session }).sorted(by: { $0.rawValue < $1.rawValue }) {
            emit(.pauses(session, pausedAttempts(in: session)))
        }
    }

    /// Ends the pause of an operation.
    ///
    /// - Returns: whether it was paused.
    @discardableResult
    mutating func endPause(of place: NodeIndex) -> Bool {
        guard graph.pauses.removeValue(forKey: place) != nil else { return false }
        emit(.commit(.pause(graph.id(at: place), nil)))
        return true
    }

    /// Ends the pauses of the attempts of a worker that cannot pause them.
    mutating func endPauses(at worker: WorkerIndex) {
        for (_, place) in workers[worker].attempts.sorted(by: { $0.key < $1.key }) where endPause(of: place) {
            noteChange(of: place, .paused(false))
            claimResources(of: place)
        }
    }

    /// What the attempt of a node takes of its worker; nil for nothing.
    func claim(of place: NodeIndex) -> ResourceRequest? {
        guard var request = graph.request(of: graph[place]) else { return nil }
        if !graph.pauses.isEmpty, graph.pauses[place] != nil { request.cpus = 0 }
        return request
    }

    /// Restores pauses before attempts take anything of their workers.
    mutating func restore(_ pauses: [OperationID: PauseRecord]) {
        for (id, pause) in pauses.sorted(by: { $0.key < $1.key }) {
            if let place = graph.node(for: id), graph[place].stage == .executing, !graph[place].isCancelled {
                graph.pauses[place] = pause
            } else {
                emit(.commit(.pause(id, nil)))
            }
        }
    }
}

@_spi(Baton) extension Scheduler {
    /// The attempts of a session that are to stand still, in the order of their tokens.
    ///
    /// - Complexity: O(attempts of the worker), and O(1) while nothing is paused.
    public func pausedAttempts(in session: SessionID) -> [AttemptToken] {
        guard !graph.pauses.isEmpty, let worker = workers.index(ofSession: session) else { return [] }
        return workers[worker].attempts.filter { graph.pauses[$0.value] != nil }.keys.sorted()
    }

    /// All paused operations, in the order of their addresses.
    ///
    /// - Complexity: O(p log p) for p paused operations.
    public var allPausedOperations: [OperationID] { graph.pauses.keys.map { graph.id(at: $0) }.sorted() }

    /// The paused operations of a job, in the order of their indices.
    ///
    /// - Complexity: O(p log p) for all p paused operations.
    public func pausedOperations(of job: JobNumber) -> [OperationID] {
        graph.pauses.keys.lazy.map { graph.id(at: $0) }.filter { $0.job == job }.sorted()
    }

    /// The pause of an executing operation; nil if it is not paused.
    public func pause(of id: OperationID) -> PauseRecord? {
        guard !graph.pauses.isEmpty else { return nil }
        return graph.node(for: id).flatMap { graph.pauses[$0] }
    }
}
