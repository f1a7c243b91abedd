/// How a process ended.
public enum ProcessEnd: Sendable, Hashable {
    /// It exited with this status, 0...255.
    case exited(Int32)

    /// This signal ended it.
    case signalled(Int32)

    /// It ended, and something else in this program took its status away by waiting for it.
    case unknown

    /// Reads a status as waitpid(2) lays it out.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}
