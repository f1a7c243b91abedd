/// The name of a group of operations with similar names: `tile_17` and `tile_18` are `tile_*`.
@_spi(Baton) public enum GroupName {
    /// A name with a `*` in place of each run of digits.
    ///
    /// - Complexity: O(name), without an allocation for a name without digits.
    public static func folded(_ name: String) -> String {
        guard name.utf8.contains(where: isDigit) else { return name }
        var folded: [UInt8] = []
        var isInside = false
        for byte in name.utf8 {
            if !isDigit(byte) { folded.append(byte) } else if !isInside { folded.append(UInt8(ascii: "*")) }
            isInside = isDigit(byte)
        }
        return String(decoding: folded, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
