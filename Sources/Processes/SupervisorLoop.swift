import Glibc

/// What the supervisor's thread does: start processes, terminate them, time them, and learn of their end.
///
/// Confined to that thread. Each launch that it takes on is reported once.
final class SupervisorLoop {
    private let mailbox: SupervisorMailbox
    private var waitSet: WaitSet
    private let null: Descriptor
    private let groupFile: GroupFile?
    private var launcher: Launcher

    private var pending = LaunchQueue()
    private var groups: [pid_t: SupervisedGroup] = [:]
    private var processes: [UInt64: pid_t] = [:]
    /// Nothing has to be done before then: kept lazily, so it may be too early.
    private var nextDue: MonotonicTime?
    private var isStopping = false

    init(mailbox: SupervisorMailbox, openFiles: OpenFileLimit?, groupFile: GroupFile?) throws(SystemFailure) {
        self.mailbox = mailbox
        self.groupFile = groupFile
        waitSet = try WaitSet(bell: mailbox.bell)
        let number = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw SystemFailure("cannot open \"/dev/null\"") }
        null = Descriptor(owning: number)
        launcher = Launcher(null: number, openFiles: openFiles)
    }

    /// Runs until it is told to shut down and everything has ended.
    func run() {
        while true {
            let mayThenSleep = pending.isEmpty
            let letters = mailbox.take(mayThenSleep: mayThenSleep)
            for letter in letters { follow(letter) }
            if isStopping, groups.isEmpty { return }
            // One at a time: a launch takes long enough for others to end meanwhile, or to be called off.
            if let launch = pending.popFirst() { start(launch) }

            // Only a mailbox that was found empty before sleeping rings for the next letter.
            let sleeps = mayThenSleep && letters.isEmpty
            var ended: [pid_t] = []
            waitSet.wait(milliseconds: sleeps ? (nextDue?.millisecondsFromNow() ?? -1) : 0) { ended.append($0) }
            for process in ended { leaderEnded(process) }
            if let due = nextDue, due <= .now { attendToWhatIsDue() }
        }
    }

    private func follow(_ letter: SupervisorMailbox.Letter) {
        switch letter {
        case .launch(let launch):
            pending.append(launch)
        case .terminate(let token, let grace):
            if let process = processes[token] {
                terminate(process, grace: grace, cause: .request)
            } else {
                pending.remove(token: token)?.onEnd(.failure(.terminatedBeforeStart))
            }
        case .terminateAll(let grace):
            callOffPending(.terminatedBeforeStart)
            for process in Array(groups.keys) { terminate(process, grace: grace, cause: .request) }
        case .shutDown:
            isStopping = true
            callOffPending(.supervisorShutDown)
            for process in Array(groups.keys) { terminate(process, grace: .zero, cause: .request) }
        }
    }

    private func callOffPending(_ failure: LaunchFailure) {
        while let launch = pending.popFirst() { launch.onEnd(.failure(failure)) }
    }

    private func start(_ launch: SupervisorMailbox.Launch) {
        let started: Launcher.Started
        let before = groupFile.map { _ in GroupFile.now }
        do throws(LaunchFailure) {
            guard processes[launch.token] == nil else {
                throw LaunchFailure(.invalid, "the token \(launch.token) belongs to a process that has not ended")
            }
            started = try launcher.start(launch.specification)
        } catch {
            launch.onEnd(.failure(error))
            return
        }
        let process = started.process
        let place = before.flatMap { groupFile?.note(.init(group: process, started: $0...max($0, GroupFile.now))) }
        guard waitSet.add(process, pidfd: started.descriptor) else {
            // Without a word of its end it could not be supervised, so it must not run.
            let failure = SystemFailure("cannot watch the process of \"\(launch.specification.arguments[0])\"")
            kill(-process, SIGKILL)
            close(started.descriptor)
            _ = reap(process)
            if let place { groupFile?.erase(place) }
            launch.onEnd(.failure(LaunchFailure(.resources, code: failure.code, failure.description)))
            return
        }
        let timeoutAt = launch.specification.timeout.map { MonotonicTime.now + $0 }
        groups[process] = SupervisedGroup(
            process: process,
            token: launch.token,
            onEnd: launch.onEnd,
            timeoutGrace: launch.specification.timeoutGrace,
            placeInFile: place,
            phase: .running(pidfd: started.descriptor),
            timeoutAt: timeoutAt
        )
        processes[launch.token] = process
        note(due: timeoutAt)
        launch.onStart(process)
    }

    private func note(due: MonotonicTime?) {
        guard let due else { return }
        nextDue = min(nextDue ?? due, due)
    }
}

// MARK: - Terminating

extension SupervisorLoop {
    private enum TerminationCause {
        case request
        case timeout
    }

    /// Asks a group to end, or asks it more urgently than before.
    private func terminate(_ process: pid_t, grace: Duration?, cause: TerminationCause) {
        guard var group = groups[process] else { return }
        if case .draining = group.phase { return }
        switch cause {
        case .request: group.terminated = true
        case .timeout: group.timedOut = true
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

    private func attendToWhatIsDue() {
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

extension SupervisorLoop {
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
        group.onEnd(.success(exit))
    }
}
