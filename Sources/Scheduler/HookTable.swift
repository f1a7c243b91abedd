import BatonOperations

/// The completion hooks that are still to be run (CM1, CM9).
struct HookTable {
    /// A hook and where it is run.
    struct Entry {
        /// What is to be run.
        var hook: CompletionHook
        /// Its run, where it was sent to a worker.
        var token: AttemptToken?
        /// The worker that it was sent to; -1 for none, or for one that has not come back yet.
        var worker: Int32 = -1
        /// Whether the end of its operation is on disk: before that nobody is told of it.
        var isKept: Bool
    }

    /// The most hooks that a worker is sent at once: they need no slots, and should not take the machine from those who do.
    static let perWorker = 8

    var entries = Slab<Entry>()
    var places: [OperationID: Int32] = [:]
    /// Those that nobody was given, oldest first, from a position on.
    private var line: [Int32] = []
    private var lineStart = 0
    /// Whether no worker could take the first one when one was looked for last.
    var isBlocked = false

    /// Takes a hook in; one that is on disk goes to the end of the line.
    ///
    /// - Returns: its place.
    mutating func add(_ hook: CompletionHook, isKept: Bool) -> Int32 {
        let place = entries.insert(Entry(hook: hook, isKept: isKept))
        places[hook.operation] = place
        if isKept { line.append(place) }
        return place
    }

    /// Puts the hook of an operation whose end is on disk now at the end of the line.
    mutating func keep(_ operation: OperationID) {
        guard let place = places[operation], !entries[place].isKept else { return }
        entries[place].isKept = true
        line.append(place)
        isBlocked = false
    }

    /// Puts a hook that has to be run again at the end of the line.
    mutating func putBack(_ place: Int32) {
        entries[place].token = nil
        entries[place].worker = -1
        line.append(place)
    }

    /// The first one in line; nil where there is none.
    var first: Int32? { lineStart < line.count ? line[lineStart] : nil }

    /// Takes the first one out of the line.
    mutating func removeFirst() {
        lineStart += 1
        guard lineStart > 64, lineStart * 2 > line.count else { return }
        line.removeFirst(lineStart)
        lineStart = 0
    }

    /// Takes a hook out of the line that a worker turned out to have already.
    ///
    /// - Complexity: O(line); only while workers come back after a restart.
    mutating func removeFromLine(_ place: Int32) {
        if let position = line[lineStart...].firstIndex(of: place) { line.remove(at: position) }
    }

    /// Lets go of a hook that was run.
    mutating func remove(_ place: Int32) {
        places[entries[place].hook.operation] = nil
        entries.remove(at: place)
    }

    /// How many are waiting to be sent.
    var waitingCount: Int { line.count - lineStart }
}
