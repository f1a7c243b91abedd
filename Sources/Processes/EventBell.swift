@_spi(Baton) import BatonThreads
import CBatonSpawn
import Glibc

/// A bell for a thread that waits for a ``WaitSet``, which reports each ring once.
final class EventBell: Bell {
    /// An eventfd, which gets a write for each ring and is never read.
    let descriptor: Int32

    init() throws(SystemFailure) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemFailure("cannot make a bell for the supervisor of processes") }
    }

    deinit {
        close(descriptor)
    }

    func ring() {
        // The write can fail only with a counter near 2^64, and then the bell is ringing anyway.
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }
}
