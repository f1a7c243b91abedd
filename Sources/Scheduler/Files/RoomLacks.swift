@_spi(Baton) import BatonOperations

/// The operations whose files have found no room at their workers, and that run again.
///
/// The record does not have them: a restarted coordinator counts anew.
struct RoomLacks: Sendable {
    /// The lack of room for the files of an operation.
    struct Entry: Sendable {
        /// The operation.
        let node: SlabReference<OperationNode>
        /// How many of its attempts have found no room.
        var times: UInt32
        /// The worker of the last one.
        var worker: SlabReference<WorkerState>
        /// The workers that had no room, and have not been allowed since to delete as much as was missing.
        var avoided: [SlabReference<WorkerState>]
        /// What found no room there, as a sentence.
        var sentence: String
        /// The bytes that the worker has to delete first.
        var missing: Int64
        /// The time of the next attempt.
        var until: Timestamp
    }

    /// The entries by the places of the operations, which others may have taken since.
    private var entries: [NodeIndex: Entry] = [:]
    /// The number of entries at which those are looked for that nobody needs any more.
    private var mostEntries = leastEntries

    private static let leastEntries = 64

    /// Whether nothing lacks room.
    @inline(__always) var isEmpty: Bool { entries.isEmpty }

    /// The lack of an operation; nil for one whose files have not lacked room.
    subscript(node: SlabReference<OperationNode>) -> Entry? {
        entries[node.index].flatMap { $0.node == node ? $0 : nil }
    }

    /// Notes the lack of an operation in place of the one before.
    ///
    /// - Parameter isUnfinished: whether an operation is not finished.
    /// - Complexity: O(1), amortised.
    mutating func insert(_ entry: Entry, _ isUnfinished: (SlabReference<OperationNode>) -> Bool) {
        entries[entry.node.index] = entry
        guard entries.count >= mostEntries else { return }
        entries = entries.filter { isUnfinished($0.value.node) }
        mostEntries = max(Self.leastEntries, 2 * entries.count)
    }

    /// Notes that a worker may delete so many bytes.
    ///
    /// - Returns: the operations for which there may be room there now, in order of their places.
    /// - Complexity: O(entries).
    mutating func noteReleased(_ bytes: Int64, at worker: SlabReference<WorkerState>) -> [Entry] {
        var found: [Entry] = []
        for place in entries.keys.sorted() {
            guard let entry = entries[place], entry.worker == worker, entry.missing > 0 else { continue }
            entries[place]?.missing = entry.missing - min(bytes, entry.missing)
            guard bytes >= entry.missing else { continue }
            entries[place]?.avoided.removeAll { $0 == worker }
            found.append(entry)
        }
        return found
    }

    /// Notes that an operation is tried again earlier.
    mutating func bringForward(_ entry: Entry, to time: Timestamp) { entries[entry.node.index]?.until = time }
}
