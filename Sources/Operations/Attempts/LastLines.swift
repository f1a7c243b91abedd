/// Finds the last lines of a text.
@_spi(Baton) public enum LastLines {
    private static let newline: UInt8 = 0x0A

    /// The position at which the last lines begin; nil if the beginning of the first of them is not among the bytes.
    ///
    /// Each line ends with a newline; the last line may have none. With nil and all bytes of a stream, the stream has no more
    /// lines than wanted.
    ///
    /// - Complexity: O(length of the lines).
    public static func start<Bytes: RandomAccessCollection<UInt8>>(of count: UInt32, in bytes: Bytes) -> Int?
    where Bytes.Index == Int {
        guard count > 0 else { return bytes.endIndex }
        // A newline at the end belongs to the last line.
        var position = bytes.last == newline ? bytes.endIndex - 1 : bytes.endIndex
        var missing = count
        while position > bytes.startIndex {
            if bytes[position - 1] == newline {
                missing -= 1
                if missing == 0 { return position }
            }
            position -= 1
        }
        return nil
    }
}
