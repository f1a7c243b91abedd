import Glibc

/// Processes that one thread starts and watches, each in a process group of its own.
///
/// It has no thread and never sleeps unasked: sleep until ``descriptor`` is readable or ``timeUntilDue`` is over, then
/// call ``startNext()`` and ``takeEvents(waitingAtMost:)``. All of it belongs to one thread, and to one that lives as long as
/// the processes shall: the kernel kills them when the *thread* that started them ends, and so when this program does,
/// however that comes about. ``ProcessSupervisor`` is one that has a thread of its own.
///
/// An end is reported only once the whole process group is gone: what the leader leaves behind in its group is killed.
/// Only what moved to another session or group, as daemons do, escapes.
public final class SupervisedProcesses {
    /// What became of a process.
    public enum Event: Sendable {
        /// Its program runs, and it has its own copies of its descriptors. The number is also that of its group.
        case started(token: UInt64, process: Int32)
        /// It has ended after it was started, or was not started; comes once for each launch.
        case ended(token: UInt64, Result<ProcessExit, LaunchFailure>)
    }

    private var waitSet: WaitSet
    private let null: Descriptor
    private let groupFile: GroupFile?
    private var launcher: Launcher

    private var pending = LaunchQueue()
    private var groups: [pid_t: SupervisedGroup] = [:]
    private var processes: [UInt64: pid_t] = [:]
    private var events: [Event] = []
    /// Nothing has to be done before then: kept lazily, so it may be too early.
    private var nextDue: MonotonicTime?
    private var isShutDown = false

