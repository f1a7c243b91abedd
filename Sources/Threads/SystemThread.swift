import CBatonThreads

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Synchronization

/// A thread of the operating system that runs one body.
///
/// Code that blocks needs a thread of its own: the pools of Swift and Dispatch have few threads. The creation fails at once if
/// the system has no room for a thread; a pool would sleep and try again.
///
/// The thread blocks all signals, so that threads of the program that expect signals receive them.
@_spi(Baton) public final class SystemThread: Sendable {
    #if canImport(Darwin)
        private typealias Identifier = UInt
    #else
        private typealias Identifier = pthread_t
    #endif

    /// The thread; nil once a caller waits for its end.
    private let identifier: Mutex<Identifier?>

    /// Starts the thread; the thread goes on if this object is released.
    ///
    /// - Parameters:
    ///   - name: what tools such as top show of the thread, at most 15 bytes.
    ///   - body: runs once on the thread.
    /// - Throws: ``ThreadFailure`` if the system has no room for the thread.
    public init(named name: StaticString, _ body: sending @escaping () -> Void) throws(ThreadFailure) {
        // A thread inherits the signal mask of its creator.
        var blocked = sigset_t()
        var before = sigset_t()
        sigfillset(&blocked)
        // A fault of the thread raises these signals. Blocked, they would end the process without a backtrace.
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS] { sigdelset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let start = Unmanaged.passRetained(ThreadStart(name, body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { runThread($0) }, start.toOpaque())
            let created = UInt(bitPattern: thread)
        #else
            var created = pthread_t()
            let code = pthread_create(&created, nil, { runThread($0) }, start.toOpaque())
        #endif
        guard code == 0 else {
            start.release()
            throw ThreadFailure(code: code)
        }
        identifier = Mutex(created)
    }

    deinit {
        if let thread = identifier.withLock({ $0 }) { pthread_detach(Self.native(thread)) }
    }

    /// Starts a thread whose end no caller waits for.
    ///
    /// - Throws: ``ThreadFailure`` if the system has no room for the thread.
    public static func detach(
        named name: StaticString,
        _ body: sending @escaping () -> Void
    ) throws(ThreadFailure) {
        _ = try SystemThread(named: name, body)
    }

    /// Lets all threads of the host that have something to do go before the calling thread, and before those that it starts.
    ///
    /// The thread gets about a tenth of what another thread gets for which it competes (`setpriority(2)`). Only Linux knows the niceness of
    /// a thread; elsewhere nothing changes.
    public static func yieldToOthers() { cthreads_yield_to_others(10) }

    /// Has the process keep some MiB of freed memory, for threads that allocate and free large buffers all the time.
    ///
    /// Otherwise the system takes the pages of each such buffer back, and has to clear pages for the next one, which takes a fifth of
    /// the time of a transfer. Only the GNU C library can be told so; elsewhere nothing changes.
    public static func keepFreedMemory() { cthreads_keep_freed_memory() }

    /// Waits until the body has returned.
    ///
    /// A second call returns at once, and so does a call on the thread itself.
    public func join() {
        let taken = identifier.withLock { identifier -> Identifier? in
            guard let thread = identifier, pthread_equal(Self.native(thread), pthread_self()) == 0 else { return nil }
            identifier = nil
            return thread
        }
        if let taken { pthread_join(Self.native(taken), nil) }
    }

    #if canImport(Darwin)
        private static func native(_ thread: Identifier) -> pthread_t {
            // The number came from a created thread, so that it is no null pointer.
            pthread_t(bitPattern: thread) ?? pthread_self()
        }
    #else
        private static func native(_ thread: Identifier) -> pthread_t { thread }
    #endif
}

/// The body of a thread, on its way to the thread.
private final class ThreadStart {
    private let name: StaticString
    private let body: () -> Void

    init(_ name: StaticString, _ body: @escaping () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        if name.hasPointerRepresentation { cthreads_name(UnsafeRawPointer(name.utf8Start)) }
        body()
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
