import CBatonZeroMQ
import Synchronization
@_spi(Baton) public import BatonThreads

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Wakes the thread that waits in ``Poller/poll(timeout:)``, from any thread.
///
/// All calls before the next poll together cost a single write to a descriptor. A waker belongs to a single poller.
@_spi(Baton) public final class Waker: Bell {
    /// The end that polls as readable.
    let descriptor: Int32
    /// The other end: the same descriptor on systems with eventfd(2).
    private let writeDescriptor: Int32
    /// Whether the poller has yet to see the last wake-up.
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

    /// Makes the next poll, or a waiting poll, return.
    ///
    /// The caller's earlier writes are visible to the poller's thread once the poll has returned.
    public func ring() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // eventfd(2) takes eight bytes, a pipe any number; neither can be full, since at most one write is
        // outstanding.
        var one: UInt64 = 1
        while write(writeDescriptor, &one, MemoryLayout<UInt64>.size) == -1, errno == EINTR {}
    }

    /// Prepares for the next wake-up; the poller calls `reset()` after finding the waker readable.
    func reset() {
        // The order matters: if the flag were lowered first, the read could swallow a write in between with the flag
        // up, and no caller would ever write again.
        var value: UInt64 = 0
        while read(descriptor, &value, MemoryLayout<UInt64>.size) == -1, errno == EINTR {}
        _ = isAwake.exchange(false, ordering: .acquiringAndReleasing)
    }
}
