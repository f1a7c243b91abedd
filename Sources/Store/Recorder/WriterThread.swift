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
/// No task of a concurrency pool may block in `fsync`: a pool has few threads, meant for work that never blocks.
final class WriterThread: Sendable {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    #if canImport(Darwin)
        private typealias Identifier = UInt
    #else
        private typealias Identifier = pthread_t
    #endif

    /// The thread; nil once another thread waits for its end.
    private let identifier: Mutex<Identifier?>

    /// Starts the thread.
    ///
    /// - Throws: ``StoreError`` if the system has no thread left.
    init(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
        let start = Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { WriterThread.run($0) }, start.toOpaque())
            let created = UInt(bitPattern: thread)
        #else
            var created = pthread_t()
            let code = pthread_create(&created, nil, { WriterThread.run($0) }, start.toOpaque())
        #endif
        guard code == 0 else {
            start.release()
            throw StoreError(.other, "The system gives no thread for the record: \(String(cString: strerror(code))).")
        }
        identifier = Mutex(created)
    }

    deinit {
        if let thread = identifier.withLock({ $0 }) { pthread_detach(Self.native(thread)) }
    }

    /// Waits until the body has returned; returns at once the second time, and from the thread itself.
    func join() {
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

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
    }
}
