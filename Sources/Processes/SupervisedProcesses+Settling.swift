import Glibc

/// The outcomes of launches: their processes have executed their programs, and are supervised from then on, or the launches have failed.
extension SupervisedProcesses {
    /// Settles the launches whose processes have executed their programs or failed to.
    func settleKnown() {
        while let begun = underWay.removeSettled() { events.append(settle(begun, isWatched: true)) }
    }

    /// Waits for the outcome of a launch that is under way.
    func settle(_ token: UInt64) {
        if let begun = underWay.remove(token: token) { events.append(settle(begun, isWatched: true)) }
    }

    /// Waits for the outcomes of all launches that are under way.
    func settleAll() {
        while let begun = underWay.removeFirst() { events.append(settle(begun, isWatched: true)) }
    }

    /// Waits for the outcome of a launch, and takes note of it.
    ///
    /// - Parameter isWatched: whether the end of the process is waited for already.
    func settle(_ element: LaunchesUnderWay.Element, isWatched: Bool) -> Event {
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
            _ = ChildProcess.reap(process)
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

    /// Forgets a launch that failed.
    func failed(_ launch: LaunchQueue.Launch, _ failure: LaunchFailure) -> Event {
        if let limit = launch.specification.memoryLimit { memory.remove(nil, from: limit) }
        return .ended(token: launch.token, .failure(failure))
    }

    /// The bytes of memory within which each program can be started, with the longest arguments and its tables of pages.
    private static let memoryForAnyStart: Int64 = 16 << 20

    /// The failure of a launch, whose reason may be its limit of memory.
    func explained(_ failure: LaunchFailure, program: String?, within limit: MemoryLimit?) -> LaunchFailure {
        // Before exec, the kernel refuses memory to a process instead of killing it, and does not count every refusal.
        guard failure.code == ENOMEM, let program, let limit, let group = memory.group(of: limit),
            limit.bytes < Self.memoryForAnyStart || group.counts.hasRefused
        else { return failure }
        var explained = LaunchFailure(.memory, code: ENOMEM, "cannot run \"\(program)\" within its limit of memory")
        explained.followsStart = failure.followsStart
        return explained
    }
}
