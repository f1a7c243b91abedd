import Operations

@testable import Scheduler

/// The rules of SEMANTICS, implemented as simply as possible: a list of operations that is gone through for each question.
///
/// It shares nothing with the scheduler but the values, and does not choose what starts: it says whether the scheduler's
/// choice was allowed.
struct Model {
    /// An operation with all that the rules need.
    struct Op {
        let id: OperationID
        let queue: String
        let priority: Priority
        let retries: Int
        let retryDelay: Duration
        /// Groups of operations, each with what has to become of it.
        let dependencies: [(targets: [OperationID], condition: DependencyCondition)]
        var notBefore: Timestamp?
        var outcome: Outcome?
        var isCancelled = false
        var hasResult = false
        var attempt: Assignment?
        var attempts = 0
        var failures = 0
        var losses = 0
    }

    struct Worker {
        var session: SessionID
        var slots: Int
        var lastHeard: Timestamp
        var isLost = false
    }

    let configuration: Configuration
    /// In the order of their addition.
    var ops: [Op] = []
    var places: [OperationID: Int] = [:]
    var limits: [String: Int] = [:]
    var workers: [String: Worker] = [:]
    var now = Timestamp(rawValue: 0)

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    // MARK: Rules

    func state(_ op: Op) -> OperationState {
        if op.outcome != nil { return .finished }
        if op.attempt != nil { return .executing }
        if let time = op.notBefore, time > now { return .pending }
        return op.dependencies.allSatisfy { holds($0.targets, $0.condition) } ? .ready : .pending
    }

    private func outcomes(_ targets: [OperationID]) -> [Outcome?] {
        targets.map { id in places[id].flatMap { ops[$0].outcome } }
    }

    private func holds(_ targets: [OperationID], _ condition: DependencyCondition) -> Bool {
        let outcomes = outcomes(targets)
        guard !outcomes.contains(nil) else { return false }
        return switch condition {
        case .any: true
        case .success: outcomes.allSatisfy { $0 == .succeeded }
        case .failure: outcomes.contains(.failed)
        }
    }

    private func isImpossible(_ targets: [OperationID], _ condition: DependencyCondition) -> Bool {
        let outcomes = outcomes(targets)
        return switch condition {
        case .any: false
        case .success: outcomes.contains { $0 != nil && $0 != .succeeded }
        case .failure: !outcomes.contains(nil) && !outcomes.contains(.failed)
        }
    }

    func hasInputs(_ op: Op) -> Bool {
        op.dependencies.contains { $0.targets.contains { id in places[id].map { ops[$0].hasResult } ?? false } }
    }

    /// Skips what has become impossible, until nothing changes any more.
    mutating func settle() {
        var isChanged = true
        while isChanged {
            isChanged = false
            for index in ops.indices where ops[index].outcome == nil && ops[index].attempt == nil {
                if ops[index].dependencies.contains(where: { isImpossible($0.targets, $0.condition) }) {
                    ops[index].outcome = .skipped
                    isChanged = true
                }
            }
        }
    }

    // MARK: Events

    mutating func cancel(_ isMeant: (Op) -> Bool) {
        for index in ops.indices where ops[index].outcome == nil && isMeant(ops[index]) {
            ops[index].isCancelled = true
            if ops[index].attempt == nil { ops[index].outcome = .cancelled }
        }
    }

    /// An attempt came to its end; says when its retry is due at the earliest and latest.
    mutating func end(_ index: Int, _ end: AttemptEnd, hasResult: Bool) -> ClosedRange<Duration>? {
        ops[index].attempt = nil
        if case .exited(0) = end {
            ops[index].outcome = .succeeded
        } else if ops[index].isCancelled {
            ops[index].outcome = .cancelled
        } else if case .interrupted = end {
            ops[index].losses += 1
            return nil
        } else if ops[index].failures < ops[index].retries {
            let wait = ops[index].retryDelay * Double(1 << ops[index].failures)
            ops[index].failures += 1
            return wait * 0.7499...wait * 1.2501
        } else {
            ops[index].outcome = .failed
        }
        ops[index].hasResult = hasResult
        return nil
    }

    /// A worker lost an attempt, or gave it back in good order.
    mutating func lose(_ index: Int, isGivenBack: Bool = false) {
        ops[index].attempt = nil
        ops[index].losses += 1
        if ops[index].isCancelled {
            ops[index].outcome = .cancelled
        } else if !isGivenBack && ops[index].losses > Int(configuration.maximumLosses) {
            ops[index].outcome = .failed
        }
    }

    /// The operations that a session runs.
    func held(by session: SessionID) -> [Int] {
        ops.indices.filter { ops[$0].attempt?.session == session }
    }

    mutating func pass(to time: Timestamp) {
        now = time
        for (name, worker) in workers where !worker.isLost && now >= worker.lastHeard + configuration.lostAfter {
            workers[name]?.isLost = true
            for index in held(by: worker.session) { lose(index) }
        }
    }

    func isAlive(_ worker: Worker) -> Bool {
        !worker.isLost && now < worker.lastHeard + configuration.suspectAfter
    }

    // MARK: What the scheduler chose

    func executing(in queue: String) -> Int {
        ops.count { $0.queue == queue && $0.attempt != nil }
    }

    func isBelowLimit(_ queue: String) -> Bool {
        limits[queue].map { executing(in: queue) < $0 } ?? true
    }

    /// Takes note of a dispatch.
    ///
    /// - Returns: what was wrong about it.
    mutating func start(_ assignment: Assignment) -> [String] {
        guard let place = places[assignment.operation] else { return ["\(assignment.operation) is not there"] }
        let op = ops[place]
        var wrong: [String] = []
        if state(op) != .ready { wrong.append("\(op.id) was started and is \(state(op))") }
        if !isBelowLimit(op.queue) { wrong.append("\(op.id) was started above the limit of \(op.queue)") }
        let before = ops.filter { $0.outcome == nil && $0.queue == op.queue && state($0) == .ready }
        let first = before.indices.max { left, right in
            (before[left].priority, -left) < (before[right].priority, -right)
        }
        if let first, before[first].id != op.id { wrong.append("\(op.id) was started before \(before[first].id)") }
        if let worker = workers.values.first(where: { $0.session == assignment.session }) {
            if !isAlive(worker) { wrong.append("\(op.id) was started on a worker that is not alive") }
            if held(by: worker.session).count >= worker.slots { wrong.append("\(op.id) was started without a slot") }
        } else {
            wrong.append("\(op.id) was started in an unknown session")
        }
        if Int(assignment.attempt) != op.attempts + 1 {
            wrong.append("\(op.id) was started as attempt \(assignment.attempt) after \(op.attempts)")
        }
        if assignment.hasInputs != hasInputs(op) { wrong.append("\(op.id) has inputs: \(hasInputs(op))") }
        if assignment.priority != op.priority || assignment.queue != op.queue { wrong.append("\(op.id) is mixed up") }
        ops[place].attempt = assignment
        ops[place].attempts += 1
        return wrong
    }

    /// What should have been started and was not.
    func omissions() -> [String] {
        let free = workers.values.contains { isAlive($0) && held(by: $0.session).count < $0.slots }
        guard free else { return [] }
        return ops.filter { $0.outcome == nil && state($0) == .ready && isBelowLimit($0.queue) }
            .map { "\($0.id) was not started" }
    }
}
