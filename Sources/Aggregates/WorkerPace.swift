@_spi(Baton) import BatonOperations

/// How much longer the operations of a job take on each worker than operations of the same names on the other workers.
///
/// Workers run different operations, so that medians of all would compare the operations and not the workers. Operations count
/// under their name group (``GroupName``); those without a name do not count.
struct WorkerPace {
    /// The most pairs of a worker and a name group; further ones do not count.
    static let mostPairs = 100_000
    /// How many run times a worker must have to be compared.
    static let leastDurations = 5

    private struct Sums {
        var count = 0.0
        var microseconds = 0.0

        mutating func add(_ duration: Int64) {
            count += 1
            microseconds += Double(duration)
        }
    }

    /// By the place of a worker in the upper half of the key, and that of a name group in the lower half.
    private var pairs: [UInt64: Sums] = [:]
    private var nameGroups: [Sums] = []
    private var places = NamePlaces()
    /// The first operation and the name group of the last entry: consecutive operations mostly belong to one entry.
    private var lastEntry: (first: UInt32, nameGroup: Int?)?

    /// Adds a run time of an operation.
    ///
    /// - Parameters:
    ///   - duration: the run time in microseconds.
    ///   - worker: the place of the worker in a list.
    ///   - entries: the entries of a page, of which a copy of one for each operation would cost more than all else.
    ///   - position: the position of the operation's entry.
    mutating func add(_ duration: Int64, worker: Int, _ entries: [HistoryEntry], at position: Int) {
        guard let nameGroup = nameGroup(ofEntryAt: position, entries) else { return }
        let key = UInt64(worker) << 32 | UInt64(nameGroup)
        guard pairs[key] != nil || pairs.count < Self.mostPairs else { return }
        pairs[key, default: Sums()].add(duration)
        nameGroups[nameGroup].add(duration)
    }

    private mutating func nameGroup(ofEntryAt position: Int, _ entries: [HistoryEntry]) -> Int? {
        if let lastEntry, lastEntry.first == entries[position].first { return lastEntry.nameGroup }
        let entry = entries[position]
        let group: Int?
        if entry.isArray {
            // An array is met once, and its name may be that of others.
            group = nameGroups.count
            nameGroups.append(Sums())
        } else {
            group = entry.name.map(GroupName.folded).flatMap { name in
                let next = nameGroups.count
                let place = places.place(of: name) { next }
                if place == next { nameGroups.append(Sums()) }
                return place
            }
        }
        lastEntry = (entry.first, group)
        return group
    }

    /// The run times of each worker together, divided by what they would be at the other workers' mean of each name group; by the
    /// worker's place.
    ///
    /// Run times of name groups that only one worker has run do not count.
    ///
    /// - Complexity: O(pairs).
    var ratios: [Int: Double] {
        var sums: [Int: (count: Double, actual: Double, expected: Double)] = [:]
        for (key, pair) in pairs {
            let group = nameGroups[Int(key & 0xFFFF_FFFF)]
            guard group.count > pair.count else { continue }
            let mean = (group.microseconds - pair.microseconds) / (group.count - pair.count)
            var sum = sums[Int(key >> 32)] ?? (0, 0, 0)
            sum.count += pair.count
            sum.actual += pair.microseconds
            sum.expected += pair.count * mean
            sums[Int(key >> 32)] = sum
        }
        return sums.filter { $0.value.count >= Double(Self.leastDurations) && $0.value.expected > 0 }.mapValues {
            $0.actual / $0.expected
        }
    }
}
