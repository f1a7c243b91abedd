import CBatonSpawn
import Glibc

/// The descriptors on which a supervising thread sleeps: the pidfds of its processes, and a bell for other threads.
///
/// The set owns neither, and belongs to a single thread.
struct WaitSet: ~Copyable {
    private let epoll: Descriptor
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    /// Creates an empty set.
    init() throws(SystemFailure) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw SystemFailure("cannot make a set of events to wait for") }
        epoll = Descriptor(owning: number)
    }

    /// Readable while a descriptor in the set is readable.
    var descriptor: Int32 { epoll.number }

    /// Ends waits on a ring of the bell, an eventfd.
    func add(bell: Int32) throws(SystemFailure) {
        // Edge-triggered: each ring is reported once, so that no thread has to read the bell silent.
        guard Self.add(bell, to: epoll, key: Self.bellKey, events: EPOLLIN.rawValue | EPOLLET.rawValue) else {
            throw SystemFailure("cannot wait for messages to the supervisor of processes")
        }
    }

    /// No process has the number 0.
    private static var bellKey: UInt64 { 0 }

    /// Waits for the end of the process behind `pidfd`, until `pidfd` is closed.
    ///
    /// Returns `false` if the kernel has no memory for the entry, with the reason in errno.
    func add(_ process: pid_t, pidfd: Int32) -> Bool {
        Self.add(pidfd, to: epoll, key: UInt64(process), events: EPOLLIN.rawValue)
    }

    /// Ends the wait for a process whose pidfd other processes may have open too, so that its closing would not end the wait.
    func remove(pidfd: Int32) {
        epoll_ctl(epoll.number, EPOLL_CTL_DEL, pidfd, nil)
    }

    private static func add(
        _ descriptor: Int32,
        to epoll: borrowing Descriptor,
        key: UInt64,
        events: UInt32
    ) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: key))
        return epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Sleeps until a process ends, the bell rings, or the time is over, and passes ended processes to `body`.
    ///
    /// A time of -1 milliseconds is for ever.
    mutating func wait(milliseconds: Int32, _ body: (pid_t) -> Void) {
        let epoll = epoll.number
        let count = events.withUnsafeMutableBufferPointer { events in
            epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        }
        guard count > 0 else { return }
        for event in events[..<Int(count)] where event.data.u64 != Self.bellKey {
            body(pid_t(truncatingIfNeeded: event.data.u64))
        }
    }
}
