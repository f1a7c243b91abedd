#if os(Linux)
    import CBatonMicroHTTPD
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What the system tells of connections, besides to the daemon: their ends, also while the daemon does not look at them.
    final class HTTPConnectionEvents: Sendable {
        /// What a client did.
        struct Event {
            var number: UInt64
            /// Whether the connection is gone in both directions; otherwise the client sends nothing more.
            var isGone: Bool
        }

        private let epoll: Int32
        private let bell: Int32

        /// The number of the bell, which no connection has.
        private static let bellNumber: UInt64 = 0

        init() throws(HTTPServerError) {
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            bell = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            guard epoll >= 0, bell >= 0, Self.add(bell, to: epoll, number: Self.bellNumber, events: EPOLLIN.rawValue)
            else {
                let reason = strerror(errno).map { String(cString: $0) } ?? "no reason"
                if epoll >= 0 { close(epoll) }
                if bell >= 0 { close(bell) }
                throw HTTPServerError(.other, "Cannot watch connections of HTTP: \(reason).")
            }
        }

        deinit {
            close(epoll)
            close(bell)
        }

        /// Watches a connection; where the kernel has no memory for it, its end is noticed by the daemon alone.
        func add(_ descriptor: Int32, number: UInt64) {
            _ = Self.add(descriptor, to: epoll, number: number, events: EPOLLRDHUP.rawValue)
        }

        /// Ends the watch of a connection that is still open.
        func remove(_ descriptor: Int32) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }

        // Edge-triggered: each change is reported once, and needs no reading.
        private static func add(_ descriptor: Int32, to epoll: Int32, number: UInt64, events: UInt32) -> Bool {
            var event = epoll_event(events: events | EPOLLET.rawValue, data: epoll_data_t(u64: number))
            return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
        }

        /// Ends the present or the next wait.
        func ring() {
            var one: UInt64 = 1
            _ = write(bell, &one, MemoryLayout.size(ofValue: one))
        }

        /// Sleeps until something happens, at most for the time; for ever without one.
        func wait(for time: Duration?) -> [Event] {
            var events = [epoll_event](repeating: epoll_event(), count: 64)
            let count = epoll_wait(epoll, &events, Int32(events.count), time?.wholeMilliseconds ?? -1)
            guard count > 0 else { return [] }
            let gone = EPOLLHUP.rawValue | EPOLLERR.rawValue
            return events[..<Int(count)].filter { $0.data.u64 != Self.bellNumber }.map {
                Event(number: $0.data.u64, isGone: $0.events & gone != 0)
            }
        }
    }
#else
    @_spi(Baton) import BatonThreads

    /// A bell alone, where the system has no epoll: ends of connections are noticed by the daemon, when it looks at them.
    final class HTTPConnectionEvents: Sendable {
        /// What a client did.
        struct Event {
            var number: UInt64
            var isGone: Bool
        }

        private let bell = ThreadSemaphore()

        init() throws(HTTPServerError) {}

        func add(_ descriptor: Int32, number: UInt64) {}

        func remove(_ descriptor: Int32) {}

        /// Ends the present or the next wait.
        func ring() { bell.signal() }

        /// Sleeps until a ring, at most for the time; for ever without one.
        func wait(for time: Duration?) -> [Event] {
            guard let time else {
                bell.wait()
                return []
            }
            _ = bell.wait(for: time)
            return []
        }
    }
#endif
