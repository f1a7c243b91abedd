@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// What operations of a job wait for, computed from the explanation of each single operation.
struct WaitingReference: Equatable {
    /// What operations wait for together, and where.
    struct Kind: Hashable {
        var queue: String
        var wait: String
    }

    /// The operations of a kind.
    struct Part: Equatable {
        var first: OperationID
        var count: Int
        /// What all of them depend on before anything else; nil for several things, and for what is no dependency.
        var dependency: Address?
        /// When the first of them may start.
        var from: Timestamp?
    }

    private(set) var parts: [Kind: Part] = [:]

    /// Explains each operation of a job.
    init(of job: JobNumber, in scheduler: Scheduler) {
        let size = scheduler.graph.job(job).map { scheduler.graph[$0].operationCount } ?? 0
        for index in 0..<size {
            let id = job / index
            guard let state = scheduler.record(of: id)?.state, state != .executing,
                let impediments = scheduler.impediments(of: id), let queue = scheduler.queue(of: .operation(id))
            else { continue }
            add(id, queue, Self.decisive(impediments, state))
        }
    }

    /// Takes over what the scheduler has found.
    init(_ waiting: WaitingOperations, repeated: inout Bool) {
        for group in waiting.groups {
            var part = Part(first: group.operation, count: group.count)
            let wait: String
            switch group.wait {
            case .nothing: wait = Self.text(nil)
            case .worker: wait = "worker"
            case .impediment(.openJob(let job)):
                part.dependency = .job(job)
                wait = Self.text(ofDependencyIn: job, group.operation)
            case .impediment(let impediment): wait = Self.text(impediment)
            case .delays(let from, let isRetry):
                part.from = from
                wait = Self.text(.delay(until: from, isRetry: isRetry))
            case .dependencies(let first, let isOnly):
                part.dependency = isOnly ? first : nil
                wait = Self.text(ofDependencyIn: first?.job ?? group.operation.job, group.operation)
            }
            if parts.updateValue(part, forKey: Kind(queue: group.queue, wait: wait)) != nil { repeated = true }
        }
    }

    /// The impediment that the others come after.
    private static func decisive(_ impediments: [Impediment], _ state: OperationState) -> Impediment? {
        if impediments.contains(.hold) { return .hold }
        guard let first = impediments.first else { return nil }
        switch first {
        case .order: return nil
        // A pending operation without a condition waits for nothing that its queue could change.
        case .suspended where state == .pending: return nil
        default: return first
        }
    }

    private mutating func add(_ id: OperationID, _ queue: String, _ impediment: Impediment?) {
        var part = Part(first: id, count: 1)
        var wait = Self.text(impediment)
        switch impediment {
        case .dependency(let address, _, _, _)?:
            part.dependency = address
            wait = Self.text(ofDependencyIn: address.job, id)
        case .delay(let until, _)?: part.from = until
        default: break
        }
        let kind = Kind(queue: queue, wait: wait)
        guard var known = parts[kind] else { return parts[kind] = part }
        known.count += 1
        if known.dependency != part.dependency { known.dependency = nil }
        if let other = part.from { known.from = known.from.map { min($0, other) } ?? other }
        parts[kind] = known
    }

    private static func text(ofDependencyIn job: JobNumber, _ id: OperationID) -> String {
        job == id.job ? "dependency" : "dependency in \(job)"
    }

    /// The text of an impediment, without what differs between operations that wait for the same thing.
    private static func text(_ impediment: Impediment?) -> String {
        switch impediment {
        case nil: "nothing"
        case .delay(_, let isRetry)?: "delay \(isRetry)"
        case .sent(_, let isRecalled, let isAway)?: "sent \(isRecalled) \(isAway)"
        case .barrier(let barrier, _, let unfinished, _)?: "barrier \(barrier) \(unfinished)"
        case .beforeBarrier(_, let unfinished, _)?: "before barrier \(unfinished)"
        case let other?: "\(other)"
        }
    }
}

/// The comparison of what holds a job up with the explanations of its operations.
extension Scheduler {
    /// Sentences about what is wrong with the answer about a job; empty for a right one.
    func waitingFaults(of job: JobNumber) -> [String] {
        guard let waiting = waiting(in: job, limit: .max), let counts = counts(of: job) else { return [] }
        var isRepeated = false
        let found = WaitingReference(waiting, repeated: &isRepeated)
        let expected = WaitingReference(of: job, in: self)
        var faults: [String] = []
        if isRepeated { faults.append("operations that wait for the same thing are apart: \(waiting)") }
        if found != expected { faults.append("\(found) should be \(expected)") }
        if waiting.more != 0 { faults.append("\(waiting.more) more of \(counts)") }
        let sizes = waiting.groups.map(\.count)
        if sizes != sizes.sorted(by: >) { faults.append("the order is that of \(sizes)") }
        return faults
    }
}
