import Glibc

/// How a process ended.
@_spi(Baton) public enum ProcessEnd: Sendable, Hashable {
    /// The process exited with this status, 0...255.
    case exited(Int32)

    /// This signal ended the process.
    case signalled(Int32)

    /// The process ended, and other code in this program took its status by waiting for it.
    case unknown

    /// Decodes a status in the layout of waitpid(2).
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    /// Blocks the calling thread until a child of this process has ended.
    init(ofChild processID: Int32) {
        var status: Int32 = 0
        while true {
            let ended = waitpid(processID, &status, 0)
            if ended == processID {
                self = ProcessEnd(waitStatus: status)
                return
            }
            if ended < 0, errno != EINTR {
                self = .unknown
                return
            }
        }
    }
}
