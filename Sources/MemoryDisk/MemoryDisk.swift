import BatonStore
import CBatonMemoryDisk

/// A disk in memory for records, which lives as long as somebody uses it.
///
/// The tests and the simulation break it: it fills up, a write fails, the power of its host fails. SQLite does the rest, as on a
/// disk of the system.
package final class MemoryDisk: RecordDisk {
    /// The C object has a lock of its own.
    private nonisolated(unsafe) let disk: OpaquePointer

    /// Makes an empty disk.
    package convenience init() {
        self.init(copyOf: nil)
    }

    private init(copyOf original: OpaquePointer?) {
        guard let disk = cmemorydisk_create(original) else { fatalError("There is no memory for a disk.") }
        self.disk = disk
    }

    deinit {
        cmemorydisk_release(disk)
    }

    /// Copies the disk with all files; later writes to either disk do not reach the other.
    package func copy() -> MemoryDisk { MemoryDisk(copyOf: disk) }

    /// The name by which SQLite knows the disk.
    package var name: String { String(cString: cmemorydisk_name(disk)) }

    /// Lets no file get longer, or lets files get longer again.
    package func setFull(_ isFull: Bool) {
        cmemorydisk_set_full(disk, isFull ? 1 : 0)
    }

    /// Lets one write fail, after some more have succeeded.
    package func failWrite(after writes: Int) {
        cmemorydisk_fail_after(disk, Int64(writes), 0)
    }

    /// Lets nothing succeed any more after some more writes, until ``restart(losingUnsynced:)``.
    package func losePower(after writes: Int) {
        cmemorydisk_fail_after(disk, Int64(writes), 1)
    }

    /// Takes back what ``failWrite(after:)`` and ``losePower(after:)`` have announced.
    package func spare() {
        cmemorydisk_fail_after(disk, -1, 0)
    }

    /// Whether the power has failed.
    package var hasLostPower: Bool { cmemorydisk_has_failed(disk) != 0 }

    /// Ends all use of the disk, as at the sudden end of the process; the stores that have it open find nothing but errors.
    ///
    /// - Parameter seed: the choice among the writes that were not forced to the disk, of which a loss of power keeps a part; nil
    ///   for the end of the process alone, which keeps all of them.
    package func restart(losingUnsynced seed: UInt64? = nil) {
        cmemorydisk_restart(disk, seed == nil ? 0 : 1, seed ?? 0)
    }

    // MARK: - Files

    /// Reads the beginning of a file; nil for a missing file.
    package func read(_ file: String, atMost length: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = cmemorydisk_read(disk, file, &bytes, Int64(length))
        return count < 0 ? nil : Array(bytes.prefix(Int(count)))
    }

    /// Writes the beginning of a file, and makes a missing file; does nothing once the power has failed.
    ///
    /// - Parameter isForced: whether a loss of power after the method cannot take the write back.
    package func write(_ bytes: UnsafeRawBufferPointer, to file: String, isForced: Bool) {
        cmemorydisk_write(disk, file, bytes.baseAddress, Int64(bytes.count), isForced ? 1 : 0)
    }

    // MARK: - Damage

    /// The size of a file in bytes; nil for a missing file.
    package func size(of file: String) -> Int? {
        let size = cmemorydisk_size(disk, file)
        return size < 0 ? nil : Int(size)
    }

    /// Damages a file that nobody has open; does nothing to a missing file.
    package func damage(_ file: String, by damage: FileDamage) {
        switch damage {
        case .removal: cmemorydisk_remove(disk, file)
        case .cut(let size): cmemorydisk_cut(disk, file, Int64(size))
        case .flip(let offset, let bit): cmemorydisk_flip(disk, file, Int64(offset), 1 << Int32(bit))
        }
    }
}
