import Operations

@testable import Scheduler

/// The rules of SEMANTICS, implemented as simply as possible: a list of operations that is gone through for each question.
///
/// It shares nothing with the scheduler but the values, and does not choose what is sent: it says whether the scheduler's
/// choice was allowed.
struct Model {
    /// Operations that one of them waits for, with what has to become of them.
    struct Group {
        let dependency: Dependency
        let targets: [Int]
    }

    /// An operation with all that the rules need.
    struct Op {
        let id: OperationID
        let queue: String
        let isBarrier: Bool
        let retries: Int
        let retryDelay: Duration
        let hasHook: Bool
        var priority: Priority
        /// Its number in the order in which operations came to their levels.
        var order: Int
        var groups: [Group] = []
        var notBefore: Timestamp?
        var isHeld = false
        var isCancelled = false
        var outcome: Outcome?
        var hasResult = false
        /// Whether any group of it, removed ones included, had a result.
        var hadInputs = false
        /// The attempt that was sent or runs, and the worker that has it; nil for one that has not come back yet.
        var token: AttemptToken?
        var worker: String?
        var isStarted = false
        var isAhead = false
        var isRecalled = false
        var attempts = 0
        var failures = 0
        var losses = 0
        var progress: UInt32 = 0
    }

    struct Worker {
        var session: SessionID
        var slots: Int
        var processID: Int32
        var lastHeard: Timestamp
        var isLost = false
        var isLeaving = false
    }

    struct Queue {
        var limit: Int?
        var isSuspended = false
        var total: Int?
        var completed = 0
    }

    let configuration: Configuration
    /// In the order of their addition.
    var ops: [Op] = []
    var places: [OperationID: Int] = [:]
    var jobs: [JobNumber: Range<Int>] = [:]
    var queues: [String: Queue] = [:]
    var workers: [String: Worker] = [:]
    /// What each request that was put off keeps from being sent.
    var reserved: [RequestID: Set<Int>] = [:]
    var nextOrder = 0
    var now = Timestamp(rawValue: 0)
    /// Whether the workers of before a restart are waited for.
    var isReconciling = false

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    // MARK: States

    func state(_ op: Op) -> OperationState {
        if op.outcome != nil { return .finished }
        if op.isStarted { return .executing }
        if op.token != nil { return .ready }
        if op.isHeld { return .pending }
        if let time = op.notBefore, time > now { return .pending }
        return op.groups.allSatisfy { isMet($0, op) } ? .ready : .pending
    }

    private func isMet(_ group: Group, _ op: Op) -> Bool {
        guard group.targets.allSatisfy({ ops[$0].outcome != nil }) else { return false }
        if op.isCancelled { return true }
        return switch group.dependency.condition {
        case .any: true
        case .success: group.targets.allSatisfy { ops[$0].outcome == .succeeded }
        case .failure: group.targets.contains { ops[$0].outcome == .failed }
        }
    }

    private func isImpossible(_ group: Group) -> Bool {
        switch group.dependency.condition {
        case .any: false
        case .success: group.targets.contains { ops[$0].outcome.map { $0 != .succeeded } ?? false }
        case .failure: group.targets.allSatisfy { ops[$0].outcome.map { $0 != .failed } ?? false }
        }
    }

    func hasInputs(_ op: Op) -> Bool {
        op.groups.contains { $0.targets.contains { ops[$0].hasResult } }
    }

    /// Skips what has become impossible, until nothing changes any more.
    mutating func settle() {
        var isChanged = true
        while isChanged {
            isChanged = false
            for index in ops.indices where ops[index].outcome == nil && ops[index].token == nil {
                guard !ops[index].isCancelled, ops[index].groups.contains(where: { isImpossible($0) }) else { continue }
                ops[index].outcome = .skipped
                isChanged = true
            }
        }
    }

    // MARK: Order

    /// For each queue, the operations that may be sent, best first; and those that cannot because of a request.
    func line(of queue: String) -> [Int] {
        var result: [Int] = []
        var isBehindBarrier = false
        var isBehindAny = false
        let kept = reserved.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
        for (index, op) in ops.enumerated() where op.queue == queue && op.outcome == nil {
            if op.token == nil, !isBehindBarrier, !(op.isBarrier && isBehindAny), !kept.contains(index),
                state(op) == .ready
            {
                result.append(index)
            }
            isBehindAny = true
            if op.isBarrier { isBehindBarrier = true }
            if isBehindBarrier { break }
        }
        return result.sorted { (ops[$0].priority, -ops[$0].order) > (ops[$1].priority, -ops[$1].order) }
    }

