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

    /// Returns another disk with all that was written to this one, as by a backup.
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
}
