import CBatonSpawn
import Glibc

/// A way to bring many files to the disk at once.
@_spi(Baton) public enum FileSystemSync {
    /// Waits until all that any program has written to the file system of an open file is on its disk, with the names of the files.
    ///
    /// - Returns: whether it is; the reason is in errno otherwise.
    public static func wait(_ descriptor: Int32) -> Bool { cspawn_sync_file_system(descriptor) == 0 }
}
