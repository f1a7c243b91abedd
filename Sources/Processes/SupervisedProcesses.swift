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
///
/// This file has the state, and the sleep until something happens; the other files have what happens, in the order of a process's life:
/// launching, settling, signals, timers, termination, ends and orphans.
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

    var waitSet: WaitSet
    private let null: Descriptor
    let groupFile: GroupFile?
    var launcher: Launcher
    var memory: LimitedMemory

    var pending = LaunchQueue()
    var underWay = LaunchesUnderWay()
    var groups: [pid_t: SupervisedGroup] = [:]
    var processes: [UInt64: pid_t] = [:]
    var events: [Event] = []
    /// No action is due before this time; updated lazily, so possibly too early.
    var nextDue: MonotonicTime?
    /// Whether further launches are refused.
    var isShutDown = false
    /// The time of the next look for orphans; nil unless this process gets those of others.
    var orphansLookAt: MonotonicTime?
    /// Whether no other code of this program starts processes.
    let startsAll: Bool
    /// The number of these objects in this process.
    static let count = Mutex(0)

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

    /// Reports the end of a launch with the next events.
    func end(_ token: UInt64, _ end: Result<ProcessExit, LaunchFailure>) {
        events.append(.ended(token: token, end))
    }

    /// Notes the time of an action.
    func note(due: MonotonicTime?) {
        guard let due else { return }
        nextDue = min(nextDue ?? due, due)
    }
}

extension sigaction {
    /// Whether the action ignores the signal.
    fileprivate var isIgnored: Bool {
        unsafeBitCast(__sigaction_handler.sa_handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }
}
