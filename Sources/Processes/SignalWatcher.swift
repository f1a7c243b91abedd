import CBatonSpawn
import Glibc
@_spi(Baton) import BatonThreads

/// Reports signals, by default SIGINT, SIGTERM and SIGHUP, which then no longer have their effects on the process.
///
/// A watcher works from its creation until the end of the process; the last watcher created for a signal gets the reports. A
/// SIGHUP that was ignored already, as under nohup(1), stays ignored, and so do SIGINT and SIGQUIT, as in the background of a
/// script. The watcher needs no thread but its own: a process that cannot create more threads can still be ended.
@_spi(Baton) public final class SignalWatcher: Sendable {
    /// The signals that ask a process to end.
    public static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// Starts the watch; if the system has no room for a thread or a pipe, the signals keep their effects.
    ///
    /// - Parameters:
    ///   - signals: the numbers of the signals to report.
    ///   - handler: called on the watcher's own thread with each signal's number, and with the count of signals so far.
    public init(
        of signals: [Int32] = endings,
        _ handler: @escaping @Sendable (_ signal: Int32, _ count: Int) -> Void
    ) {
        let signals = signals.filter { ![SIGHUP, SIGINT, SIGQUIT].contains($0) || !Self.isIgnored($0) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (bell, telling) = (ends[0], ends[1])
        do {
            try SystemThread.detach(named: "signals") {
                Self.unblock(signals)
                var count = 0
                var number: UInt8 = 0
                while true {
                    let length = read(bell, &number, 1)
                    guard length == 1 || length < 0 && errno == EINTR else { return }
                    guard length == 1 else { continue }
                    count += 1
                    handler(Int32(number), count)
                }
            }
        } catch {
            for end in ends { close(end) }
            return
        }
        for number in signals { cspawn_watch_signal(number, telling) }
    }

    /// Lets signals reach the calling thread, since all other threads may block them.
    private static func unblock(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Whether a signal has no effect on the process.
    public static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
