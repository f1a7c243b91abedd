@_spi(Baton) import BatonOperations

/// Which entries of a submission wait for which, by dependencies and by barriers.
struct GraphWaits {
    /// How many waits each entry has.
    private(set) var counts: [Int32]
    /// The waiting entries of all entries, one entry after the other.
    private var waiting: [Int32]
    /// Where the waiting entries of each entry begin, with the end of the last at the end.
    private var starts: [Int]

    /// Collects the waits.
    ///
    /// - Complexity: O(entries + dependencies).
    init(_ entries: [Entry]) {
        counts = [Int32](repeating: 0, count: entries.count)
        starts = [Int](repeating: 0, count: entries.count + 1)
        var counts = counts
        var lengths = starts
        Self.forEachWait(of: entries) { entry, awaited in
            counts[entry] += 1
            lengths[awaited + 1] += 1
        }
        for position in lengths.indices.dropFirst() { lengths[position] += lengths[position - 1] }
        var waiting = [Int32](repeating: 0, count: lengths.last ?? 0)
        var places = lengths
        Self.forEachWait(of: entries) { entry, awaited in
            waiting[places[awaited]] = Int32(entry)
            places[awaited] += 1
        }
        self.counts = counts
        self.waiting = waiting
        starts = lengths
    }

    /// The entries that wait for an entry.
    func entriesThatWait(for entry: Int32) -> ArraySlice<Int32> {
        waiting[starts[Int(entry)]..<starts[Int(entry) + 1]]
    }

    /// Calls a closure with each entry and an entry that it waits for.
    private static func forEachWait(of entries: [Entry], _ body: (Int, Int) -> Void) {
        var lastBarriers: [Int: Int] = [:]
        var sinceBarrier: [Int: [Int]] = [:]
        let hasBarriers = entries.contains(where: \.isBarrier)
        for position in entries.indices {
            for dependency in entries[position].dependencies {
                if case .entry(let target) = dependency.target { body(position, target) }
            }
            guard hasBarriers else { continue }
            let queue = entries[position].queue
            if let barrier = lastBarriers[queue] { body(position, barrier) }
            if entries[position].isBarrier {
                for earlier in sinceBarrier.removeValue(forKey: queue) ?? [] { body(position, earlier) }
                lastBarriers[queue] = position
            } else {
                sinceBarrier[queue, default: []].append(position)
            }
        }
    }
}
