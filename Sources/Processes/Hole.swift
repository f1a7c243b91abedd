import CBatonSpawn
import Glibc

/// Holes, which return the oldest part of a file to the file system while writers append to its end.
@_spi(Baton) public enum Hole {
    /// The alignment of holes in bytes, whole blocks of any file system: the rest of a block would read as zero bytes.
    public static let alignment: UInt64 = 65_536

    /// The end of a hole that leaves at least the last `keep` bytes of a file.
    public static func end(ofFile length: UInt64, keeping keep: UInt64) -> UInt64 {
        guard length > keep else { return 0 }
        return (length - keep) / alignment * alignment
    }

    /// Makes a hole at the start of a file; the length and all offsets stay.
    ///
    /// - Returns: false if the file system cannot make holes.
    public static func punch(_ descriptor: Int32, upTo end: UInt64) -> Bool {
        cspawn_punch(descriptor, off_t(clamping: end)) == 0
    }

    /// The position of the first data at or after an offset.
    ///
    /// The result is the end of the file if no data follows, and the offset itself if the file system does not know.
    public static func firstData(_ descriptor: Int32, from offset: UInt64) -> UInt64 {
        let seekData: Int32 = 3
        let found = lseek(descriptor, off_t(clamping: offset), seekData)
        if found >= 0 { return UInt64(found) }
        var status = stat()
        guard errno == ENXIO, fstat(descriptor, &status) == 0 else { return offset }
        return max(offset, UInt64(status.st_size))
    }
}
