import CBatonSpawn
import Glibc

/// A file that a user names, and this process opens.
@_spi(Baton) public enum UserFile {
    /// Opens a file, as open(2), but not through a link to a file that this process has open, such as `/dev/stdout`.
    ///
    /// - Returns: the descriptor; a negative number on failure, with the reason in errno: ELOOP for such a link.
    public static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) -> Int32 {
        cspawn_open_file(path, flags, mode)
    }

    /// The reason of a failed ``open(_:_:_:)`` in words.
    public static func reason(_ code: Int32) -> String {
        code == ELOOP ? "it is a loop of links, or leads to a file that the worker has open" : systemReason(code)
    }
}
