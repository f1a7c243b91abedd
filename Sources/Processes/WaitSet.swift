import CBatonSpawn
import Glibc

/// What a thread that has processes sleeps on: their pidfds, and a bell that other threads may ring.
///
/// It owns neither, and is used by one thread.
struct WaitSet: ~Copyable {
    private let epoll: Descriptor
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    /// A set with nothing in it.
    init() throws(SystemFailure) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw SystemFailure("cannot make a set of events to wait for") }
        epoll = Descriptor(owning: number)
    }

    /// Readable while something in the set is.
    var descriptor: Int32 { epoll.number }

    /// Ends waits when the bell, an eventfd, is rung.
    func add(bell: Int32) throws(SystemFailure) {
        // Edge-triggered: each ring is told once, so that nobody has to read the bell silent.
        guard Self.add(bell, to: epoll, key: Self.bellKey, events: EPOLLIN.rawValue | EPOLLET.rawValue) else {
            throw SystemFailure("cannot wait for messages to the supervisor of processes")
        }
    }

    /// No process has the number 0.
    private static var bellKey: UInt64 { 0 }

    /// Waits for the end of the process that `pidfd` stands for, until that is closed.
    ///
    /// `false` if the kernel has no memory for it; errno says so.
    func add(_ process: pid_t, pidfd: Int32) -> Bool {
        Self.add(pidfd, to: epoll, key: UInt64(process), events: EPOLLIN.rawValue)
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

    /// Sleeps until something ended, the bell rang, or so many milliseconds are over (-1: for ever),
    /// and gives the processes that ended to `body`.
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
