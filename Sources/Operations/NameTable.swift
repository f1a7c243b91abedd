/// Finds entries by their names, in eight to sixteen bytes an entry: the names stay in the entries alone.
///
/// Names are the same here by canonical equivalence, as all strings of Swift are; see ``Name``.
///
/// A dictionary would hold each of a million names a second time.
public struct NameTable {
    /// In the upper half of each a part of a name's hash, in the lower one the entry's position and 1; 0 where it is free.
    private var slots: [UInt64]
    private var count = 0

    /// Makes an empty table with room for some names.
    public init(minimumCapacity: Int = 0) {
        slots = Array(repeating: 0, count: Self.slotCount(for: minimumCapacity))
    }

    /// The position of the entry with a name, or nil.
    public func position(of name: String, in entries: [Entry]) -> Int? {
        let slot = slots[self.slot(of: name, hash: Self.hash(of: name), in: entries)]
        return slot == 0 ? nil : Self.position(in: slot)
    }

    /// Notes that the entry at a position has a name, unless an earlier one has it.
    ///
    /// - Parameter entries: the entries up to the earlier ones at least.
    /// - Returns: the position of the earlier one, or nil.
    /// - Complexity: O(1) amortized.
    public mutating func insert(_ name: String, at position: Int, in entries: [Entry]) -> Int? {
        let hash = Self.hash(of: name)
        let free = slot(of: name, hash: hash, in: entries)
        if slots[free] != 0 { return Self.position(in: slots[free]) }
        slots[free] = UInt64(hash) << 32 | UInt64(position + 1)
        count += 1
        if count > slots.count / 4 * 3 { grow() }
        return nil
    }

    /// The slot of a name, or the free one that it would get.
    private func slot(of name: String, hash: UInt32, in entries: [Entry]) -> Int {
        var index = Int(hash) & (slots.count - 1)
        while true {
            let slot = slots[index]
            if slot == 0 || slot >> 32 == hash && Self.isName(name, ofEntryIn: slot, entries) { return index }
            index = (index + 1) & (slots.count - 1)
        }
    }

    /// Whether a slot's entry has a name; an entry that was noted before it is among the entries has none yet.
    private static func isName(_ name: String, ofEntryIn slot: UInt64, _ entries: [Entry]) -> Bool {
        let position = position(in: slot)
        return position < entries.count && entries[position].name == name
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for slot in old where slot != 0 {
            var index = Int(slot >> 32) & (slots.count - 1)
            while slots[index] != 0 { index = (index + 1) & (slots.count - 1) }
            slots[index] = slot
        }
    }

    /// Seeded anew in each process, so that nobody can send names that all fall together.
    private static func hash(of name: String) -> UInt32 { UInt32(truncatingIfNeeded: name.hashValue) }

    private static func position(in slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    /// A power of two of which the names take three quarters at most.
    private static func slotCount(for names: Int) -> Int {
        var count = 16
        while count / 4 * 3 < names { count *= 2 }
        return count
    }
}
