@_spi(Baton) import BatonOperations

/// The maximum of failures of a job: once so many operations have failed, what has not started is cancelled, and with `cancelRunning` what
/// executes, too.
///
/// Some operations are there for failures, and stay: those with a dependency `onFailure`, those that come `after` an operation that
/// failed or was skipped because of a failure, and all that depends on these.
extension Scheduler {
    /// Notes that an operation has failed, or was skipped because of a failure.
    mutating func noteFailure(of node: OperationNode, _ outcome: Outcome) {
        noteFailure(in: node.job, entry: node.entry, outcome)
    }

    /// Notes that an operation of an entry has failed, or was skipped because of a failure.
    mutating func noteFailure(in job: JobIndex, entry: Int32, _ outcome: Outcome) {
        guard let most = graph[job].settings.maxFailures, !graph[job].failures.isStopped else { return }
        graph[job].failures.note(entry)
        if outcome == .failed, graph[job].counts.failed >= Int(most), !deferred.failingJobs.contains(graph[job].number)
        {
            deferred.failingJobs.append(graph[job].number)
        }
    }

    /// Notes that a worker has returned an operation that it had not started.
    mutating func noteReturn(of node: OperationNode) {
        guard graph[node.job].failures.isStopped, !deferred.failingJobs.contains(graph[node.job].number) else { return }
        deferred.failingJobs.append(graph[node.job].number)
    }

    /// Cancels the rest of the jobs that have reached their maximum, and closes these jobs.
    ///
    /// While the coordinator waits for its workers after a restart, it does not know what has started.
    mutating func stopFailingJobs() {
        guard !reconciliation.isOpen else { return }
        let numbers = deferred.failingJobs
        deferred.failingJobs = []
        for number in numbers {
            guard let job = graph.job(number) else { continue }
            stop(job)
        }
        finishSkipped()
    }

    /// The reason for the cancellation of an operation whose job has reached its maximum.
    func failureLimitReason(of node: OperationNode) -> Reason {
        let most = graph[node.job].settings.maxFailures ?? 0
        let failures = most == 1 ? "1 failure" : "\(most) failures"
        let state =
            node.state == .executing
            ? "was executing" : node.hasStarted ? "waited for another attempt" : "had not started"
        return Reason(.cancelled, "It \(state) when its job reached its maximum of \(failures).")
    }

    /// The reason for the cancellation of an operation that was executing.
    func executingCancellationReason(of node: OperationNode) -> Reason {
        graph[node.job].settings.cancelRunning && graph[node.job].failures.isOver(for: node.entry)
            ? failureLimitReason(of: node)
            : Reason(.cancelled, "Its cancellation was asked for while it was executing.")
    }

    /// Cancels what has not started in a job, and with `cancelRunning` what executes or waits for another attempt, too.
    ///
    /// A worker may have started what was sent to it. Such an operation is taken back first, and cancelled if it returns.
    ///
    /// - Complexity: O(unfinished nodes + their dependencies).
    private mutating func stop(_ job: JobIndex) {
        let nodes = Array(graph.unfinishedNodes(of: job))
        let kept: Set<Int32>
        switch graph[job].failures {
        case .counting:
            kept = keptEntries(of: job, among: nodes)
            graph[job].failures = .stopped(kept: kept)
        case .stopped(let earlier): kept = earlier
        }
        let cancelsRunning = graph[job].settings.cancelRunning
        // A cancellation may finish other nodes.
        let references = nodes.map { (graph.reference(to: $0), graph[$0].entry) }
        for (reference, entry) in references where !kept.contains(entry) {
            guard let place = graph.resolve(reference), cancelsRunning || !graph[place].hasStarted else { continue }
            guard cancelsRunning || graph[place].stage != .sent else {
                withoutWaiting { $0.recall(place) }
                continue
            }
            let context = TransitionContext(reason: failureLimitReason(of: graph[place]))
            withoutWaiting { $0.advance(place, on: .cancellationRequested, context) }
        }
        close(job)
    }

    /// The entries whose operations stay.
    func keptEntries(of job: JobIndex, among nodes: [NodeIndex]) -> Set<Int32> {
        var kept: Set<Int32> = []
        var dependents: [Int32: [Int32]] = [:]
        var reached: [Int32] = []
        for place in nodes {
            let entry = graph[place].entry
            var isForFailures = false
            for dependency in graph.dependencies(of: graph[place]) {
                let own = ownEntry(of: dependency.target, in: job)
                if let own { dependents[own, default: []].append(entry) }
                switch dependency.condition {
                case .failure, .failureOfAll: isForFailures = true
                case .any: if let own, graph[job].failures.hasFailed(own) { isForFailures = true }
                case .success: break
                }
            }
            if isForFailures, kept.insert(entry).inserted { reached.append(entry) }
        }
        while let entry = reached.popLast() {
            for dependent in dependents[entry] ?? [] where kept.insert(dependent).inserted { reached.append(dependent) }
        }
        return kept
    }

    /// The entry of the same job that a dependency targets; nil for another job, and for the whole job.
    private func ownEntry(of target: Dependency.Target, in job: JobIndex) -> Int32? {
        let entry: Int?
        switch target {
        case .entry(let position), .element(let position, _), .elements(let position): entry = position
        case .existingElements(.operations(let number, let range)):
            entry = number == graph[job].number ? graph[job].entry(ofIndex: range.lowerBound) : nil
        case .existingElements: entry = nil
        case .existing(.operation(let id)):
            entry = id.job == graph[job].number ? graph[job].entry(ofIndex: id.index) : nil
        case .existing(.named(let number, let name)):
            entry = number == graph[job].number ? graph[job].entry(named: name) : nil
        case .existing: entry = nil
        }
        return entry.map { Int32($0) }
    }
}

extension OperationNode {
    /// Whether an attempt of the operation has started; unlike the number of the attempt, also known after a restart.
    var hasStarted: Bool { state == .executing || startedAt != nil || failures > 0 || losses > 0 }
}
