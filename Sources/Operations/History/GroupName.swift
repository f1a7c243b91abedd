/// The name of a group of operations with similar names: `tile_17` and `tile_18` are `tile_*`.
@_spi(Baton) public enum GroupName {
    /// A name with a `*` in place of each run of digits.
    ///
    /// - Complexity: O(name).
    public static func folded(_ name: String) -> String {
        guard name.utf8.contains(where: isDigit) else { return name }
        return String(unsafeUninitializedCapacity: name.utf8.count) { folded in
            var count = 0
            var isInside = false
            for byte in name.utf8 {
                let isDigit = isDigit(byte)
                if !isDigit || !isInside {
                    folded[count] = isDigit ? UInt8(ascii: "*") : byte
                    count += 1
                }
                isInside = isDigit
            }
            return count
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
