/// Workers by a number that each of them has, such as its free slots; the largest is found at once.
///
/// - Complexity: each operation is O(1) but for the search for the next lower number, which is bounded by the largest
///   number of one worker.
struct WorkerIndex {
    /// Where a worker stands.
    private struct Entry {
        /// Its number; 0 where it is not in the index.
        var number = 0
        /// Its position among its equals.
        var position = 0
    }

    private var entries: [Entry] = []
    private var byNumber: [[Int32]] = [[]]
    /// The largest number that any worker has; 0 where there is none.
    private var highest = 0

    /// The worker with the largest number, or nil.
    var best: Int32? { byNumber[highest].last }

    /// How many workers are in it.
    var count: Int { byNumber.reduce(0) { $0 + $1.count } }

    /// The number of a worker; 0 where it is not in the index.
    func number(of worker: Int32) -> Int {
        entries.indices.contains(Int(worker)) ? entries[Int(worker)].number : 0
    }

    /// Gives a worker its number; 0 takes it out.
    mutating func set(_ worker: Int32, to number: Int) {
        let place = Int(worker)
        while entries.count <= place { entries.append(Entry()) }
        let old = entries[place]
        guard old.number != number else { return }
        // In before out, so that there is little to search for the largest.
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
