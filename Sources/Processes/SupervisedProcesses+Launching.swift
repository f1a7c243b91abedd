import CBatonSpawn
import Glibc

/// The way of a launch to its process: it waits, is called off or begun, and fails or is settled.
@_spi(Baton) extension SupervisedProcesses {
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

    /// Calls off all launches that wait.
    func callOffPending(_ failure: LaunchFailure) {
        while let launch = pending.popFirst() { callOff(launch, failure) }
    }

    /// Reports a launch, which waits no longer, as called off.
    func callOff(_ launch: LaunchQueue.Launch, _ failure: LaunchFailure) {
        if let limit = launch.specification.memoryLimit { memory.remove(nil, from: limit) }
        end(launch.token, .failure(failure))
    }

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
}
