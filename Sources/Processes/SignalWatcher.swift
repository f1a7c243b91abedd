import CBatonSpawn
import Glibc

/// Tells of SIGINT, SIGTERM and SIGHUP instead of letting them end the process.
///
/// It watches from the moment that it is made, and for as long as the process lives; the last one that is made is told. A SIGHUP
/// that was ignored already, as under nohup(1), stays ignored. It needs no other thread than its own: a process that may make no
/// more of them can still be ended.
public final class SignalWatcher: Sendable {
    /// Watches; where the system has no room for a thread or a pipe, the signals keep their effects.
    ///
    /// - Parameter handler: called on a thread of its own with each signal's number, and with how many there have been.
    public init(_ handler: @escaping @Sendable (_ signal: Int32, _ count: Int) -> Void) {
        let signals = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !Self.isIgnored($0) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (bell, telling) = (ends[0], ends[1])
        do {
            try startOwnThread {
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

    /// Lets signals reach the calling thread: all others may block them.
    private static func unblock(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
