/// A disk for a record that is in no file of the system.
package protocol RecordDisk: AnyObject, Sendable {
    /// The name by which SQLite knows the disk: that of a VFS.
    var name: String { get }

    /// Reads the beginning of a file; nil for a missing file.
    func read(_ file: String, atMost length: Int) -> [UInt8]?

    /// Writes the beginning of a file, and makes a missing file; does nothing once the power has failed.
    ///
    /// - Parameter isForced: whether the bytes and the file's name are on the disk when the method returns.
    func write(_ bytes: UnsafeRawBufferPointer, to file: String, isForced: Bool)
}
