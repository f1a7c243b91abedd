@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The latest events, on disk or on their way there, for clients that watch.
///
/// Owns all events after the number ``base``, in order. Pages for clients that keep up come from here, so that no page is read
/// from the record once for each client.
struct RecentEvents {
    /// An event, with the queue of the operations that the event is about.
    struct Entry {
        var event: ClusterEvent
        var queue: String?
    }

    /// The most events to keep.
    static let capacity = 16_384

    /// The number after which all events are here.
    private(set) var base: UInt64
    /// The number of the latest event; ``base`` while there is none.
    private var latest: UInt64
    private var entries: [Entry] = []
    /// Entries before this position are no longer kept.
    private var head = 0

    /// Begins with the events after a number.
    init(after number: UInt64) {
        base = number
        latest = number
    }

    /// Adds the next event.
    ///
    /// - Complexity: O(1), averaged over many calls.
    mutating func append(_ event: ClusterEvent, in queue: String?) {
        invariant(event.sequence > latest, "Event \(event.sequence) comes behind event \(latest).")
        latest = event.lastNumber
        entries.append(Entry(event: event, queue: queue))
        guard entries.count - head > Self.capacity else { return }
        base = entries[head].event.lastNumber
        head += 1
        guard head >= Self.capacity else { return }
        entries.removeFirst(head)
        head = 0
    }

    /// The entries with numbers above a number, which must not be below ``base``.
    ///
    /// - Complexity: O(log events).
    func after(_ number: UInt64) -> ArraySlice<Entry> {
        invariant(number >= base, "The events after \(number) are asked for, and those after \(base) are here.")
        var low = head
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].event.lastNumber <= number { low = middle + 1 } else { high = middle }
        }
        return entries[low...]
    }
}
