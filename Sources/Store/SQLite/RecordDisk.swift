/// A disk for a record that is in no file of the system.
package protocol RecordDisk: AnyObject, Sendable {
    /// The name by which SQLite knows the disk: that of a VFS.
    var name: String { get }
}
