/// A hash table from names to entries, in about 11 to 21 bytes an entry: only the entries hold the names.
///
/// Names are equal by canonical equivalence, like all strings in Swift; see ``Name``.
///
/// A dictionary would hold each of a million names a second time.
@_spi(Baton) public struct NameTable {
    /// Each slot has a part of a name's hash in the upper half and the entry's position plus 1 in the lower half; 0 means free.
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

    /// Records the name of the entry at a position, unless an earlier entry has the same name.
    ///
    /// - Parameter entries: the entries, at least up to the earlier ones.
    /// - Returns: the position of the earlier entry, or nil.
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

    /// Returns the index of a name's slot, or of the free slot for the name.
    private func slot(of name: String, hash: UInt32, in entries: [Entry]) -> Int {
        var index = Int(hash) & (slots.count - 1)
        while true {
            let slot = slots[index]
            if slot == 0 || slot >> 32 == hash && Self.isName(name, ofEntryIn: slot, entries) { return index }
            index = (index + 1) & (slots.count - 1)
        }
    }

    /// Whether the entry of a slot has a name; a position beyond `entries` has no name yet.
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

    /// Hashes with a seed of the process, so that a peer cannot send names that all collide.
    private static func hash(of name: String) -> UInt32 { UInt32(truncatingIfNeeded: name.hashValue) }

    private static func position(in slot: UInt64) -> Int { Int(slot & 0xFFFF_FFFF) - 1 }

    /// Returns a power of two, of which the names take at most three quarters.
    private static func slotCount(for names: Int) -> Int {
        var count = 16
        while count / 4 * 3 < names { count *= 2 }
        return count
    }
}
