import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Output {
    /// Ends the process, as its next write would, as soon as nobody can read its standard output any more: for commands that
    /// may have nothing to write for long.
    static func leaveWhenUnread() {
        Thread.detachNewThread {
            // No event is asked for: the end of the other side is told all the same, and nothing else.
            var standardOutput = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while true {
                let count = poll(&standardOutput, 1, -1)
                if count > 0 { _exit(ExitStatus.signal(SIGPIPE)) }
                guard count < 0, errno == EINTR else { return }
            }
        }
    }
}
