@_spi(Baton) import BatonOperations

/// The future events, in the order of time.
///
/// Events of the same moment are ordered by the number of their actor, then by the order of their addition. The order
/// never depends on a hash table, so a run can be repeated.
struct Agenda {
    private struct Entry {
        let time: Timestamp
        let actor: Int
        let number: UInt64
        let body: () -> Void

        func isBefore(_ other: Entry) -> Bool {
            (time, actor, number) < (other.time, other.actor, other.number)
        }
    }

    /// A binary heap, the earliest first.
    private var entries: [Entry] = []
    private var next: UInt64 = 0

    /// The time of the next event.
    var nextTime: Timestamp? { entries.first?.time }

    /// Adds an event.
    mutating func add(at time: Timestamp, actor: Int, _ body: @escaping () -> Void) {
        entries.append(Entry(time: time, actor: actor, number: next, body: body))
        next += 1
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the next event.
    mutating func popFirst() -> (time: Timestamp, body: () -> Void)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            var parent = 0
            while true {
                var smallest = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < entries.count && entries[child].isBefore(entries[smallest]) {
                    smallest = child
                }
                guard smallest != parent else { break }
                entries.swapAt(parent, smallest)
                parent = smallest
            }
        }
        return (first.time, first.body)
    }
}