    /// Watches nothing yet.
    ///
    /// It also ends the ignoring of SIGCHLD, which a parent may have left behind, as then the kernel would keep no exit
    /// status, and of signals for real time, which a launch takes for granted.
    ///
    /// - Parameters:
    ///   - openFiles: how many files its processes may have open; nil for as many as this one.
    ///   - groupFile: where it names the process groups that are running, if it shall.
    /// - Throws: `SystemFailure` if the system has no descriptor left.
    public init(openFiles: OpenFileLimit? = nil, groupFile: GroupFile? = nil) throws(SystemFailure) {
        for number in [SIGCHLD] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax()) {
            var action = sigaction()
            if sigaction(number, nil, &action) == 0, action.isIgnored { signal(number, SIG_DFL) }
        }
        self.groupFile = groupFile
        waitSet = try WaitSet()
        let number = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("cannot open \"/dev/null\"") }
        null = Descriptor(owning: number)
        launcher = Launcher(null: number, openFiles: openFiles)
    }

    /// Readable when a process has ended.
    public var descriptor: Int32 { waitSet.descriptor }

    /// How long nothing has to be done unless a process ends; nil for ever, zero while there is something to do at once.
    public var timeUntilDue: Duration? {
        pending.isEmpty && events.isEmpty ? nextDue.map { $0.timeFromNow() } : .zero
    }

    /// Whether no process is left, and none is going to be started.
    public var isEmpty: Bool { groups.isEmpty && pending.isEmpty }

    /// Ends the sleep of ``takeEvents(waitingAtMost:)`` when `bell`, an eventfd, is written to.
    func listen(to bell: Int32) throws(SystemFailure) {
        try waitSet.add(bell: bell)
    }

    /// Puts the file that names the process groups in its place again, where somebody has removed it.
    public func restoreGroupFile() { groupFile?.restore() }

    /// Has a process started by a coming ``startNext()``.
    ///
    /// - Parameters:
    ///   - specification: what to run. A descriptor in it must stay open until an event names the token.
    ///   - token: what it is called; no two that have not ended may share one.
    public func launch(_ specification: ProcessSpecification, token: UInt64) {
        guard !isShutDown else { return end(token, .failure(.supervisorShutDown)) }
        pending.append(LaunchQueue.Launch(token: token, specification: specification))
    }

    /// Asks a process group to end: SIGTERM, and SIGKILL for whatever is left of it after the grace.
    ///
    /// A launch that has not been carried out yet is called off, and reported as a failure. Asking again can only shorten
    /// the grace. A token that has ended, or was never launched, has no effect.
    ///
    /// - Parameters:
    ///   - token: as given to `launch`.
    ///   - grace: the time for it to end by itself; zero is SIGKILL at once, nil is for ever.
    public func terminate(_ token: UInt64, grace: Duration?) {
        if let process = processes[token] {
            terminate(process, grace: grace, cause: .request)
        } else if pending.remove(token: token) {
            end(token, .failure(.terminatedBeforeStart))
        }
    }

    /// Stops a process group until ``resume(_:)``, or until it is asked to end.
    ///
    /// A token that has ended, or whose process has not started, has no effect.
    public func pause(_ token: UInt64) { send(SIGSTOP, to: token) }

    /// Lets a stopped process group go on.
    public func resume(_ token: UInt64) { send(SIGCONT, to: token) }

    private func send(_ signal: Int32, to token: UInt64) {
        guard let process = processes[token], case .running? = groups[process]?.phase else { return }
        kill(-process, signal)
    }

    /// Does what `terminate` does to everything that has been launched until now.
    public func terminateAll(grace: Duration?) {
        callOffPending(.terminatedBeforeStart)
        for process in Array(groups.keys) { terminate(process, grace: grace, cause: .request) }
    }

    /// Kills everything, and refuses what is launched from now on; events are to be taken until ``isEmpty``.
    public func shutDown() {
        isShutDown = true
        callOffPending(.supervisorShutDown)
        for process in Array(groups.keys) { terminate(process, grace: .zero, cause: .request) }
    }

    /// Starts the process that has waited for it longest.
    ///
    /// One at a time: that takes long enough for others to end meanwhile, or for launches to be called off.
    ///
    /// - Returns: what became of the launch; nil where none waits.
    public func startNext() -> Event? {
        pending.popFirst().map { start($0) }
    }

    /// Takes note of processes that have ended, and does what is due.
    ///
    /// - Parameter limit: how long to sleep if there is nothing to do; nil for ever.
    /// - Returns: what became of processes, here or since the last time.
    public func takeEvents(waitingAtMost limit: Duration? = .zero) -> [Event] {
        var ended: [pid_t] = []
        waitSet.wait(milliseconds: patience(limit)) { ended.append($0) }
        for process in ended { leaderEnded(process) }
        if let due = nextDue, due <= .now { handleExpiredTimers() }
        defer { events = [] }
        return events
    }

    /// How long to sleep, in milliseconds; -1 for ever.
    private func patience(_ limit: Duration?) -> Int32 {
        guard pending.isEmpty, events.isEmpty else { return 0 }
        let due = nextDue?.millisecondsFromNow()
        guard let limit else { return due ?? -1 }
        let most = (MonotonicTime.now + limit).millisecondsFromNow()
        return min(due ?? most, limit <= .zero ? 0 : most)
    }

    private func end(_ token: UInt64, _ end: Result<ProcessExit, LaunchFailure>) {
        events.append(.ended(token: token, end))
    }

    private func callOffPending(_ failure: LaunchFailure) {
        while let launch = pending.popFirst() { end(launch.token, .failure(failure)) }
    }

    private func start(_ launch: LaunchQueue.Launch) -> Event {
        let started: Launcher.Started
        let place = groupFile?.reserve()
        do throws(LaunchFailure) {
            started = try launcher.start(launch.specification) { [groupFile] request in
                if let place { groupFile?.prepare(&request, at: place) }
            }
        } catch {
            if let place { groupFile?.erase(place) }
            return .ended(token: launch.token, .failure(error))
        }
        let process = started.process
        guard waitSet.add(process, pidfd: started.descriptor) else {
            // Without a word of its end it could not be supervised, so it must not run.
            let failure = SystemFailure("cannot watch the process of \"\(launch.specification.arguments[0])\"")
            kill(-process, SIGKILL)
            close(started.descriptor)
            _ = reap(process)
            if let place { groupFile?.erase(place) }
            var reason = LaunchFailure(.resources, code: failure.code, failure.description)
            reason.hasRun = true
            return .ended(token: launch.token, .failure(reason))
        }
        let timeoutAt = launch.specification.timeout.map { MonotonicTime.now + $0 }
        groups[process] = SupervisedGroup(
            process: process,
            token: launch.token,
            timeoutGrace: launch.specification.timeoutGrace,
            placeInFile: place,
            phase: .running(pidfd: started.descriptor),
            timeoutAt: timeoutAt
        )
        processes[launch.token] = process
        note(due: timeoutAt)
        return .started(token: launch.token, process: process)
    }

    private func note(due: MonotonicTime?) {
        guard let due else { return }
        nextDue = min(nextDue ?? due, due)
    }
}

// MARK: - Terminating

extension SupervisedProcesses {
    private enum TerminationCause {
        case request
        case timeout
    }

    /// Asks a group to end, or asks it more urgently than before.
    private func terminate(_ process: pid_t, grace: Duration?, cause: TerminationCause) {
        guard var group = groups[process] else { return }
        if case .draining = group.phase { return }
        if case .running = group.phase, group.termination == .none {
            // Of one that has ended, and of which that is only still to be heard, nothing more can be asked.
            guard !Self.hasEnded(process) else { return }
            switch cause {
            case .request: group.terminated = true
            case .timeout: group.timedOut = true
            }
        }
        group.timeoutAt = nil
        let killAt = grace.map { MonotonicTime.now + $0 }
        switch group.termination {
        case .none:
            if let grace, grace <= .zero {
                kill(-process, SIGKILL)
                group.termination = .killed
            } else {
                kill(-process, SIGTERM)
                // A stopped process would take the signal only once it was continued.
                kill(-process, SIGCONT)
                group.termination = .asked(killAt: killAt)
            }
        case .asked(let before):
            group.termination = .asked(killAt: [before, killAt].compactMap { $0 }.min())
        case .killed:
            break
        }
        groups[process] = group
        note(due: group.dueAt)
    }

