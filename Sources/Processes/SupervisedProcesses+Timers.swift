import Glibc

/// What is due at a time: timeouts, the ends of graces, and looks at groups, memory and orphans.
@_spi(Baton) extension SupervisedProcesses {
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

    /// Carries out all due actions.
    func handleExpiredTimers() {
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

    /// Carries out what is due for a group.
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
            let isGone =
                !ChildProcess.hasMembers(process) || (group.lookInterval >= .milliseconds(16) && isEmpty(process))
            if isGone { return report(group, exit) }
        }
        group.lookLater(than: now)
        groups[process] = group
    }
}
