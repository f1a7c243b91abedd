@_spi(Baton) import BatonInvariants

/// A key with a position in an array.
protocol Positioned: Hashable {
    /// The position, from 0.
    var position: Int32 { get }
}

/// The position of no key.
private let nowhere: Int32 = -1

/// Keys by a number, such as workers by their free slots, with the key of the largest number at hand.
///
/// The keys of a number form a list; the last one is the best. A key that leaves the list is replaced by the last one. The lists are
/// links between the keys: an array for each number would need memory with each new number.
///
/// - Complexity: each operation is O(1), except the search for the next lower number, which is bounded by the largest number of
///   one key.
struct Ranking<Key: Positioned> {
    /// A key in the ranking, with its neighbours among the keys of the same number.
    fileprivate struct Entry {
        /// The key; nil if no key with the position was ever in the ranking.
        var key: Key?
        /// The key's number; 0 if the key is not in the ranking.
        var number = 0
        /// The position of the key before it in the list of its number, or ``nowhere``.
        var before = nowhere
        /// The position of the key behind it in the list of its number, or ``nowhere``.
        var after = nowhere
    }

    /// The entries of the keys, by their positions.
    private var entries: [Entry] = []
    /// The position of the last key of each number, or ``nowhere``.
    private var lasts = [nowhere]
    /// The largest number of any key; 0 if the ranking is empty.
    private var highest = 0

    /// The key with the largest number, or nil.
    @inline(__always) var best: Key? {
        let last = lasts[highest]
        return last == nowhere ? nil : entries[Int(last)].key
    }

    /// The number of keys in the ranking.
    ///
    /// - Complexity: O(the largest position of a key so far).
    var count: Int { entries.count { $0.number > 0 } }

    /// The number of a key; 0 if the key is not in the ranking.
    @inline(__always)
    func number(of key: Key) -> Int {
        let position = Int(key.position)
        return position < entries.count ? entries[position].number : 0
    }

    /// Sets the number of a key; 0 removes the key.
    @inline(__always)
    mutating func set(_ key: Key, to number: Int) {
        // Most changes of a worker change one of its numbers or two.
        if self.number(of: key) != number { change(key, to: number) }
    }

    @inline(never)
    private mutating func change(_ key: Key, to number: Int) {
        invariant(number >= 0, "A key has a number below zero.")
        let position = Int(key.position)
        while entries.count <= position { entries.append(Entry()) }
        let old = entries[position].number
        var entry = Entry(key: key, number: number)
        if old > 0 {
            if lasts[old] == key.position { removeLast(of: old) } else { replaceByLast(key, of: old) }
        }
        if number > 0 {
            while lasts.count <= number { lasts.append(nowhere) }
            entry.before = lasts[number]
            if entry.before != nowhere { entries[Int(entry.before)].after = key.position }
            lasts[number] = key.position
            highest = max(highest, number)
        }
        entries[position] = entry
        while highest > 0 && lasts[highest] == nowhere { highest -= 1 }
    }

    /// Takes the last key of a number out of its list.
    @inline(__always)
    private mutating func removeLast(of number: Int) {
        let next = entries[Int(lasts[number])].before
        lasts[number] = next
        if next != nowhere { entries[Int(next)].after = nowhere }
    }

    /// Puts the last key of a number in the place of another key of the number.
    private mutating func replaceByLast(_ key: Key, of number: Int) {
        let last = lasts[number]
        removeLast(of: number)
        let (before, after) = (entries[Int(key.position)].before, entries[Int(key.position)].after)
        (entries[Int(last)].before, entries[Int(last)].after) = (before, after)
        if before != nowhere { entries[Int(before)].after = last }
        if after == nowhere { lasts[number] = last } else { entries[Int(after)].before = last }
    }
}

extension Ranking: Sendable where Key: Sendable {}
extension Ranking.Entry: Sendable where Key: Sendable {}
