import Glibc

/// The ends of process groups: from the end of the leader to the report, once all members are gone.
extension SupervisedProcesses {
    /// Takes note of the end of a leader, which is not reaped yet.
    func leaderEnded(_ process: pid_t) {
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
    func killRestAndReap(_ process: pid_t) {
        guard var group = groups[process] else { return }
        kill(-process, SIGKILL)
        let (end, usage) = ChildProcess.reap(process)
        var exit = ProcessExit(end: end, usage: usage, timedOut: group.timedOut, terminated: group.terminated)
        let isEndedEarly = group.timedOut || group.terminated
        exit.exceededMemory =
            group.exceededMemory || !isEndedEarly && memory.group(of: group.memoryLimit)?.counts.hasKilled(end) == true
        guard ChildProcess.hasMembers(process) else { return report(group, exit) }
        group.phase = .draining(exit)
        group.termination = .killed
        group.lookInterval = SupervisedGroup.firstLookInterval
        group.lookLater(than: .now)
        groups[process] = group
        note(due: group.lookAt)
    }

    /// Forgets a group without members, and reports its end.
    func report(_ group: SupervisedGroup, _ exit: ProcessExit) {
        groups[group.process] = nil
        processes[group.token] = nil
        let failure = group.waiting.flatMap { waiting in
            waiting.failure.map { explained($0, program: waiting.program, within: group.memoryLimit) }
        }
        if let limit = group.memoryLimit { memory.remove(group.process, from: limit) }
        if let place = group.placeInFile { groupFile?.erase(place) }
        end(group.token, failure.map { .failure($0) } ?? .success(exit))
    }
}
