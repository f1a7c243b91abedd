import Glibc
import Synchronization

/// The reaping of processes that came to this process with the end of their parents.
@_spi(Baton) extension SupervisedProcesses {
    /// Whether this process is the first of a container, which gets the orphans of all others.
    public static var getsOrphans: Bool { getpid() == 1 }

    /// The time between two looks for orphans, each of which reads the table of all processes.
    static let orphansInterval: Duration = .seconds(1)

    /// Reaps the processes that have ended and that came to this process with the end of their parents.
    ///
    /// Unless this object starts all processes of the program, only processes of other process groups than the program's are reaped: the
    /// code that has started a process of its group reaps that process. While the program has a second ``SupervisedProcesses``, the call
    /// has no effect.
    public func reapOrphans() {
        // The zombies of failed launches are none.
        settleAll()
        // The lock keeps another object from its first launch meanwhile.
        Self.count.withLock { count in
            guard count == 1 else { return }
            let group = startsAll ? nil : getpgrp()
            for (process, status) in ProcessTable.zombies(of: getpid())
            where status.group != group && groups[process] == nil {
                waitpid(process, nil, WNOHANG)
            }
        }
    }
}
