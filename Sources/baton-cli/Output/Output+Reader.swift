@_spi(Baton) import BatonThreads

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension Output {
    /// Ends the process as soon as standard output has no reader, as a failed write does.
    ///
    /// The method is for commands with long pauses between two writes.
    static func leaveWhenUnread() {
        // Without room for the thread, the command ends with its next write.
        try? SystemThread.detach(named: "output") {
            // The request names no events, so `poll` reports only a hang-up or an error of the descriptor.
            var standardOutput = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while true {
                let count = poll(&standardOutput, 1, -1)
                if count > 0 { CommandEnd.signal(SIGPIPE).endProcess() }
                guard count < 0, errno == EINTR else { return }
            }
        }
    }
}
