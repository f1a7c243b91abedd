@_spi(Baton) import BatonOperations

/// A client's selection of events, in a form that finds a member at once.
struct EventFilter: Hashable, Sendable {
    /// The selection as the client states it.
    let selection: EventSelection
    /// The indices of the selected operations by job, in order.
    private let operations: [JobNumber: [UInt32]]
    private let jobs: Set<JobNumber>
    private let queues: Set<String>

    /// Sorts the members of a selection.
    ///
    /// - Complexity: O(n log n) for n members.
    init(_ selection: EventSelection) {
        self.selection = selection
        operations = Dictionary(grouping: selection.operations, by: \.job).mapValues { Set($0.map(\.index)).sorted() }
        jobs = Set(selection.jobs)
        queues = Set(selection.queues)
    }

    /// Whether single operations are selected.
    var hasOperations: Bool { !operations.isEmpty }

    /// Whether the queue of an operation decides whether a change of the operation is selected.
    func needsQueue(of event: ClusterEvent) -> Bool {
        guard !queues.isEmpty, case .operations(let first, _, _) = event.subject else { return false }
        return !jobs.contains(first.job)
    }

    /// Returns the selected parts of an event, with their own numbers.
    ///
    /// An event about neighbouring operations has a part for each run of selected ones.
    ///
    /// - Parameter queue: the queue of the operations that the event is about.
    func parts(of event: ClusterEvent, in queue: String?) -> [ClusterEvent] {
        switch event.subject {
        case .operations(let first, let count, _):
            if jobs.contains(first.job) { return [event] }
            if let queue, queues.contains(queue) { return [event] }
            return runs(from: first, count: count).map { event.part($0) }
        case .jobSubmitted(let job, _), .operationsAdded(let job, _, _), .jobClosed(let job), .jobFinished(let job, _):
            return jobs.contains(job) ? [event] : []
        case .queue(let name, _), .queueDeleted(let name):
            return queues.contains(name) ? [event] : []
        case .worker, .workerRequest, .schedule, .limit, .clockStepped, .recordIncomplete:
            return []
        }
    }

    /// Returns the runs of selected operations among neighbours.
    private func runs(from first: OperationID, count: UInt32) -> [ClosedRange<UInt32>] {
        guard let indices = operations[first.job] else { return [] }
        var low = 0
        var high = indices.count
        while low < high {
            let middle = (low + high) / 2
            if indices[middle] < first.index { low = middle + 1 } else { high = middle }
        }
        var runs: [ClosedRange<UInt32>] = []
        for index in indices[low...] {
            guard index - first.index < count else { break }
            if let last = runs.last, last.upperBound + 1 == index {
                runs[runs.count - 1] = last.lowerBound...index
            } else {
                runs.append(index...index)
            }
        }
        return runs
    }
}

extension ClusterEvent {
    /// The number of the last event, if the event takes several numbers.
    var lastNumber: UInt64 { sequence + count - 1 }

    /// The part of an event about some of its operations, with the numbers of the part.
    func part(_ range: ClosedRange<UInt32>) -> ClusterEvent {
        guard case .operations(let first, let count, let change) = subject,
            range.lowerBound > first.index || UInt32(range.count) < count
        else { return self }
        var part = self
        part.sequence = sequence + UInt64(range.lowerBound - first.index)
        part.subject = .operations(
            OperationID(job: first.job, index: range.lowerBound),
            count: UInt32(range.count),
            change
        )
        return part
    }

    /// The part of an event with numbers above a number; nil for none.
    func after(_ number: UInt64) -> ClusterEvent? {
        guard lastNumber > number else { return nil }
        guard number >= sequence, case .operations(let first, let count, _) = subject else { return self }
        let known = UInt32(clamping: number - sequence + 1)
        return part(first.index + known...first.index + (count - 1))
    }
}
