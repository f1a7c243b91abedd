@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The index of a completion hook.
typealias HookIndex = SlabIndex<HookTable.Entry>

/// The completion hooks that still have to run or are running (CM1, CM9).
struct HookTable {
    /// A hook with its run on a worker.
    struct Entry {
        /// The hook.
        var hook: CompletionHook
        /// The token of the run, if the hook was sent to a worker.
        var token: AttemptToken?
        /// The worker that has the hook; nil for no worker, or for a worker that has not come back yet.
        var worker: WorkerIndex?
        /// Whether the end of the operation is on disk: no worker gets the hook before.
        var isCommitted: Bool
    }

    /// The most hooks that a worker has at once: as many as a worker runs at once, so that the others are known to wait.
    ///
    /// Hooks need no slots, and should not take the machine from the attempts in slots.
    static let perWorker = 4

    var entries = Slab<Entry>()
    var places: [OperationID: HookIndex] = [:]
    /// The hooks without a worker, oldest first, from position `lineStart` on.
    private var line: [HookIndex] = []
    private var lineStart = 0
    /// Whether the line may have cancelled hooks, which do not run.
    private var mayHaveCancelled = false
    /// Whether the last search found no worker for the first hook in line.
    var isBlocked = false

    /// Adds a hook; if the end of its operation is on disk, the hook goes to the end of the line.
    ///
    /// - Returns: the hook's place.
    mutating func add(_ hook: CompletionHook, isCommitted: Bool) -> HookIndex {
        let place = entries.insert(Entry(hook: hook, isCommitted: isCommitted))
        places[hook.operation] = place
        if isCommitted { append(place) }
        return place
    }

    /// Puts a hook at the end of the line, now that the end of its operation is on disk.
    mutating func noteCommitted(_ operation: OperationID) {
        guard let place = places[operation], !entries[place].isCommitted else { return }
        entries[place].isCommitted = true
        append(place)
        isBlocked = false
    }

    /// Puts a hook at the end of the line for another run.
    mutating func putBack(_ place: HookIndex) {
        invariant(entries[place].token != nil, "A completion hook comes back that was not sent.")
        invariant(entries[place].isCommitted, "A completion hook comes back whose operation may be unfinished.")
        entries[place].token = nil
        entries[place].worker = nil
        append(place)
    }

    private mutating func append(_ place: HookIndex) {
        line.append(place)
        if entries[place].hook.isCancelled { mayHaveCancelled = true }
    }

    /// Cancels a hook.
    mutating func cancel(_ place: HookIndex) {
        entries[place].hook.isCancelled = true
        mayHaveCancelled = true
    }

    /// Takes the cancelled hooks out of the line, oldest first.
    ///
    /// - Complexity: O(line) after a hook was cancelled, else O(1).
    mutating func takeCancelled() -> [HookIndex] {
        guard mayHaveCancelled else { return [] }
        mayHaveCancelled = false
        let waiting = line[lineStart...]
        let cancelled = waiting.filter { entries[$0].hook.isCancelled }
        guard !cancelled.isEmpty else { return [] }
        line = waiting.filter { !entries[$0].hook.isCancelled }
        lineStart = 0
        return cancelled
    }

    /// The first hook in line; nil if the line is empty.
    var first: HookIndex? { lineStart < line.count ? line[lineStart] : nil }

    /// Removes the first hook from the line.
    mutating func removeFirst() {
        invariant(lineStart < line.count, "A completion hook is taken out of an empty line.")
        lineStart += 1
        guard lineStart > 64, lineStart * 2 > line.count else { return }
        line.removeFirst(lineStart)
        lineStart = 0
    }

    /// Removes a hook from the line after a worker has turned out to have it already.
    ///
    /// - Complexity: O(line); only while workers come back after a restart.
    mutating func removeFromLine(_ place: HookIndex) {
        if let position = line[lineStart...].firstIndex(of: place) { line.remove(at: position) }
    }

    /// Removes a hook after its run.
    mutating func remove(_ place: HookIndex) {
        invariant(places[entries[place].hook.operation] == place, "A completion hook is not found by its operation.")
        places[entries[place].hook.operation] = nil
        entries.remove(at: place)
    }

    /// The number of hooks in line.
    var waitingCount: Int { line.count - lineStart }
}
