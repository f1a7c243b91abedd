import CBatonZeroMQ
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Wakes the thread that sits in ``Poller/poll(timeout:)``, from any thread.
///
/// However often it is called before the next poll, it costs one write to a descriptor. It belongs to one poller.
public final class Waker: Sendable {
    /// The end that polls as readable.
    let descriptor: Int32
    /// The other end: the same descriptor where the system has eventfd(2).
    private let writeDescriptor: Int32
    /// Whether a wake-up is under way that the poller has not seen yet.
    private let isAwake = Atomic<Bool>(false)

    /// Makes a waker.
    ///
    /// - Throws: `ZeroMQError` if no file descriptor is left.
    public init() throws(ZeroMQError) {
        #if os(Linux)
            let event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            guard event >= 0 else { throw .lastOfSystem("eventfd") }
            descriptor = event
            writeDescriptor = event
        #else
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .lastOfSystem("pipe") }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            descriptor = ends[0]
            writeDescriptor = ends[1]
        #endif
    }

    deinit {
        close(descriptor)
        if writeDescriptor != descriptor { close(writeDescriptor) }
    }

    /// Makes the next poll, or the one that waits now, return.
    ///
    /// What the caller did before is visible to the poller's thread once its poll has returned.
    public func wake() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // eventfd(2) takes eight bytes, a pipe any; neither can be full, for at most one write is outstanding.
        var one: UInt64 = 1
        while write(writeDescriptor, &one, MemoryLayout<UInt64>.size) == -1, errno == EINTR {}
    }

    /// Makes it ready for the next wake-up; the poller calls it when it finds it readable.
    func reset() {
        // In this order: were the flag lowered first, a write in between would be read away with the flag up, and
        // nothing would ever be written again.
        var value: UInt64 = 0
        while read(descriptor, &value, MemoryLayout<UInt64>.size) == -1, errno == EINTR {}
        _ = isAwake.exchange(false, ordering: .acquiringAndReleasing)
    }
}
