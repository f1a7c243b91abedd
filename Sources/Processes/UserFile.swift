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

    /// Whether an open file is a terminal at which somebody may sit: a pseudo terminal, or a console; a serial line is none.
    public static func isTerminal(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard isatty(descriptor) != 0, fstat(descriptor, &status) == 0 else { return false }
        // The numbers of Linux: Documentation/admin-guide/devices.txt.
        let (major, minor) = (status.st_rdev >> 8 & 0xFFF, status.st_rdev & 0xFF)
        switch major {
        case 136...143: return true
        case 4: return minor < 64
        case 5: return minor < 2
        default: return false
        }
    }
}
