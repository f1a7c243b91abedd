import CBatonSpawn
import Glibc
import Synchronization

/// Processes that a thread starts and watches, each in a process group of its own.
///
/// The class has no thread and never sleeps unasked: sleep until ``descriptor`` is readable or ``timeUntilDue`` is
/// over, then call ``startNext()`` or ``beginNext()``, and ``takeEvents(waitingAtMost:)``. Use an instance on a single thread that lives
/// as long as the processes shall: the kernel kills the processes when the *thread* that started them ends, and so
/// when this program ends for any reason, unless they are to outlive it. ``ProcessSupervisor`` has a thread of its own.
///
/// An end is reported only once the whole process group is gone: processes that the leader leaves behind in its group
/// are killed. Only processes that moved to another session or group, as daemons do, escape.
@_spi(Baton) public final class SupervisedProcesses {
    /// A change of a process.
    public enum Event: Sendable {
        /// The program runs, or waits for a writer of its standard input, with its own copies of its descriptors; `process` is also the
        /// number of its group.
        case started(token: UInt64, process: Int32)
        /// The process has ended, or was not started; reported once for each launch.
        ///
        /// A program that cannot be run after the wait for a writer is a failed launch too, with ``LaunchFailure/followsStart``.
        case ended(token: UInt64, Result<ProcessExit, LaunchFailure>)
    }

    private var waitSet: WaitSet
    private let null: Descriptor
    private let groupFile: GroupFile?
    private var launcher: Launcher
    private var memory: LimitedMemory

    private var pending = LaunchQueue()
    private var underWay = LaunchesUnderWay()
    private var groups: [pid_t: SupervisedGroup] = [:]
    private var processes: [UInt64: pid_t] = [:]
    private var events: [Event] = []
    /// No action is due before this time; updated lazily, so possibly too early.
    private var nextDue: MonotonicTime?
    private var isShutDown = false
    /// The time of the next look for orphans; nil unless this process gets those of others.
    private var orphansLookAt: MonotonicTime?
    /// Whether no other code of this program starts processes.
    private let startsAll: Bool
    /// The number of these objects in this process.
    private static let count = Mutex(0)

    /// Whether this process is the first of a container, which gets the orphans of all others.
    public static var getsOrphans: Bool { getpid() == 1 }

    /// The time between two looks for orphans, each of which reads the table of all processes.
    private static let orphansInterval: Duration = .seconds(1)

