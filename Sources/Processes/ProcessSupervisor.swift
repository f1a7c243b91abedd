import Glibc
@_spi(Baton) import BatonThreads

/// Starts processes, each in a process group of its own, terminates them, and reports their ends.
///
/// A separate thread does all of the work and lives until `shutDown`: the kernel kills a started process when the
/// *thread* that started it ends, and so when this program ends for any reason, unless the process is to outlive its starter.
///
/// The supervisor reports an end only once the whole process group is gone: processes that the leader leaves behind in
/// its group are killed. Only processes that moved to another session or group, as daemons do, escape.
///
/// The closures are called on the supervisor's thread: they must be quick and must not wait for anything.
@_spi(Baton) public final class ProcessSupervisor: Sendable {
    private let mailbox: SupervisorMailbox
    private let thread: SystemThread

    /// Starts the thread.
    ///
    /// The call also resets signals that a parent may have left ignored: SIGCHLD, since the kernel would keep no exit
    /// status, and the real-time signals, since a launch expects their default.
    ///
    /// - Parameters:
    ///   - openFiles: the maximum number of open files of each process; nil for the limit of this process.
    ///   - groupFile: the file for the names of running process groups, if any.
    ///   - startsAll: whether no other code of this program starts processes, so that any other child is an orphan.
    /// - Throws: `SystemFailure` if the system has no room for a thread or a descriptor.
    public init(
        openFiles: OpenFileLimit? = nil,
        groupFile: GroupFile? = nil,
        startsAll: Bool = false
    ) throws(SystemFailure) {
        mailbox = SupervisorMailbox(bell: try EventBell())
        let loop = try SupervisorLoop(
            mailbox: mailbox,
            openFiles: openFiles,
            groupFile: groupFile,
            startsAll: startsAll
        )
        do {
            thread = try SystemThread(named: "processes") { loop.run() }
        } catch {
            throw SystemFailure("cannot start a thread for the supervisor of processes", code: error.code)
        }
    }

    deinit {
        // No caller remains to join the thread, and the supervisor's thread itself may run this.
        mailbox.close(with: .shutDown)
    }

    /// Starts a process, and returns at once.
    ///
    /// - Parameters:
    ///   - specification: The program to run. A descriptor in it must stay open until a closure is called.
    ///   - token: The name for `terminate`; processes that have not ended must have different tokens.
    ///   - onStart: Called once the program runs, or waits for a writer of its standard input, with the number of the process, also the
    ///     number of its group.
    ///   - onEnd: Called exactly once: with the end of a program that has run, else with the reason for the failed start, which a
    ///     program that waited for a writer has after `onStart`.
    ///     After `shutDown`, the calling thread calls `onEnd` before `launch` returns.
    public func launch(
        _ specification: ProcessSpecification,
        token: UInt64,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in },
        onEnd: @escaping @Sendable (Result<ProcessExit, LaunchFailure>) -> Void
    ) {
        let launch = SupervisorLetter.Launch(
            token: token,
            specification: specification,
            onStart: onStart,
            onEnd: onEnd
        )
        if !mailbox.post(.launch(launch)) { onEnd(.failure(.supervisorShutDown)) }
    }

    /// Asks a process group to end: its stop signal, then SIGKILL for the remaining processes after the grace.
    ///
    /// A launch that has not been carried out yet is called off, and reported as a failure. A further call can only
    /// shorten the grace. A token whose process has ended, or was never launched, has no effect.
    ///
    /// - Parameters:
    ///   - token: The token given to `launch`.
    ///   - grace: The time for the group to end by itself; zero is SIGKILL at once, `nil` is for ever.
    public func terminate(_ token: UInt64, grace: Duration?) {
        mailbox.post(.terminate(token: token, grace: grace))
    }

    /// Terminates all processes launched until now, as `terminate` does.
    public func terminateAll(grace: Duration?) {
        mailbox.post(.terminateAll(grace: grace))
    }

    /// Reaps all orphans that come to this process, from now on, if it is the first of a container.
    ///
    /// Call it once. SIGCHLD no longer has its default action then.
    public func reapOrphans() {
        guard SupervisedProcesses.getsOrphans else { return }
        _ = SignalWatcher(of: [SIGCHLD]) { [mailbox] _, _ in mailbox.post(.reapOrphans) }
        mailbox.post(.reapOrphans)
    }

    /// Kills all processes, reports their ends, and returns once all are gone and the thread has ended.
    ///
    /// For a gentler end, call `terminateAll` and wait for the reports first. A second call, also from another thread,
    /// has no effect and does not wait. Do not call it from a closure.
    public func shutDown() {
        mailbox.close(with: .shutDown)
        thread.join()
    }
}
