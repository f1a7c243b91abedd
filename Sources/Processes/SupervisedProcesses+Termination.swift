import Glibc

/// The termination of process groups: for a request, a timeout, or too much memory.
@_spi(Baton) extension SupervisedProcesses {
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

    /// Why a group is asked to end.
    enum TerminationCause {
        case request
        case timeout
    }

    /// Asks a group to end, or asks more urgently than before.
    func terminate(_ process: pid_t, grace: Duration?, cause: TerminationCause) {
        guard var group = groups[process] else { return }
        if case .draining = group.phase { return }
        if case .running = group.phase, group.termination == .none {
            // The process has ended already, although its end is not reported yet: no further request is possible.
            guard !ChildProcess.hasEnded(process) else { return }
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

    /// Kills a group that uses more memory than its limit.
    func endForMemory(_ process: pid_t) {
        guard var group = groups[process], !ChildProcess.hasEnded(process) || group.termination != .none else { return }
        if case .draining = group.phase { return }
        if !group.timedOut, !group.terminated { group.exceededMemory = true }
        kill(-process, SIGKILL)
        group.timeoutAt = nil
        group.termination = .killed
        groups[process] = group
        if case .windingDown = group.phase { killRestAndReap(process) }
    }
}
