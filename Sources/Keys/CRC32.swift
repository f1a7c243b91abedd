/// The checksum of Ethernet, gzip and PNG (polynomial 0xEDB88320), which finds a text that was not copied whole.
@_spi(Baton) public enum CRC32 {
    /// Computes the checksum of bytes, bit by bit: the inputs are short or rare.
    public static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~remainder
    }
}
