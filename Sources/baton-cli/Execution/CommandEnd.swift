#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The way in which a command ends its process.
enum CommandEnd: Equatable {
    /// With an exit status.
    case status(Int32)
    /// As a signal of this number would have ended the process.
    ///
    /// A shell that runs commands in a loop stops at Ctrl-C only if the command dies of SIGINT: after an exit with 130 it goes on
    /// with the next one.
    case signal(Int32)

    /// The exit status, as shells tell it.
    var status: Int32 {
        switch self {
        case .status(let status): status
        case .signal(let number): ExitStatus.signal(number)
        }
    }

    /// Ends the process, without its exit handlers if a signal ends it.
    func endProcess() -> Never {
        guard case .signal(let number) = self else { exit(status) }
        raiseUnhandled(number)
        // The signal does not end processes.
        _exit(status)
    }
}

/// Sends a signal to this thread, with the signal's effect on a process that has never handled or blocked it.
private func raiseUnhandled(_ number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
}
