@_spi(Baton) public import BatonOperations

/// The order in which the operations of a submission can run: steps, each with the operations that can run at once.
///
/// An entry is in the first step after all entries that it waits for: its dependencies, and by barriers of its queue (BA1, BA2).
/// Slots, limits of queues, holds, delays and other jobs make no steps, since they do not belong to the graph.
@_spi(Baton) public struct GraphPlan: Sendable {
    /// The step of each entry, from 0.
    public private(set) var steps: [Int32]
    /// The entries by their steps; in their own order within a step.
    public private(set) var order: [Int32]
    /// The number of operations in each step, where an array counts with its elements.
    public private(set) var widths: [Int] = []
    /// The entry in the step before for which each entry waits, the first of several; -1 for an entry that waits for none.
    private var latest: [Int32]

    /// Plans a submission, whose dependencies have to be free of cycles.
    ///
    /// - Complexity: O(entries + dependencies) in time and memory.
    public init(_ submission: Submission) {
        let entries = submission.entries
        let waits = EntryWaits(entries, finished: submission.sent?.entry)
        steps = [Int32](repeating: 0, count: entries.count)
        latest = [Int32](repeating: -1, count: entries.count)
        for entry in CycleSearch(nodeCount: entries.count, successors: { waits[$0] }).order {
            for awaited in waits[entry] {
                let step = steps[awaited] + 1
                guard step > steps[entry] || step == steps[entry] && awaited < latest[entry] else { continue }
                steps[entry] = step
                latest[entry] = Int32(awaited)
            }
        }
        var ends: [Int] = []
        for position in entries.indices {
            let step = Int(steps[position])
            while widths.count <= step {
                widths.append(0)
                ends.append(0)
            }
            widths[step] += entries[position].count
            ends[step] += 1
        }
        // A counting sort keeps the order of the entries within a step.
        var places = ends
        var start = 0
        for step in ends.indices {
            places[step] = start
            start += ends[step]
        }
        order = [Int32](repeating: 0, count: entries.count)
        for position in entries.indices {
            let step = Int(steps[position])
            order[places[step]] = Int32(position)
            places[step] += 1
        }
    }

    /// The step with the most operations, the first of several; nil for a plan without steps.
    public var widestStep: Int? {
        widths.indices.max { widths[$0] < widths[$1] || widths[$0] == widths[$1] && $0 > $1 }
    }

    /// The entries of a longest path, each of which waits for the one before: one entry for each step.
    ///
    /// - Complexity: O(steps).
    public var longestPath: [Int] {
        guard let last = order.last, let first = order.first(where: { steps[Int($0)] == steps[Int(last)] }) else {
            return []
        }
        var path: [Int] = []
        var entry = first
        while entry >= 0 {
            path.append(Int(entry))
            entry = latest[Int(entry)]
        }
        return path.reversed()
    }
}