    func claimed(in queue: String) -> Int {
        ops.count { $0.queue == queue && $0.token != nil && $0.outcome == nil }
    }

    func mayStart(_ queue: String) -> Bool {
        guard let state = queues[queue], !state.isSuspended else { return false }
        return state.limit.map { claimed(in: queue) < $0 } ?? true
    }

    // MARK: Workers

    func isOpen(_ worker: Worker) -> Bool {
        !worker.isLost && !worker.isLeaving && now < worker.lastHeard + configuration.suspectAfter
    }

    /// The operations whose attempts a worker has.
    func held(by name: String) -> [Int] {
        ops.indices.filter { ops[$0].worker == name && ops[$0].token != nil }
    }

    func freeSlots(_ name: String) -> Int {
        guard let worker = workers[name], isOpen(worker) else { return 0 }
        return max(0, worker.slots - held(by: name).count)
    }

    // MARK: What the scheduler chose

    /// Takes note of a dispatch.
    ///
    /// - Returns: what was wrong about it.
    mutating func send(_ assignment: Assignment) -> [String] {
        guard let place = places[assignment.operation] else { return ["\(assignment.operation) is not there"] }
        let op = ops[place]
        var wrong: [String] = []
        if isReconciling { wrong.append("\(op.id) was sent while workers are waited for") }
        if state(op) != .ready || op.token != nil || op.isCancelled {
            wrong.append("\(op.id) was sent at \(state(op))")
        }
        if !mayStart(op.queue) { wrong.append("\(op.id) was sent, and \(op.queue) may start nothing") }
        let first = line(of: op.queue).first
        if first != place { wrong.append("\(op.id) was sent before \(first.map { ops[$0].id.description } ?? "any")") }
        let name = workers.first { $0.value.session == assignment.session }?.key
        var isAhead = false
        if let name, let worker = workers[name] {
            if !isOpen(worker) { wrong.append("\(op.id) was sent to \(name), which is not open") }
            let count = held(by: name).count
            isAhead = count >= worker.slots
            if isAhead, workers.keys.contains(where: { freeSlots($0) > 0 }) {
                wrong.append("\(op.id) was sent ahead while there is a free slot")
            }
            let limit = if case .atMost(let limit) = configuration.sendAhead { limit } else { 1024 }
            if count >= worker.slots + limit { wrong.append("\(op.id) was sent too far ahead") }
        } else {
            wrong.append("\(op.id) was sent in an unknown session")
        }
        if Int(assignment.attempt) != op.attempts + 1 {
            wrong.append("\(op.id) was sent as attempt \(assignment.attempt) after \(op.attempts)")
        }
        if hasInputs(op) && !assignment.hasInputs || assignment.hasInputs && !op.hadInputs && !hasInputs(op) {
            wrong.append("\(op.id) was sent with inputs: \(assignment.hasInputs)")
        }
        if assignment.queue != op.queue { wrong.append("\(op.id) is mixed up") }
        ops[place].token = assignment.token
        ops[place].worker = name
        ops[place].isAhead = isAhead
        return wrong
    }

    /// What should have been sent or taken back and was not.
    func omissions() -> [String] {
        guard !isReconciling else { return [] }
        var wrong: [String] = []
        let isFree = workers.keys.contains { freeSlots($0) > 0 }
        var hasRoom = isFree
        if case .atMost(let limit) = configuration.sendAhead {
            hasRoom = workers.contains { isOpen($0.value) && held(by: $0.key).count < $0.value.slots + limit }
        }
        for queue in queues.keys.sorted() {
            let line = line(of: queue)
            if hasRoom, mayStart(queue), let first = line.first { wrong.append("\(ops[first].id) was not sent") }
            // PR9: what waits at a worker does not start before what is higher.
            guard let highest = line.map({ ops[$0].priority }).max() else { continue }
            for op in ops where op.queue == queue && op.isAhead && !op.isStarted && op.priority < highest {
                if !op.isRecalled { wrong.append("\(op.id) was not taken back for a higher one") }
            }
        }
        if isFree, !ops.contains(where: { $0.isRecalled && $0.token != nil }),
            let loaded = workers.keys.sorted().first(where: { isWaitedAt($0) })
        {
            wrong.append("nothing was taken back from \(loaded) for an idle worker")
        }
        return wrong
    }

    /// Whether a worker has something that it has no slot for.
    private func isWaitedAt(_ name: String) -> Bool {
        guard let worker = workers[name], isOpen(worker) else { return false }
        let held = held(by: name)
        return held.count > worker.slots && held.contains { !ops[$0].isStarted }
    }
}
