/// A process's share of the disk, as ioprio_set(2) has it.
///
/// What it means is up to the disk's scheduler.
public enum IOPriority: Sendable, Hashable {
    /// The usual class, with a level from 0, the most, to 7, the least; others are brought into this range.
    case bestEffort(level: Int32)

    /// Only when nobody else wants the disk.
    case idle

    /// The class in the upper bits and the level in the lower thirteen, after linux/ioprio.h.
    var encoded: Int32 {
        switch self {
        case .bestEffort(let level): 2 << 13 | min(max(level, 0), 7)
        case .idle: 3 << 13
        }
    }
}
