import Foundation
import Operations
import Processes
import Synchronization
import Wire

/// An attempt of commands in the worker's local queue.
///
/// It is executing, and holds its slot, from its start until all of its processes are gone (ST3, CA15), and reports its
/// end exactly once (BL7). What it left is collected after the slot is free, which is reported before then.
///
/// `Operation` is `@unchecked Sendable` and hands that down; what this class adds is constant or behind its lock.
final class AttemptOperation: Operation, @unchecked Sendable {
    private enum Phase {
        /// It is on its way through the local queue, which has room for it.
        case starting
        case executing
        /// It is over for the local queue.
        case over
    }

    private struct State {
        var phase = Phase.starting
        /// Why it is ended before its time.
        var cause: WorkerSession.EndCause?
        /// The supervisor's names for its processes.
        var processes: Range<UInt64> = 0..<0
        /// How its processes ended, in the order of the commands.
        var ends: [Result<ProcessExit, LaunchFailure>?] = []
        var remaining = 0
        /// How many of its commands have neither started nor failed to.
        var unlaunched = 0
        var startedAt = ContinuousClock.now
        var output: AttemptOutput?
    }

    let assignment: Assignment
    private let services: AttemptServices
    private let state = Mutex(State())

    init(_ assignment: Assignment, services: AttemptServices) {
        self.assignment = assignment
        self.services = services
        // Foundation's own quality of service and level are left alone: the session decides the order.
        super.init()
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    override var isFinished: Bool { state.withLock { $0.phase == .over } }

    /// Called by the local queue.
    override func start() {
        willChangeValue(for: \.isExecuting)
        let cause = state.withLock { state in
            state.phase = .executing
            state.startedAt = .now
            return state.cause
        }
        didChangeValue(for: \.isExecuting)
        if let cause { return endBeforeLaunch(cause.isInterruption ? .interrupted : .cancelledBeforeStart) }
        launch()
    }

    /// Ends it with its grace period (CA4), or before it has come to run anything; the first cause counts.
    func end(for cause: WorkerSession.EndCause) {
        let processes = state.withLock { state -> Range<UInt64> in
            guard state.cause == nil, state.phase != .over else { return 0..<0 }
            state.cause = cause
            return state.processes
        }
        terminate(processes)
    }

    /// Ends it when it has no process.
    private func endBeforeLaunch(_ end: AttemptEnd) {
        leaveQueue()
        discardInputs()
        services.report(assignment.item.token, AttemptResult(end: end))
    }

    private func terminate(_ processes: Range<UInt64>) {
        for process in processes { services.supervisor.terminate(process, grace: assignment.grace) }
    }

    private func discardInputs() {
        if assignment.hasInputs { services.discardInputs(of: assignment.item.token) }
    }

    private func leaveQueue() {
        willChangeValue(for: \.isFinished)
        state.withLock { $0.phase = .over }
        didChangeValue(for: \.isFinished)
    }
}

// MARK: - Commands

extension AttemptOperation {
    private func launch() {
        let item = assignment.item
        let output: AttemptOutput
        do throws(FileFailure) {
            if assignment.hasInputs { try services.checkInputs(of: item.token) }
            output = try services.archive.open(item.token, of: item.operation)
        } catch {
            return endBeforeLaunch(.notStarted(error.description))
        }
        let specifications = specifications(output)
        let processes = services.processTokens(specifications.count)
        state.withLock { state in
            state.output = output
            state.processes = processes
            state.ends = Array(repeating: nil, count: specifications.count)
            state.remaining = specifications.count
            state.unlaunched = specifications.count
        }
        for (index, specification) in specifications.enumerated() {
            services.supervisor.launch(
                specification,
                token: processes.lowerBound + UInt64(index),
                onStart: { _ in self.commandLaunched() },
                onEnd: { end in self.commandEnded(index, end) }
            )
        }
        // Had it been ended while they were handed over, the supervisor would not have known them yet.
        if state.withLock({ $0.cause != nil }) { terminate(processes) }
    }

    private func specifications(_ output: AttemptOutput) -> [ProcessSpecification] {
        let item = assignment.item
        let variables = assignment.variables(
            coordinator: services.coordinator,
            result: services.directory.result(of: item.token),
            inputs: assignment.hasInputs ? services.directory.inputs(of: item.token) : services.directory.noInputs
        )
        return assignment.commands.map { command in
            var specification = ProcessSpecification(arguments: command, environment: services.environment)
            specification.variables = variables
            specification.directory = assignment.work.directory
            specification.standardInput = assignment.work.standardInput
            specification.standardOutput = .descriptor(output.standardOutput.writer)
            specification.standardError = .descriptor(output.standardError.writer)
            specification.niceness = item.qualityOfService?.niceness
            specification.ioPriority = item.qualityOfService?.ioPriority
            specification.timeout = assignment.work.timeout
            specification.timeoutGrace = assignment.grace
            return specification
        }
    }

    /// Called once for each command, when it has its own copies of the descriptors, or never will.
    private func commandLaunched() {
        let output = state.withLock { state in
            state.unlaunched -= 1
            return state.unlaunched == 0 ? state.output : nil
        }
        output?.closeWriters()
    }

    /// Called by the supervisor, once for each command.
    private func commandEnded(_ index: Int, _ end: Result<ProcessExit, LaunchFailure>) {
        if case .failure = end { commandLaunched() }
        let over = state.withLock { state -> (AttemptResult, AttemptOutput?)? in
            state.ends[index] = end
            state.remaining -= 1
            guard state.remaining == 0 else { return nil }
            let end = AttemptEnd(of: state.ends.compactMap { $0 }, endedFor: state.cause)
            return (AttemptResult(end: end, duration: .now - state.startedAt), state.output)
        }
        guard let (result, output) = over else { return }
        if let output, leftNothing(output) {
            // First the files and then the slot, so that the next attempt finds both.
            _ = services.archive.close(output)
            leaveQueue()
            services.report(assignment.item.token, result)
        } else {
            leaveQueue()
            services.reportSlotFreed(by: assignment.item.token)
            services.files.async { self.collect(result, output) }
        }
    }

    /// Whether there is nothing to be read or removed, which is worth no visit to another thread.
    private func leftNothing(_ output: AttemptOutput) -> Bool {
        let item = assignment.item
        guard !assignment.hasInputs, output.isBlank else { return false }
        return assignment.isHook || ResultFile.isMissing(at: services.directory.result(of: item.token))
    }

    /// Adds what it printed and left to its result, cleans up behind it, and reports it.
    private func collect(_ ended: AttemptResult, _ output: AttemptOutput?) {
        let item = assignment.item
        var result = ended
        if let output { (result.standardOutput, result.standardError) = services.archive.close(output) }
        do throws(FileFailure) {
            if !assignment.isHook { result.result = try ResultFile.take(at: services.directory.result(of: item.token)) }
        } catch  where result.end == .exited(0) {
            result.end = .unusableResult(error.description)
        } catch {
            // It failed anyway, and for a reason that matters more.
        }
        discardInputs()
        services.report(item.token, result)
    }
}
