/// Workers by a number, such as their free slots, with the worker of the largest number at hand.
///
/// - Complexity: each operation is O(1), except the search for the next lower number, which is bounded by the largest number of
///   one worker.
struct WorkerIndex {
    /// The position of a worker in the index.
    private struct Entry {
        /// The worker's number; 0 if the worker is not in the index.
        var number = 0
        /// The position among workers of the same number.
        var position = 0
    }

    private var entries: [Entry] = []
    private var byNumber: [[Int32]] = [[]]
    /// The largest number of any worker; 0 if the index is empty.
    private var highest = 0

    /// The worker with the largest number, or nil.
    var best: Int32? { byNumber[highest].last }

    /// The number of workers in the index.
    ///
    /// - Complexity: O(the largest number so far).
    var count: Int { byNumber.reduce(0) { $0 + $1.count } }

    /// The number of a worker; 0 if the worker is not in the index.
    func number(of worker: Int32) -> Int {
        entries.indices.contains(Int(worker)) ? entries[Int(worker)].number : 0
    }

    /// Sets the number of a worker; 0 removes the worker.
    mutating func set(_ worker: Int32, to number: Int) {
        let place = Int(worker)
        while entries.count <= place { entries.append(Entry()) }
        let old = entries[place]
        guard old.number != number else { return }
        // Insert before the removal, to shorten the search for the largest number.
        if number > 0 {
            while byNumber.count <= number { byNumber.append([]) }
            entries[place] = Entry(number: number, position: byNumber[number].count)
            byNumber[number].append(worker)
            highest = max(highest, number)
        } else {
            entries[place] = Entry()
        }
        guard old.number > 0 else { return }
        let last = byNumber[old.number].removeLast()
        if last != worker {
            byNumber[old.number][old.position] = last
            entries[Int(last)].position = old.position
        }
        while highest > 0 && byNumber[highest].isEmpty { highest -= 1 }
    }
}
