import BatonOperations
import BatonProcesses
import BatonWire

/// Runs attempts of commands on the worker's own thread, from the slot that the session gives them to their results.
///
/// The session's lanes are the worker's local queue: what comes here has its slot, and keeps it until all of its processes
/// are gone (ST3, CA15). Each attempt's end is told exactly once (BL7). Only files that may make it wait are left to another
/// thread: starting a process and learning of its end takes no hand-over, which would cost more than a short process does.
final class AttemptRunner {
    /// What became of an attempt.
    enum Event {
        /// Its processes are gone; its output is being collected.
        case slotFreed(AttemptToken)
        /// It is over.
        case ended(AttemptToken, AttemptResult)
        /// The host could not start something, and why; the ends of what it was part of follow.
        case startFailed(String)
        /// The host has started something again.
        case startSucceeded
    }

    private let services: AttemptServices
    private let processes: SupervisedProcesses
    private var attempts: [AttemptToken: RunningAttempt] = [:]
    /// The attempts of processes that are not over, with the positions of their commands.
    private var commands: [UInt64: (attempt: AttemptToken, command: Int)] = [:]
    private var lastProcess: UInt64 = 0
    private var events: [Event] = []
    /// The host could not start the last thing that was to start.
    private var isFailing = false
    /// When it is looked how much attempts have printed; nil while none runs.
    private var outputsDueAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - services: what attempts share.
    ///   - processes: where their processes are started; nobody else uses it.
    init(_ services: AttemptServices, processes: SupervisedProcesses) {
        self.services = services
        self.processes = processes
    }

    /// Readable when a process has ended.
    var descriptor: Int32 { processes.descriptor }

    /// How long there is nothing to do unless a process ends; nil for ever.
    var timeUntilDue: Duration? {
        guard events.isEmpty else { return .zero }
        guard let outputsDueAt else { return processes.timeUntilDue }
        let untilOutputs = max(ContinuousClock.now.duration(to: outputsDueAt), .zero)
        return processes.timeUntilDue.map { min($0, untilOutputs) } ?? untilOutputs
    }

    /// How many attempts have their slots.
    var count: Int { attempts.count }

    /// Starts an attempt.
    func start(_ assignment: Assignment) {
        let token = assignment.item.token
        attempts[token] = RunningAttempt(assignment)
        if assignment.hasInputs || !services.archive.hasPooledFiles {
            // Behind the inputs, which are written there.
            services.prepare(assignment)
        } else {
            prepared(token, services.openOutput(of: assignment))
        }
    }

    /// Goes on with an attempt for which everything is in place, or could not be put there.
    func prepared(_ token: AttemptToken, _ result: Result<AttemptOutput, FileFailure>) {
        guard let attempt = attempts[token] else {
            // It was ended meanwhile.
            if case .success(let output) = result { services.discard(output) }
            return
        }
        switch result {
        case .success(let output):
            attempt.output = output
            launch(attempt, printingTo: output)
        case .failure(let failure):
            guard failure.isWorkerFault else { return endBeforeLaunch(attempt, .notStarted(failure.description)) }
            note(fault: failure.description)
            endBeforeLaunch(attempt, .workerFault(failure.description, hasRun: false))
        }
    }

    /// Ends an attempt with its grace period (CA4), or before it has come to run anything; the first cause counts.
    func end(_ token: AttemptToken, for cause: WorkerSession.EndCause) {
        guard let attempt = attempts[token], attempt.cause == nil else { return }
        attempt.cause = cause
        if attempt.processes.isEmpty {
            endBeforeLaunch(attempt, cause.isInterruption ? .interrupted : .cancelledBeforeStart)
        } else {
            for process in attempt.processes { processes.terminate(process, grace: attempt.assignment.grace) }
        }
    }

    /// Puts the file that names running process groups in its place again.
    func restoreGroupFile() { processes.restoreGroupFile() }

    /// Starts the next process that waits for that.
    func startNext() {
        if let event = processes.startNext() { take(event) }
    }

    /// Learns of processes that have ended.
    ///
    /// - Returns: what became of attempts, here or since the last time.
    func takeEvents() -> [Event] {
        for event in processes.takeEvents() { take(event) }
        if let due = outputsDueAt, due <= .now { lookAtOutputs() }
        defer { events = [] }
        return events
    }

