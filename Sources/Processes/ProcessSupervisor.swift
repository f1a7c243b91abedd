import Glibc
import Synchronization

/// Starts processes, each in a process group of its own, terminates them, and tells of their end.
///
/// One thread of its own does all of it and lives until `shutDown`: the kernel kills a process that was started
/// here when the *thread* that started it ends, and so when this program does, however that comes about.
///
/// An end is reported only once the whole process group is gone: what the leader leaves behind in its group is
/// killed. Only what moved to another session or group, as daemons do, escapes.
///
/// The closures are called on that thread: they must be quick and must not wait for anything.
public final class ProcessSupervisor: Sendable {
    private let mailbox: SupervisorMailbox
    private let thread: Mutex<pthread_t?>

    /// Starts the thread.
    ///
    /// It also ends the ignoring of SIGCHLD, which a parent may have left behind, as then the kernel would keep
    /// no exit status, and of signals for real time, which a launch takes for granted.
    ///
    /// - Parameters:
    ///   - openFiles: how many files its processes may have open; nil for as many as this one.
    ///   - groupFile: where it names the process groups that are running, if it shall.
    /// - Throws: `SystemFailure` if the system has no room for a thread or a descriptor.
    public init(openFiles: OpenFileLimit? = nil, groupFile: GroupFile? = nil) throws(SystemFailure) {
        let mailbox = try SupervisorMailbox()
        self.mailbox = mailbox
        thread = Mutex(
            try startThread(with: SupervisorLoop(mailbox: mailbox, openFiles: openFiles, groupFile: groupFile))
        )
    }

    deinit {
        // Nobody is left to join it, and this may be that thread itself.
        if let thread = thread.withLock({ $0 }) {
            mailbox.post(.shutDown)
            pthread_detach(thread)
        }
    }

    /// Starts a process, and returns at once.
    ///
    /// - Parameters:
    ///   - specification: What to run. A descriptor in it must stay open until one of the closures is called.
    ///   - token: What `terminate` calls it; no two processes that have not ended may share one.
    ///   - onStart: Called with the process's number, which is also that of its group, once its program runs.
    ///   - onEnd: Called exactly once: with its end after it has started, else with why it was not started. After
    ///     `shutDown` that is on the calling thread, before this returns.
    public func launch(
        _ specification: ProcessSpecification,
        token: UInt64,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in },
        onEnd: @escaping @Sendable (Result<ProcessExit, LaunchFailure>) -> Void
    ) {
        let launch = SupervisorMailbox.Launch(
            token: token,
            specification: specification,
            onStart: onStart,
            onEnd: onEnd
        )
        if !mailbox.post(.launch(launch)) { onEnd(.failure(.supervisorShutDown)) }
    }

    /// Asks a process group to end: SIGTERM, and SIGKILL for whatever is left of it after the grace.
    ///
    /// A launch that has not been carried out yet is called off, and reported as a failure. Asking again can only
    /// shorten the grace. A token that has ended, or was never launched, has no effect.
    ///
    /// - Parameters:
    ///   - token: As given to `launch`.
    ///   - grace: The time for it to end by itself; zero is SIGKILL at once, `nil` is for ever.
    public func terminate(_ token: UInt64, grace: Duration?) {
        mailbox.post(.terminate(token: token, grace: grace))
    }

    /// Does what `terminate` does to everything that has been launched until now.
    public func terminateAll(grace: Duration?) {
        mailbox.post(.terminateAll(grace: grace))
    }

    /// Kills everything, reports it, and returns once all of it is gone and the thread has ended.
    ///
    /// For a gentler end call `terminateAll` and wait for the reports first. Calling it again, or from a second
    /// thread, has no effect and does not wait. It must not be called from one of the closures.
    public func shutDown() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        mailbox.post(.shutDown)
        pthread_join(thread, nil)
    }
}
