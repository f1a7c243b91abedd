@_spi(Baton) import BatonInvariants

/// A key with a position in an array.
protocol Positioned: Hashable {
    /// The position, from 0.
    var position: Int32 { get }
}

/// Keys by a number, such as workers by their free slots, with the key of the largest number at hand.
///
/// - Complexity: each operation is O(1), except the search for the next lower number, which is bounded by the largest number of
///   one key.
struct Ranking<Key: Positioned> {
    /// The position of a key in the ranking.
    private struct Entry {
        /// The key's number; 0 if the key is not in the ranking.
        var number = 0
        /// The position among keys of the same number.
        var position = 0
    }

    private var entries: [Entry] = []
    private var byNumber: [[Key]] = [[]]
    /// The largest number of any key; 0 if the ranking is empty.
    private var highest = 0

    /// The key with the largest number, or nil.
    var best: Key? { byNumber[highest].last }

    /// The number of keys in the ranking.
    ///
    /// - Complexity: O(the largest number so far).
    var count: Int { byNumber.reduce(0) { $0 + $1.count } }

    /// The number of a key; 0 if the key is not in the ranking.
    func number(of key: Key) -> Int {
        entries.indices.contains(Int(key.position)) ? entries[Int(key.position)].number : 0
    }

    /// Sets the number of a key; 0 removes the key.
    mutating func set(_ key: Key, to number: Int) {
        invariant(number >= 0, "A key has a number below zero.")
        let position = Int(key.position)
        while entries.count <= position { entries.append(Entry()) }
        let old = entries[position]
        guard old.number != number else { return }
        // Insert before the removal, to shorten the search for the largest number.
        if number > 0 {
            while byNumber.count <= number { byNumber.append([]) }
            entries[position] = Entry(number: number, position: byNumber[number].count)
            byNumber[number].append(key)
            highest = max(highest, number)
        } else {
            entries[position] = Entry()
        }
        guard old.number > 0 else { return }
        invariant(byNumber[old.number][old.position] == key, "A key has another place in its ranking.")
        let last = byNumber[old.number].removeLast()
        if last != key {
            byNumber[old.number][old.position] = last
            entries[Int(last.position)].position = old.position
        }
        while highest > 0 && byNumber[highest].isEmpty { highest -= 1 }
        invariant(highest > 0 || byNumber[0].isEmpty, "A ranking lists keys without a number.")
    }
}

extension Ranking: Sendable where Key: Sendable {}
