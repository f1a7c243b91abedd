import Glibc

/// What the kernel knows of a child of this process, and of the process group with the number of the child.
enum ChildProcess {
    /// Whether a process that was not reaped has ended.
    static func hasEnded(_ process: pid_t) -> Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        return waitid(P_PID, id_t(process), &information, options) == 0
            && information._sifields._sigchld.si_pid == process
    }

    /// Waits for the end of a process, and lets its number go.
    static func reap(_ process: pid_t) -> (ProcessEnd, ProcessUsage) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { return (.unknown, ProcessUsage()) }
        }
        return (ProcessEnd(waitStatus: status), ProcessUsage(usage))
    }

    /// Whether a group whose leader has been reaped still has members.
    static func hasMembers(_ process: pid_t) -> Bool {
        func exists() -> Bool { kill(-process, 0) == 0 || errno != ESRCH }
        guard exists() else { return false }
        // Orphans come to this process if it is the first of a container, and so has to reap them.
        while wait4(-process, nil, WNOHANG, nil) > 0 {}
        return exists()
    }
}
