@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonZeroMQ

/// The waits of clients for operations.
///
/// Owns the open waits, and the jobs in which operations have finished since the last look at the waits. Guarantees that a
/// client has at most ``mostOfClient`` waits open, and that a wait is returned once: after the end of its operations, or after
/// its deadline.
struct WaitRegistry {
    /// A client's wait.
    struct Wait {
        /// The client to answer.
        var client: ReplyAddress
        /// The targets of the wait.
        var targets: [Target]
        /// When to answer at the latest.
        var deadline: Timestamp
        /// The running operation that waits, if any.
        var waiter: OperationID?
        /// The beginning of a wait for a queue, from which on ended operations count; nil without a queue.
        var began: RecordMoment?
        /// Whether the answer has the progress that executing operations report.
        var wantsPartial = false
        /// Whether the answer has the output of a single operation that is finished.
        var wantsOutputs = false
    }

    /// The most open waits of a client.
    static let mostOfClient = 1024

    private var waits: [UInt64: Wait] = [:]
    /// The number of open waits of each client.
    private var counts: [RoutingID: Int] = [:]
    private var byJob: [JobNumber: Set<UInt64>] = [:]
    private var ofQueues: Set<UInt64> = []
    /// The number of open waits of each running operation that waits.
    private var countsOfWaiters: [OperationID: Int] = [:]
    /// Whether other operations wait than at the last call of ``takeWaiters()``.
    private var areWaitersNew = false
    private var next: UInt64 = 1
    /// The jobs whose operations have finished since the last call of ``takeDue(now:isOpen:)``.
    private var touched: Set<JobNumber> = []

    /// A time at or before the deadline of the next wait.
    private(set) var nextDeadline: Timestamp?

    /// The targets of the running operations that wait (WA3).
    var waiters: [OperationID: [OperationSelection]] {
        var result: [OperationID: [OperationSelection]] = [:]
        for wait in waits.values {
            if let waiter = wait.waiter { result[waiter, default: []] += wait.targets.map(\.selection) }
        }
        return result
    }

    /// The jobs in the targets of the waits.
    var jobs: Set<JobNumber> { Set(byJob.keys) }

    /// Adds a wait.
    ///
    /// - Returns: false if the client has ``mostOfClient`` waits open already; the wait is then to be refused.
    mutating func add(_ wait: Wait) -> Bool {
        guard counts[wait.client.peer, default: 0] < Self.mostOfClient else { return false }
        counts[wait.client.peer, default: 0] += 1
        waits[next] = wait
        if let waiter = wait.waiter { count(1, of: waiter) }
        for target in wait.targets {
            switch target {
            case .job(let job), .operations(let job, _): byJob[job, default: []].insert(next)
            case .queue: ofQueues.insert(next)
            }
        }
        nextDeadline = min(nextDeadline ?? wait.deadline, wait.deadline)
        next += 1
        return true
    }

    /// The running operations that wait, if others do than at the last call; nil if nothing has changed.
    mutating func takeWaiters() -> [OperationID]? {
        guard areWaitersNew else { return nil }
        areWaitersNew = false
        return Array(countsOfWaiters.keys)
    }

    private mutating func count(_ change: Int, of waiter: OperationID) {
        let (before, after) = (countsOfWaiters[waiter] ?? 0, (countsOfWaiters[waiter] ?? 0) + change)
        invariant(after >= 0, "A running operation has fewer waits than are open.")
        countsOfWaiters[waiter] = after > 0 ? after : nil
        if before == 0 || after == 0 { areWaitersNew = true }
    }

    /// Notes that an operation of a job has finished.
    mutating func noteFinished(in job: JobNumber) {
        // A later wait begins with a look at the operations, so only open waits need the note.
        if nextDeadline != nil { touched.insert(job) }
    }

    /// Removes and returns the waits to answer now.
    ///
    /// - Parameters:
    ///   - now: the present moment.
    ///   - isOpen: whether any operation of a target is unfinished.
    mutating func takeDue(now: Timestamp, isOpen: (Target) -> Bool) -> [Wait] {
        guard nextDeadline != nil else {
            invariant(waits.isEmpty, "A wait is open, and none has a deadline.")
            return []
        }
        defer { touched.removeAll(keepingCapacity: true) }
        var candidates: Set<UInt64> = touched.isEmpty ? [] : ofQueues
        for job in touched { candidates.formUnion(byJob[job] ?? []) }
        let isPastDeadline = nextDeadline.map { $0 <= now } ?? false
        if isPastDeadline {
            for (id, wait) in waits where wait.deadline <= now { candidates.insert(id) }
        }
        var due: [Wait] = []
        for id in candidates.sorted() {
            guard let wait = waits[id] else { failInvariant("The index of waits has a wait that is not open.") }
            guard wait.deadline <= now || !wait.targets.contains(where: isOpen) else { continue }
            due.append(wait)
            remove(id, wait)
        }
        if isPastDeadline { nextDeadline = waits.values.lazy.map(\.deadline).min() }
        return due
    }

    private mutating func remove(_ id: UInt64, _ wait: Wait) {
        let removed = waits.removeValue(forKey: id)
        invariant(removed != nil, "A wait is answered that is not open.")
        let left = counts[wait.client.peer, default: 0] - 1
        invariant(left >= 0, "A client has fewer waits than are open.")
        counts[wait.client.peer] = left > 0 ? left : nil
        if let waiter = wait.waiter { count(-1, of: waiter) }
        ofQueues.remove(id)
        for case .job(let job) in wait.targets { forget(id, job) }
        for case .operations(let job, _) in wait.targets { forget(id, job) }
        guard waits.isEmpty else { return }
        invariant(counts.isEmpty, "A client has waits, and none is open.")
        invariant(byJob.isEmpty && ofQueues.isEmpty, "The index of waits has one, and none is open.")
    }

    private mutating func forget(_ id: UInt64, _ job: JobNumber) {
        byJob[job]?.remove(id)
        if byJob[job]?.isEmpty == true { byJob[job] = nil }
    }
}