    /// Kills everything, and returns once nothing is left.
    func shutDown() {
        processes.shutDown()
        while !processes.isEmpty { for event in processes.takeEvents(waitingAtMost: nil) { take(event) } }
    }
}

// MARK: - Commands

extension AttemptRunner {
    private func launch(_ attempt: RunningAttempt, printingTo output: AttemptOutput) {
        let specifications = specifications(attempt.assignment, output)
        let first = lastProcess + 1
        lastProcess += UInt64(specifications.count)
        attempt.processes = first..<lastProcess + 1
        attempt.ends = Array(repeating: nil, count: specifications.count)
        attempt.remaining = specifications.count
        attempt.unlaunched = specifications.count
        if outputsDueAt == nil { outputsDueAt = .now + services.archive.patience(withKept: 0) }
        for (position, specification) in specifications.enumerated() {
            let process = first + UInt64(position)
            commands[process] = (attempt.assignment.item.token, position)
            processes.launch(specification, token: process)
        }
    }

    /// Has what attempts printed cut down where it is too much, and decides when to look again.
    ///
    /// A worker with nothing to run does not look, and an attempt that is over before the first look costs nothing.
    private func lookAtOutputs() {
        let archive = services.archive
        var largest: UInt64?
        for (token, attempt) in attempts {
            guard let output = attempt.output else { continue }
            let kept = archive.largestKept(of: output)
            if kept > archive.limits.streamBytes + OutputArchive.pausingExcess { pause(attempt) }
            if kept > archive.limits.streamBytes { services.trim(output, of: token) }
            largest = max(largest ?? 0, kept)
        }
        outputsDueAt = largest.map { .now + archive.patience(withKept: $0) }
    }

    private func pause(_ attempt: RunningAttempt) {
        guard !attempt.isPaused else { return }
        attempt.isPaused = true
        for process in attempt.processes { processes.pause(process) }
    }

    /// Lets the writers of an output go on that has been cut down.
    func outputTrimmed(of token: AttemptToken) {
        guard let attempt = attempts[token], attempt.isPaused else { return }
        attempt.isPaused = false
        for process in attempt.processes { processes.resume(process) }
    }

    private func specifications(_ assignment: Assignment, _ output: AttemptOutput) -> [ProcessSpecification] {
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

    private func take(_ event: SupervisedProcesses.Event) {
        switch event {
        case .started(let process, _):
            if let attempt = commands[process]?.attempt { attempts[attempt]?.commandLaunched() }
            if isFailing {
                isFailing = false
                events.append(.startSucceeded)
            }
        case .ended(let process, let end):
            if let (attempt, command) = commands.removeValue(forKey: process) { commandEnded(attempt, command, end) }
        }
    }

    private func commandEnded(_ token: AttemptToken, _ command: Int, _ end: Result<ProcessExit, LaunchFailure>) {
        guard let attempt = attempts[token], let output = attempt.output else { return }
        attempt.ends[command] = end
        attempt.remaining -= 1
        if case .failure(let failure) = end {
            attempt.commandLaunched()
            if failure.isHostFault { giveUp(attempt, because: failure.sentence) }
        }
        guard attempt.remaining == 0 else { return }
        attempts[token] = nil
        let end =
            attempt.fault.map { AttemptEnd.workerFault($0, hasRun: attempt.hasRun) }
            ?? AttemptEnd(of: attempt.ends.compactMap { $0 }, endedFor: attempt.cause)
        let result = AttemptResult(end: end)
        if services.closeBlank(attempt.assignment, output) {
            events.append(.ended(token, result))
        } else {
            events.append(.slotFreed(token))
            services.collect(attempt.assignment, result, output)
        }
    }

    /// Ends the other commands of an attempt that the host could not start all of: it is not run by halves (D9).
    private func giveUp(_ attempt: RunningAttempt, because fault: String) {
        note(fault: fault)
        guard attempt.fault == nil else { return }
        attempt.fault = fault
        for process in attempt.processes { processes.terminate(process, grace: attempt.assignment.grace) }
    }

    private func note(fault: String) {
        isFailing = true
        events.append(.startFailed(fault))
    }

    /// Ends an attempt that has no process.
    private func endBeforeLaunch(_ attempt: RunningAttempt, _ end: AttemptEnd) {
        let token = attempt.assignment.item.token
        attempts[token] = nil
        if attempt.assignment.hasInputs { services.discardInputs(of: token) }
        events.append(.ended(token, AttemptResult(end: end)))
    }
}
