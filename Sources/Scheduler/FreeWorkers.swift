/// The workers that could take another attempt, by how many free slots they have.
///
/// - Complexity: each operation is O(1) but for the search for the next lower count, which is bounded by the slots of one
///   worker. A worker whose count changes is inserted before it is removed, so that there is little to search.
struct FreeWorkers {
    private var byFreeSlots: [[Int32]] = [[]]
    /// The largest count that any worker has; 0 where none has a free slot.
    private var highest = 0

    /// The worker with the most free slots, or nil.
    var best: Int32? { byFreeSlots[highest].last }

    /// How many workers have a free slot.
    var count: Int { byFreeSlots.reduce(0) { $0 + $1.count } }

    /// The worker at a position among those with as many free slots; nil where there is none.
    func worker(at position: Int32, freeSlots: Int) -> Int32? {
        guard byFreeSlots.indices.contains(freeSlots), byFreeSlots[freeSlots].indices.contains(Int(position)) else {
            return nil
        }
        return byFreeSlots[freeSlots][Int(position)]
    }

    /// Puts a worker in line; it must have a free slot and not be in line with as many.
    ///
    /// - Returns: its position among its equals.
    mutating func insert(_ worker: Int32, freeSlots: Int) -> Int32 {
        while byFreeSlots.count <= freeSlots { byFreeSlots.append([]) }
        byFreeSlots[freeSlots].append(worker)
        highest = max(highest, freeSlots)
        return Int32(byFreeSlots[freeSlots].count - 1)
    }

    /// Takes a worker out of line.
    ///
    /// - Returns: the worker that took its position among its equals, or nil.
    mutating func remove(at position: Int32, freeSlots: Int) -> Int32? {
        let last = byFreeSlots[freeSlots].removeLast()
        while highest > 0 && byFreeSlots[highest].isEmpty { highest -= 1 }
        guard Int(position) < byFreeSlots[freeSlots].count else { return nil }
        byFreeSlots[freeSlots][Int(position)] = last
        return last
    }
}