    private func handleExpiredTimers() {
        let now = MonotonicTime.now
        // One look at the machine serves all groups that are waited for.
        var livingGroups: Set<pid_t>??
        func isEmpty(_ process: pid_t) -> Bool {
            if livingGroups == nil { livingGroups = .some(ProcessTable.livingGroups()) }
            guard let living = livingGroups ?? nil else { return true }
            return !living.contains(process)
        }
        nextDue = nil
        for (process, group) in groups {
            if let due = group.dueAt, due <= now {
                attend(to: process, now: now, isEmpty: isEmpty)
            }
            note(due: groups[process]?.dueAt)
        }
    }

    private func attend(to process: pid_t, now: MonotonicTime, isEmpty: (pid_t) -> Bool) {
        guard var group = groups[process] else { return }
        if let timeoutAt = group.timeoutAt, timeoutAt <= now {
            return terminate(process, grace: group.timeoutGrace, cause: .timeout)
        }
        if case .asked(let killAt?) = group.termination, killAt <= now {
            kill(-process, SIGKILL)
            group.termination = .killed
            groups[process] = group
            if case .windingDown = group.phase { killRestAndReap(process) }
            return
        }
        guard let lookAt = group.lookAt, lookAt <= now else { return }
        switch group.phase {
        case .running:
            return
        case .windingDown:
            if isEmpty(process) { return killRestAndReap(process) }
        case .draining(let exit):
            // The dead whom nobody reaps count as members for kill(2), so `/proc` decides if it takes long.
            let isGone = !Self.hasMembers(process) || (group.lookInterval >= .milliseconds(16) && isEmpty(process))
            if isGone { return report(group, exit) }
        }
        group.lookLater(than: now)
        groups[process] = group
    }
}

// MARK: - Ending

extension SupervisedProcesses {
    private func leaderEnded(_ process: pid_t) {
        guard var group = groups[process], case .running(let pidfd) = group.phase else { return }
        close(pidfd)
        group.timeoutAt = nil
        if case .asked = group.termination {
            // A shell dies of SIGTERM at once, while what it started may need its time to tidy up.
            group.phase = .windingDown
            group.lookAt = .now
            groups[process] = group
            note(due: group.lookAt)
        } else {
            groups[process] = group
            killRestAndReap(process)
        }
    }

    /// Ends what the leader left behind, and then the leader's zombie.
    ///
    /// In this order, since the zombie keeps the number from being given to somebody else.
    private func killRestAndReap(_ process: pid_t) {
        guard var group = groups[process] else { return }
        kill(-process, SIGKILL)
        let (end, usage) = reap(process)
        let exit = ProcessExit(end: end, usage: usage, timedOut: group.timedOut, terminated: group.terminated)
        guard Self.hasMembers(process) else { return report(group, exit) }
        group.phase = .draining(exit)
        group.termination = .killed
        group.lookInterval = SupervisedGroup.firstLookInterval
        group.lookLater(than: .now)
        groups[process] = group
        note(due: group.lookAt)
    }

    /// Whether a process that was not reaped has ended.
    private static func hasEnded(_ process: pid_t) -> Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        return waitid(P_PID, id_t(process), &information, options) == 0
            && information._sifields._sigchld.si_pid == process
    }

    private func reap(_ process: pid_t) -> (ProcessEnd, ProcessUsage) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { return (.unknown, ProcessUsage()) }
        }
        return (ProcessEnd(waitStatus: status), ProcessUsage(usage))
    }

    /// Whether a group whose leader has been reaped has anybody left in it.
    private static func hasMembers(_ process: pid_t) -> Bool {
        func exists() -> Bool { kill(-process, 0) == 0 || errno != ESRCH }
        guard exists() else { return false }
        // Orphans come to this process if it is the first of a container: then it is the one to reap them.
        while wait4(-process, nil, WNOHANG, nil) > 0 {}
        return exists()
    }

    private func report(_ group: SupervisedGroup, _ exit: ProcessExit) {
        groups[group.process] = nil
        processes[group.token] = nil
        if let place = group.placeInFile { groupFile?.erase(place) }
        end(group.token, .success(exit))
    }
}

extension sigaction {
    /// Whether it says to ignore the signal.
    fileprivate var isIgnored: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
