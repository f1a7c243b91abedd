import Operations

/// A worker that has joined.
struct WorkerState {
    /// What it said of itself.
    var introduction: WorkerIntroduction
    /// The session that this one took the place of, if any.
    var supersededSession: SessionID?
    /// What has become of it.
    var condition: WorkerCondition = .alive
    /// When it last gave a sign of life.
    var lastHeard: Timestamp
    /// The attempts that it runs, with the places of their operations.
    var attempts: [AttemptToken: Int32] = [:]
    /// Its position among the workers with as many free slots; -1 while it gets nothing.
    var position: Int32 = -1

    /// How many more attempts it could run; negative after an adoption of more than it has slots.
    var freeSlots: Int { introduction.slots - attempts.count }
}

/// The workers that could take another attempt, by how many free slots they have.
///
/// - Complexity: each operation is O(1) but for the search for the next lower count, which is bounded by the slots of one
///   worker.
struct FreeWorkers {
    private var byFreeSlots: [[Int32]] = []

    /// The worker with the most free slots, or nil.
    var best: Int32? { byFreeSlots.last?.last }

    /// How many free slots there are in all.
    var freeSlots: Int {
        byFreeSlots.indices.reduce(0) { $0 + $1 * byFreeSlots[$1].count }
    }

    /// Puts a worker in line; it must not be there, and have a free slot.
    ///
    /// - Returns: its position among its equals.
    mutating func insert(_ worker: Int32, freeSlots: Int) -> Int32 {
        while byFreeSlots.count <= freeSlots { byFreeSlots.append([]) }
        byFreeSlots[freeSlots].append(worker)
        return Int32(byFreeSlots[freeSlots].count - 1)
    }

    /// Takes a worker out of line.
    ///
    /// - Returns: the worker that took its position among its equals, or nil.
    mutating func remove(_ worker: Int32, freeSlots: Int, position: Int32) -> Int32? {
        let last = byFreeSlots[freeSlots].removeLast()
        let moved = last == worker ? nil : last
        if moved != nil { byFreeSlots[freeSlots][Int(position)] = last }
        while byFreeSlots.last?.isEmpty == true { byFreeSlots.removeLast() }
        return moved
    }
}
