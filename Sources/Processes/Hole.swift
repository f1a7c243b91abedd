import CBatonSpawn
import Glibc

/// Giving the oldest part of a file back to the file system, under whoever goes on writing to its end.
public enum Hole {
    /// Whole blocks only, of any file system: what is left of a block would read as zero bytes.
    public static let alignment: UInt64 = 65_536

    /// Where a hole ends that leaves at least the last `keep` bytes of a file.
    public static func end(ofFile length: UInt64, keeping keep: UInt64) -> UInt64 {
        guard length > keep else { return 0 }
        return (length - keep) / alignment * alignment
    }

    /// Makes a hole from the start of a file; its length and all offsets stay.
    ///
    /// - Returns: false where the file system cannot do that.
    public static func punch(_ descriptor: Int32, upTo end: UInt64) -> Bool {
        cspawn_punch(descriptor, off_t(clamping: end)) == 0
    }

    /// Where the first data of a file begins at an offset or behind it, which is at its end where there is none; the offset itself
    /// where the file system does not know.
    public static func firstData(_ descriptor: Int32, from offset: UInt64) -> UInt64 {
        let seekData: Int32 = 3
        let found = lseek(descriptor, off_t(clamping: offset), seekData)
        if found >= 0 { return UInt64(found) }
        var status = stat()
        guard errno == ENXIO, fstat(descriptor, &status) == 0 else { return offset }
        return max(offset, UInt64(status.st_size))
    }
}
