@_spi(Baton) import BatonOperations

/// Sorts names roughly into the order of a table's rows.
///
/// A table that grows only at its end is filled several times as fast as a table that grows in many places.
enum NameOrder {
    private struct Key: Comparable {
        /// The sixteen bytes after the common beginning of all names.
        var high: UInt64
        var low: UInt64
        var position: Int32

        static func < (left: Key, right: Key) -> Bool {
            (left.high, left.low, left.position) < (right.high, right.low, right.position)
        }
    }

    /// Returns the positions of the entries with names, in the order of the names.
    ///
    /// Names with a long common beginning keep the order of the entries.
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

    /// Returns the length in bytes of the common beginning of all names.
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

    /// Returns eight bytes as a number with the same order; bytes behind the end count as 0.
    private static func number(_ utf8: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt64 {
        var number: UInt64 = 0
        for offset in start..<start + 8 { number = number << 8 | (offset < utf8.count ? UInt64(utf8[offset]) : 0) }
        return number
    }
}
