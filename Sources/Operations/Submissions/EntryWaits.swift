/// The waits among the entries of a submission: an entry waits for the targets of its dependencies, and a barrier of a queue and
/// the entries around it wait for each other in the order of the queue (BA1, BA2).
@_spi(Baton) public struct EntryWaits {
    /// The awaited entries of all entries, one entry after the other.
    private var awaited: [Int] = []
    /// Where the awaited entries of each entry begin, with the end of the last at the end.
    private var starts = [0]

    /// Collects the waits.
    ///
    /// - Parameter finished: the entry that is finished from the start, and waits for no barrier; nil for none.
    /// - Complexity: O(entries + dependencies).
    public init(_ entries: [Entry], finished: Int? = nil) {
        starts.reserveCapacity(entries.count + 1)
        let hasBarriers = entries.contains(where: \.isBarrier)
        var lastBarriers: [Int: Int] = [:]
        var sinceBarrier: [Int: [Int]] = [:]
        for position in entries.indices {
            for dependency in entries[position].dependencies {
                // All elements of an array have the same dependencies: a way through one of them leads through the array.
                if let target = dependency.target.entry { awaited.append(target) }
            }
            if hasBarriers, position != finished {
                let queue = entries[position].queue
                if let barrier = lastBarriers[queue] { awaited.append(barrier) }
                if entries[position].isBarrier {
                    awaited += sinceBarrier.removeValue(forKey: queue) ?? []
                    lastBarriers[queue] = position
                } else {
                    sinceBarrier[queue, default: []].append(position)
                }
            }
            starts.append(awaited.count)
        }
    }

    /// The entries that an entry waits for.
    public subscript(entry: Int) -> ArraySlice<Int> { awaited[starts[entry]..<starts[entry + 1]] }
}
