/// A process's share of the disk, as in ioprio_set(2).
///
/// The disk's scheduler decides about the effect.
@_spi(Baton) public enum IOPriority: Sendable, Hashable {
    /// The usual class, with a level from 0, the most, to 7, the least; other levels are clamped to this range.
    case bestEffort(level: Int32)

    /// Access only while no other process wants the disk.
    case idle

    /// The class in the upper bits and the level in the lower thirteen, after linux/ioprio.h.
    var encoded: Int32 {
        switch self {
        case .bestEffort(let level): 2 << 13 | min(max(level, 0), 7)
        case .idle: 3 << 13
        }
    }
}
