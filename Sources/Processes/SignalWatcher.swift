import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells of SIGINT, SIGTERM and SIGHUP instead of letting them end the process.
///
/// It watches from the moment that it is made, and for as long as the process lives. A SIGHUP that was ignored already, as
/// under nohup(1), stays ignored.
public final class SignalWatcher: Sendable {
    private let sources: Mutex<[any DispatchSourceSignal]>

    /// Watches.
    ///
    /// - Parameter handler: called on a queue of its own with each signal's number, and with how many there have been.
    public init(_ handler: @escaping @Sendable (_ signal: Int32, _ count: Int) -> Void) {
        let queue = DispatchQueue(label: "signals")
        let counter = Counter()
        let signals = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }
        let sources = signals.map { number in
            #if canImport(Darwin)
                // Dispatch does not keep the signal from its default effect there.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number, counter.next()) }
            source.resume()
            return source
        }
        self.sources = Mutex(sources)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)

        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
}
