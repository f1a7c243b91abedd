import BatonOperations

/// Puts names about into the order in which a table keeps them: a table that grows at its end alone is filled several times
/// as fast as one that grows here and there.
enum NameOrder {
    private struct Key: Comparable {
        /// The sixteen bytes that follow what all names begin with.
        var high: UInt64
        var low: UInt64
        var position: Int32

        static func < (left: Key, right: Key) -> Bool {
            (left.high, left.low, left.position) < (right.high, right.low, right.position)
        }
    }

    /// The positions of the entries that have names, names that begin alike for long in the order of the entries.
    ///
    /// - Complexity: O(n log n), without comparing texts.
    static func positions(of entries: [Entry]) -> [Int32] {
        let skipped = commonPrefixLength(of: entries)
        var keys: [Key] = []
        for (position, entry) in entries.enumerated() {
            guard var name = entry.name else { continue }
            if keys.isEmpty { keys.reserveCapacity(entries.count - position) }
            let (high, low) = name.withUTF8 { utf8 in
                (number(utf8, at: skipped), number(utf8, at: skipped + 8))
            }
            keys.append(Key(high: high, low: low, position: Int32(position)))
        }
        keys.sort()
        return keys.map(\.position)
    }

    /// With how many bytes all names begin alike.
    private static func commonPrefixLength(of entries: [Entry]) -> Int {
        var prefix: [UInt8]?
        for entry in entries {
            guard var name = entry.name else { continue }
            name.withUTF8 { utf8 in
                guard let common = prefix else { return prefix = Array(utf8) }
                var length = 0
                while length < min(common.count, utf8.count), common[length] == utf8[length] { length += 1 }
                if length < common.count { prefix = Array(common[..<length]) }
            }
            if prefix?.isEmpty == true { break }
        }
        return prefix?.count ?? 0
    }

    /// Eight bytes as a number that orders as they do; those behind the end count as 0.
    private static func number(_ utf8: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt64 {
        var number: UInt64 = 0
        for offset in start..<start + 8 { number = number << 8 | (offset < utf8.count ? UInt64(utf8[offset]) : 0) }
        return number
    }
}