    /// Creates an empty set of processes.
    ///
    /// The call also resets signals that a parent may have left ignored: SIGCHLD, since the kernel would keep no exit
    /// status, and the real-time signals, since a launch expects their default.
    ///
    /// - Parameters:
    ///   - openFiles: the maximum number of open files of each process; nil for the limit of this process.
    ///   - groupFile: the file for the names of running process groups, if any.
    ///   - memoryGroups: the control groups for limits of memory; nil to look at the memory of processes at intervals.
    ///   - startsAll: whether no other code of this program starts processes, so that any other child is an orphan.
    /// - Throws: `SystemFailure` if the system has no descriptor left.
    public init(
        openFiles: OpenFileLimit? = nil,
        groupFile: GroupFile? = nil,
        memoryGroups: MemoryGroups? = nil,
        startsAll: Bool = false
    ) throws(SystemFailure) {
        for number in [SIGCHLD] + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax()) {
            var action = sigaction()
            if sigaction(number, nil, &action) == 0, action.isIgnored { signal(number, SIG_DFL) }
        }
        if Self.getsOrphans { (orphansLookAt, nextDue) = (.now, .now) }
        self.groupFile = groupFile
        self.startsAll = startsAll
        memory = LimitedMemory(groups: memoryGroups)
        waitSet = try WaitSet()
        let number = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("cannot open \"/dev/null\"") }
        null = Descriptor(owning: number)
        launcher = Launcher(null: number, openFiles: openFiles)
        Self.count.withLock { $0 += 1 }
    }

    deinit {
        Self.count.withLock { $0 -= 1 }
    }

    /// Readable when a process has ended.
    public var descriptor: Int32 { waitSet.descriptor }

    /// The time until the next action if no process ends; nil without such an action, zero if an action is due.
    public var timeUntilDue: Duration? {
        pending.isEmpty && events.isEmpty ? dueAt.map { $0.timeFromNow() } : .zero
    }

    /// The time of the next action if no process ends; nil without such an action.
    private var dueAt: MonotonicTime? {
        guard let lookAt = underWay.lookAt else { return nextDue }
        return nextDue.map { min($0, lookAt) } ?? lookAt
    }

    /// Whether no process is left, and no launch is pending.
    public var isEmpty: Bool { groups.isEmpty && pending.isEmpty && underWay.isEmpty }

    /// Ends the sleep of ``takeEvents(waitingAtMost:)`` on a write to `bell`, an eventfd.
    func listen(to bell: Int32) throws(SystemFailure) {
        try waitSet.add(bell: bell)
    }

    /// Creates the file that names the process groups again, if the file was removed.
    public func restoreGroupFile() {
        guard let groupFile else { return }
        // Their processes write into the file until then.
        settleAll()
        groupFile.restore()
    }

    /// Queues a process for a later ``startNext()`` or ``beginNext()``.
    ///
    /// - Parameters:
    ///   - specification: the program to run. A descriptor in it must stay open until ``beginNext()`` or an event names the token.
    ///   - token: the name of the process; processes that have not ended must have different tokens.
    ///   - settlesAtOnce: whether no other process is started before it is known whether the program was executed.
    public func launch(_ specification: ProcessSpecification, token: UInt64, settlesAtOnce: Bool = false) {
        guard !isShutDown else { return end(token, .failure(.supervisorShutDown)) }
        if let limit = specification.memoryLimit { memory.expect(limit) }
        pending.append(LaunchQueue.Launch(token: token, specification: specification, settlesAtOnce: settlesAtOnce))
    }

    /// Asks a process group to end: its stop signal, then SIGKILL for the remaining processes after the grace.
    ///
    /// A launch that has not been carried out yet is called off, and reported as a failure. A further call can only
    /// shorten the grace. A token whose process has ended, or was never launched, has no effect.
    ///
    /// - Parameters:
    ///   - token: the token given to `launch`.
    ///   - grace: the time for the group to end by itself; zero is SIGKILL at once, nil is for ever.
    public func terminate(_ token: UInt64, grace: Duration?) {
        settle(token)
        if let process = processes[token] {
            terminate(process, grace: grace, cause: .request)
        } else if let launch = pending.remove(token: token) {
            callOff(launch, .terminatedBeforeStart)
        }
    }

    /// Stops a process group until ``resume(_:)``, or until its termination.
    ///
    /// A token whose process has ended, or has not started, has no effect.
    public func pause(_ token: UInt64) { send(SIGSTOP, to: token) }

    /// Continues a stopped process group.
    public func resume(_ token: UInt64) { send(SIGCONT, to: token) }

    /// Sends a signal to a process group.
    ///
    /// A token whose process has ended, or has not started, has no effect.
    public func deliver(_ signal: Int32, to token: UInt64) { send(signal, to: token) }

    /// Lets the timeout of a process stand still until ``continueTimeout(of:)``.
    ///
    /// A token whose process has ended, has not started, is being ended or has no timeout has no effect.
    public func holdTimeout(of token: UInt64) {
        settle(token)
        guard let process = processes[token], let timeoutAt = groups[process]?.timeoutAt else { return }
        groups[process]?.timeoutAt = nil
        groups[process]?.timeoutLeft = timeoutAt.timeFromNow()
    }

    /// Continues the timeout of a process.
    public func continueTimeout(of token: UInt64) {
        guard let process = processes[token], var group = groups[process], let left = group.timeoutLeft else { return }
        group.timeoutLeft = nil
        if case .running = group.phase, group.termination == .none { group.timeoutAt = MonotonicTime.now + left }
        groups[process] = group
        note(due: group.timeoutAt)
    }

    /// The signals that keep a process of running groups stopped, by the tokens of the groups.
    ///
    /// The cost is some microseconds for each process of the machine.
    public func signalsOfStops() -> [UInt64: Int32] {
        var signals: [UInt64: Int32] = [:]
        for (process, signal) in ProcessTable.stops() {
            guard let group = groups[process], case .running = group.phase else { continue }
            signals[group.token] = signal
        }
        return signals
    }

    private func send(_ signal: Int32, to token: UInt64) {
        settle(token)
        guard let process = processes[token], case .running? = groups[process]?.phase else { return }
        kill(-process, signal)
    }

    /// Terminates all processes launched until now, as `terminate` does.
    public func terminateAll(grace: Duration?) {
        callOffPending(.terminatedBeforeStart)
        settleAll()
        for process in Array(groups.keys) { terminate(process, grace: grace, cause: .request) }
    }

    /// Kills all processes, and refuses further launches; take events until ``isEmpty``.
    public func shutDown() {
        isShutDown = true
        callOffPending(.supervisorShutDown)
        settleAll()
        for process in Array(groups.keys) { terminate(process, grace: .zero, cause: .request) }
    }

    /// Starts the process that has waited longest.
    ///
    /// A call starts a single process, since a start takes long enough for others to end meanwhile, or for launches to
    /// be called off.
    ///
    /// - Returns: the outcome of the launch; nil if no launch waits.
    public func startNext() -> Event? {
        guard let launch = pending.popFirst() else { return nil }
        do throws(LaunchFailure) {
            return settle(try begin(launch), isWatched: false)
        } catch {
            return failed(launch, error)
        }
    }

    /// Starts the process that has waited longest, and returns before the process has executed its program, if it can.
    ///
    /// The outcome comes with ``takeEvents(waitingAtMost:)``: at the latest when the process has ended, else some milliseconds after the
    /// program was executed.
    ///
    /// - Returns: the token of the process, which has its own copies of its descriptors; nil if no launch waits.
    public func beginNext() -> UInt64? {
        settleKnown()
        guard let launch = pending.popFirst() else { return nil }
        do throws(LaunchFailure) {
            let begun = try begin(launch)
            let process = begun.begun
            if process.isUnderWay, !launch.settlesAtOnce, waitSet.add(process.process, pidfd: process.descriptor) {
                underWay.append(begun)
            } else {
                events.append(settle(begun, isWatched: false))
            }
        } catch {
            events.append(failed(launch, error))
        }
        return launch.token
    }

    /// Takes note of ended processes, and carries out due actions.
    ///
    /// - Parameter limit: how long to sleep without anything to do; nil for ever.
    /// - Returns: the events since the last call.
    public func takeEvents(waitingAtMost limit: Duration? = .zero) -> [Event] {
        var ended: [pid_t] = []
        waitSet.wait(milliseconds: patience(limit)) { ended.append($0) }
        for process in ended { leaderEnded(process) }
        settleKnown()
        if let due = nextDue, due <= .now { handleExpiredTimers() }
        defer { events = [] }
        return events
    }

    /// How long to sleep, in milliseconds; -1 for ever.
    private func patience(_ limit: Duration?) -> Int32 {
        guard pending.isEmpty, events.isEmpty, limit.map({ $0 > .zero }) ?? true else { return 0 }
        let due = dueAt?.millisecondsFromNow()
        guard let limit else { return due ?? -1 }
        let most = (MonotonicTime.now + limit).millisecondsFromNow()
        return min(due ?? most, most)
    }

    private func end(_ token: UInt64, _ end: Result<ProcessExit, LaunchFailure>) {
        events.append(.ended(token: token, end))
    }

    private func callOffPending(_ failure: LaunchFailure) {
        while let launch = pending.popFirst() { callOff(launch, failure) }
    }

    private func callOff(_ launch: LaunchQueue.Launch, _ failure: LaunchFailure) {
        if let limit = launch.specification.memoryLimit { memory.remove(nil, from: limit) }
        end(launch.token, .failure(failure))
    }

    /// The bytes of memory within which each program can be started, with the longest arguments and its tables of pages.
    private static let memoryForAnyStart: Int64 = 16 << 20

    /// Starts a process.
    private func begin(_ launch: LaunchQueue.Launch) throws(LaunchFailure) -> LaunchesUnderWay.Element {
        let place = groupFile?.reserve()
        let memoryLimit = launch.specification.memoryLimit
        do throws(LaunchFailure) {
            let entrance = try memory.group(of: memoryLimit)?.openEntrance()
            defer { if let entrance { close(entrance) } }
            let begun = try launcher.begin(launch.specification) { [groupFile] request in
                if let place { groupFile?.prepare(&request, at: place) }
                if let entrance { request.control_group = entrance }
            }
            let timeoutAt = launch.specification.timeout.map { MonotonicTime.now + $0 }
            return LaunchesUnderWay.Element(launch: launch, begun: begun, placeInFile: place, timeoutAt: timeoutAt)
        } catch {
            if let place { groupFile?.erase(place) }
            throw explained(error, program: launch.specification.arguments.first, within: memoryLimit)
        }
    }

    /// Forgets a launch that failed.
    private func failed(_ launch: LaunchQueue.Launch, _ failure: LaunchFailure) -> Event {
        if let limit = launch.specification.memoryLimit { memory.remove(nil, from: limit) }
        return .ended(token: launch.token, .failure(failure))
    }

    /// Settles the launches whose processes have executed their programs or failed to.
    private func settleKnown() {
        while let begun = underWay.removeSettled() { events.append(settle(begun, isWatched: true)) }
    }

    /// Waits for the outcome of a launch that is under way.
    private func settle(_ token: UInt64) {
        if let begun = underWay.remove(token: token) { events.append(settle(begun, isWatched: true)) }
    }

    /// Waits for the outcomes of all launches that are under way.
    private func settleAll() {
        while let begun = underWay.removeFirst() { events.append(settle(begun, isWatched: true)) }
    }

    /// Waits for the outcome of a launch, and takes note of it.
    ///
    /// - Parameter isWatched: whether the end of the process is waited for already.
    private func settle(_ element: LaunchesUnderWay.Element, isWatched: Bool) -> Event {
        let (launch, place) = (element.launch, element.placeInFile)
        let memoryLimit = launch.specification.memoryLimit
        let started: Launcher.Started
        do throws(LaunchFailure) {
            started = try element.begun.settled()
        } catch {
            if let place { groupFile?.erase(place) }
            return failed(launch, explained(error, program: launch.specification.arguments.first, within: memoryLimit))
        }
        let process = started.process
        guard isWatched || waitSet.add(process, pidfd: started.descriptor) else {
            // Without notice of its end, the process could not be supervised, so it must not run.
            let failure = SystemFailure("cannot watch the process of \"\(launch.specification.arguments[0])\"")
            kill(-process, SIGKILL)
            close(started.descriptor)
            _ = reap(process)
            var reason = LaunchFailure(.resources, code: failure.code, failure.description)
            reason.hasRun = true
            if let place { groupFile?.erase(place) }
            return failed(launch, reason)
        }
        groups[process] = SupervisedGroup(
            process: process,
            token: launch.token,
            timeoutGrace: launch.specification.timeoutGrace,
            stopSignal: launch.specification.stopSignal,
            placeInFile: place,
            memoryLimit: memoryLimit,
            waiting: started.waiting,
            phase: .running(pidfd: started.descriptor),
            timeoutAt: element.timeoutAt
        )
        processes[launch.token] = process
        note(due: element.timeoutAt)
        if let memoryLimit {
            memory.add(process, to: memoryLimit)
            note(due: memory.lookAt)
        }
        return .started(token: launch.token, process: process)
    }

    /// The failure of a launch, whose reason may be its limit of memory.
    private func explained(_ failure: LaunchFailure, program: String?, within limit: MemoryLimit?) -> LaunchFailure {
        // Before exec, the kernel refuses memory to a process instead of killing it, and does not count every refusal.
        guard failure.code == ENOMEM, let program, let limit, let group = memory.group(of: limit),
            limit.bytes < Self.memoryForAnyStart || group.counts.hasRefused
        else { return failure }
        var explained = LaunchFailure(.memory, code: ENOMEM, "cannot run \"\(program)\" within its limit of memory")
        explained.followsStart = failure.followsStart
        return explained
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

    /// Asks a group to end, or asks more urgently than before.
    private func terminate(_ process: pid_t, grace: Duration?, cause: TerminationCause) {
        guard var group = groups[process] else { return }
        if case .draining = group.phase { return }
        if case .running = group.phase, group.termination == .none {
            // The process has ended already, although its end is not reported yet: no further request is possible.
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
                kill(-process, group.stopSignal)
                // A stopped process would receive the signal only after SIGCONT.
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
        // A single look at the machine serves all waiting groups.
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
        if let lookAt = memory.lookAt, lookAt <= now {
            for process in memory.look() { endForMemory(process) }
        }
        note(due: memory.lookAt)
        if let lookAt = orphansLookAt, lookAt <= now {
            reapOrphans()
            orphansLookAt = now + Self.orphansInterval
        }
        note(due: orphansLookAt)
    }

    /// Kills a group that uses more memory than its limit.
    private func endForMemory(_ process: pid_t) {
        guard var group = groups[process], !Self.hasEnded(process) || group.termination != .none else { return }
        if case .draining = group.phase { return }
        if !group.timedOut, !group.terminated { group.exceededMemory = true }
        kill(-process, SIGKILL)
        group.timeoutAt = nil
        group.termination = .killed
        groups[process] = group
        if case .windingDown = group.phase { killRestAndReap(process) }
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
            // Zombies without a reaper count as members for kill(2), so `/proc` decides after a longer wait.
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
        if let begun = underWay.remove(process: process) { events.append(settle(begun, isWatched: true)) }
        guard var group = groups[process], case .running(let pidfd) = group.phase else { return }
        // A process that has not executed its program has all descriptors of this one.
        if !underWay.isEmpty { waitSet.remove(pidfd: pidfd) }
        close(pidfd)
        group.timeoutAt = nil
        if case .asked = group.termination {
            // A shell dies of the signal at once, while its children may need their time to tidy up.
            group.phase = .windingDown
            group.lookAt = .now
            groups[process] = group
            note(due: group.lookAt)
        } else {
            groups[process] = group
            killRestAndReap(process)
        }
    }

    /// Kills the processes that the leader left behind, and then reaps the leader's zombie.
    ///
    /// The order matters: the zombie keeps the system from reusing the number.
    private func killRestAndReap(_ process: pid_t) {
        guard var group = groups[process] else { return }
        kill(-process, SIGKILL)
        let (end, usage) = reap(process)
        var exit = ProcessExit(end: end, usage: usage, timedOut: group.timedOut, terminated: group.terminated)
        let isEndedEarly = group.timedOut || group.terminated
        exit.exceededMemory =
            group.exceededMemory || !isEndedEarly && memory.group(of: group.memoryLimit)?.counts.hasKilled(end) == true
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

    /// Whether a group whose leader has been reaped still has members.
    private static func hasMembers(_ process: pid_t) -> Bool {
        func exists() -> Bool { kill(-process, 0) == 0 || errno != ESRCH }
        guard exists() else { return false }
        // Orphans come to this process if it is the first of a container, and so has to reap them.
        while wait4(-process, nil, WNOHANG, nil) > 0 {}
        return exists()
    }

    private func report(_ group: SupervisedGroup, _ exit: ProcessExit) {
        groups[group.process] = nil
        processes[group.token] = nil
        let failure = group.waiting.flatMap { waiting in
            waiting.failure.map { explained($0, program: waiting.program, within: group.memoryLimit) }
        }
        if let limit = group.memoryLimit { memory.remove(group.process, from: limit) }
        if let place = group.placeInFile { groupFile?.erase(place) }
        end(group.token, failure.map { .failure($0) } ?? .success(exit))
    }

    /// Reaps the processes that have ended and that came to this process with the end of their parents.
    ///
    /// Unless this object starts all processes of the program, only processes of other process groups than the program's are reaped: the
    /// code that has started a process of its group reaps that process. While the program has a second ``SupervisedProcesses``, the call has no effect.
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

extension sigaction {
    /// Whether the action ignores the signal.
    fileprivate var isIgnored: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
