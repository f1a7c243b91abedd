@_spi(Baton) import BatonOperations

/// The stream of events since the start of the cluster, with a check for forbidden events (OB10).
struct EventLog {
    /// The state of an operation as told by the stream.
    private struct Told {
        var state = OperationState.pending
        /// The time of the change to the state; nil for the state at submission.
        var since: Timestamp?
        var isCancelled = false
        /// Nil without an event about holding since the submission.
        var isHeld: Bool?
        /// Nil without an event about a pause since the change to the state.
        var isPaused: Bool?
    }

    /// All events, in order.
    private(set) var events: [ClusterEvent] = []
    /// The faults in the events.
    private(set) var faults: [String] = []
    private var told: [OperationID: Told] = [:]
    /// The jobs that were closed.
    private var closed: Set<JobNumber> = []
    /// The number of the next event.
    private(set) var next: UInt64 = 1

    mutating func take(_ event: ClusterEvent) {
        if event.sequence != next { faults.append("event \(event.sequence) follows \(next - 1)") }
        next = event.sequence + event.count
        events.append(event)
        switch event.subject {
        case .jobSubmitted(let job, let operations):
            for index in 0..<operations {
                if told.updateValue(Told(), forKey: OperationID(job: job, index: index)) != nil {
                    faults.append("job \(job) was submitted twice")
                }
            }
        case .operationsAdded(let job, let first, let count):
            for index in first..<first + count {
                if told.updateValue(Told(), forKey: OperationID(job: job, index: index)) != nil {
                    faults.append("\(job)/\(index) was added twice")
                }
            }
        case .jobClosed(let job):
            if !closed.insert(job).inserted { faults.append("job \(job) was closed twice") }
        case .operations(let first, let count, let change):
            for index in first.index..<first.index + count {
                take(change, of: OperationID(job: first.job, index: index), at: event.time)
            }
        case .jobFinished(let job, _):
            for (id, state) in told where id.job == job && state.state != .finished {
                faults.append("job \(job) is finished, and \(id) is \(state.state)")
            }
        case .queue, .queueDeleted, .worker, .workerRequest, .schedule, .limit, .clockStepped,
            .recordIncomplete:
            break
        }
    }

    private mutating func take(_ change: ClusterEvent.OperationChange, of id: OperationID, at time: Timestamp) {
        guard var one = told[id] else { return faults.append("\(id) was never submitted") }
        if one.state == .finished { faults.append("\(id) is finished, and then \(change)") }
        switch change {
        case .state(let state, let outcome, _, _):
            if state == one.state { faults.append("\(id) is \(state) twice") }
            if state == .executing && one.state != .ready { faults.append("\(id) is executing after \(one.state)") }
            if (outcome != nil) != (state == .finished) { faults.append("\(id) is \(state) as \(outcome as Any)") }
            if outcome == .cancelled && !one.isCancelled { faults.append("\(id) ends as cancelled, unannounced") }
            if let since = one.since, time < since { faults.append("\(id) is \(state) before it is \(one.state)") }
            one.state = state
            one.since = time
            one.isPaused = nil
        case .cancelled:
            if one.isCancelled { faults.append("\(id) is cancelled twice") }
            one.isCancelled = true
        case .held(let isHeld):
            if one.isHeld == isHeld { faults.append("\(id) is held: \(isHeld) twice") }
            one.isHeld = isHeld
        case .progress:
            if one.state != .executing { faults.append("\(id) makes progress and is \(one.state)") }
        case .paused(let isPaused):
            if one.state != .executing { faults.append("\(id) is paused: \(isPaused) and is \(one.state)") }
            if one.isPaused == isPaused { faults.append("\(id) is paused: \(isPaused) twice") }
            one.isPaused = isPaused
        case .signalled:
            if one.state != .executing { faults.append("\(id) gets a signal and is \(one.state)") }
        case .priority, .dependencies, .commands:
            break
        }
        told[id] = one
    }

    /// The state of an operation as told by the stream.
    func state(_ id: OperationID) -> OperationState? { told[id]?.state }

    /// The events of an operation, in words.
    func history(_ id: OperationID) -> [String] {
        events.compactMap { event in
            guard case .operations(let first, let count, let change) = event.subject, first.job == id.job,
                (first.index..<first.index + count).contains(id.index)
            else { return nil }
            return switch change {
            case .state(let state, let outcome, _, _): outcome.map { "\($0)" } ?? "\(state)"
            case .cancelled: "cancelled"
            case .held(let isHeld): isHeld ? "held" : "released"
            case .paused(let isPaused): isPaused ? "paused" : "continued"
            case .signalled(let signal): signal.rawValue
            case .priority(let priority): "\(priority)"
            case .dependencies: "dependencies"
            case .commands: "commands"
            case .progress(let progress): "\(progress.millionths)"
            }
        }
    }
}
