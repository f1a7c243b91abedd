@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonWire

/// Runs attempts of commands on the worker's own thread, from their start in a slot to their results.
///
/// The session's lanes are the worker's local queue: an attempt arrives here with its slot, and keeps the slot until
/// all of its processes are gone (ST3, CA15). The runner reports each attempt's end exactly once (BL7). Only file
/// access that may block goes to another thread: process starts and ends need no hand-over, which would cost more than
/// a short process.
final class AttemptRunner {
    /// An attempt whose processes are gone, and whose files are not collected yet.
    private struct Uncollected {
        let assigned: AssignedWork
        let result: AttemptResult
        let output: AttemptOutput
        /// Whether an event has told that the slot is free.
        var isSlotFreed = false
    }

    /// A change of an attempt, or of the host's ability to start attempts.
    enum Event {
        /// The attempt's processes are gone; the output is being collected.
        case slotFreed(AttemptToken)
        /// The attempt has ended.
        case ended(AttemptToken, AttemptResult)
        /// These are the attempts with a process that is stopped, with the signals; any others run.
        case stopped([AttemptToken: Int32])
        /// The host could not start an attempt, with the reason; the attempt's end follows.
        case startFailed(String)
        /// The host can start attempts again.
        case startSucceeded
    }

    private let services: AttemptServices
    /// The maker of the attempts' tokens; nil while the coordinator has no keys.
    var issuer: OperationIssuer?
    /// The incarnation of the first start of the coordinator's record, from which the spans of attempts are derived.
    var record = Incarnation.unknown
    /// The limit of memory in bytes of attempts that ask for none; nil without a limit.
    private let memoryWithoutRequest: Int64?
    /// The shell of lines without one of their own; nil for the standard one.
    private let shell: CommandShell?
    private let processes: SupervisedProcesses
    /// The environments that attempts start from.
    private var environments = WorkEnvironments()
    private var niceness = WorkerNiceness()
    private var attempts: [AttemptToken: RunningAttempt] = [:]
    /// The attempts of processes that have not ended, with the positions of their commands.
    private var commands: [UInt64: (attempt: AttemptToken, command: Int)] = [:]
    private var lastProcess: UInt64 = 0
    private var events: [Event] = []
    /// The attempt that ended last, until ``collect()``; only one, since it holds descriptors.
    private var uncollected: Uncollected?
    /// Whether the host could not start the last attempt.
    private var isFailing = false
    /// The time of the next look at how much attempts have printed; nil while no attempt runs.
    private var outputsDueAt: MonotonicTime?
    /// The time of the next look at files that processes of ended attempts print to; nil without such files.
    private var leftFilesDueAt: MonotonicTime?
    /// The time between two looks at these files.
    private static let leftFilesInterval = Duration.seconds(1)
    /// The attempts that were stopped at the last look, with the signals, and the time of the next look.
    private var stops: (last: [AttemptToken: Int32], dueAt: MonotonicTime) = ([:], .now)
    /// The time between two looks for stopped processes.
    private static let stopsInterval = Duration.seconds(2)

    /// - Parameters:
    ///   - services: the services that attempts share.
    ///   - processes: the processes of the attempts, for this runner alone.
    ///   - memoryWithoutRequest: the limit of memory in bytes of attempts that ask for none; nil without a limit.
    ///   - shell: the shell of lines without one of their own; nil for the standard one.
    init(
        _ services: AttemptServices,
        processes: SupervisedProcesses,
        memoryWithoutRequest: Int64? = nil,
        shell: CommandShell? = nil
    ) {
        self.services = services
        self.processes = processes
        self.memoryWithoutRequest = memoryWithoutRequest
        self.shell = shell
    }

    /// Readable when a process has ended.
    var descriptor: Int32 { processes.descriptor }

    /// The time until the next action if no process ends; nil without such an action.
    var timeUntilDue: Duration? {
        guard events.isEmpty else { return .zero }
        let lookAt = Optional.least(outputsDueAt, leftFilesDueAt)
        return .least(processes.timeUntilDue, lookAt?.timeFromNow())
    }

    /// Whether the files of an ended attempt wait for ``collect()``.
    var hasUncollected: Bool { uncollected != nil }

    /// The number of attempts in slots.
    var count: Int { attempts.count }

    /// Starts an attempt.
    func start(_ assigned: AssignedWork) {
        let token = assigned.assignment.token
        invariant(attempts[token] == nil, "An attempt is started while it runs.")
        attempts[token] = RunningAttempt(assigned)
        if assigned.needsPreparation || !services.archive.hasPooledFiles {
            // The same thread writes the inputs first.
            services.prepare(assigned)
        } else {
            prepared(token, services.openOutput(of: assigned))
        }
    }

    /// Continues an attempt whose files are ready, or could not be prepared.
    func prepared(_ token: AttemptToken, _ result: Result<AttemptOutput, FileFailure>) {
        guard let attempt = attempts[token] else {
            // The attempt was ended meanwhile.
            if case .success(let output) = result { services.discard(output) }
            return
        }
        switch result {
        case .success(let output):
            attempt.output = output
            launch(attempt, printingTo: output)
        case .failure(let failure):
            // The store has told of the loss, so that the coordinator knows that another copy is needed (FI8).
            guard !failure.isOfLostContent else { return endBeforeLaunch(attempt, .lostInputs(failure.description)) }
            guard failure.isWorkerFault else { return endBeforeLaunch(attempt, .notStarted(failure.description)) }
            // The host can start other attempts.
            guard !failure.isOfLostInput else {
                return endBeforeLaunch(attempt, .workerFault(failure.description, hasRun: false))
            }
            note(fault: failure.description)
            endBeforeLaunch(attempt, .workerFault(failure.description, hasRun: false))
        }
    }

    /// Ends an attempt with its grace period (CA4), or before any of its commands has run; the first cause counts.
    func end(_ token: AttemptToken, for cause: WorkerSession.EndCause) {
        guard let attempt = attempts[token], attempt.cause == nil else { return }
        attempt.cause = cause
        attempt.pauses.remove(.request)
        if attempt.processes.isEmpty {
            endBeforeLaunch(attempt, cause.interruption ?? .cancelledBeforeStart)
        } else {
            for process in attempt.processes { processes.terminate(process, grace: attempt.assigned.grace) }
        }
    }

    /// Stops an attempt until ``resume(_:)`` or its end; its timeout stands still meanwhile.
    func pause(_ token: AttemptToken) {
        guard let attempt = attempts[token], attempt.cause == nil else { return }
        for process in attempt.processes { processes.holdTimeout(of: process) }
        pause(attempt, for: .request)
    }

    /// Continues a stopped attempt.
    func resume(_ token: AttemptToken) {
        guard let attempt = attempts[token], attempt.pauses.contains(.request) else { return }
        for process in attempt.processes { processes.continueTimeout(of: process) }
        resume(attempt, after: .request)
    }

    /// Sends a signal to the processes of an attempt that is not being ended.
    func signal(_ token: AttemptToken, _ signal: OperationSignal) {
        guard let attempt = attempts[token], attempt.cause == nil else { return }
        for process in attempt.processes { processes.deliver(signal.number, to: process) }
    }

    /// Notes a fault of the host before the start of any attempt, as if it could not start one.
    func fail(because fault: String) { note(fault: fault) }

    /// Restores the file that names running process groups.
    func restoreGroupFile() { processes.restoreGroupFile() }

    /// Starts the next waiting process, which executes its program while this thread goes on.
    ///
    /// What becomes of it is known in a later ``takeEvents(startsNext:)``. As long as the host cannot start processes, it is known at once.
    ///
    /// - Returns: whether a process waited.
    func startNext() -> Bool {
        if isFailing {
            guard let event = processes.startNext() else { return false }
            handle(event)
            return true
        }
        guard let process = processes.beginNext() else { return false }
        if let attempt = commands[process].flatMap({ attempts[$0.attempt] }) { attempt.commandBegun() }
        return true
    }

    /// Takes note of ended processes.
    ///
    /// - Parameter startsNext: whether another attempt will take a freed slot. Then the files of the attempt that ended last wait
    ///   for ``collect()``, so that its slot is not empty meanwhile.
    /// - Returns: the events since the last call.
    func takeEvents(startsNext: Bool = false) -> [Event] {
        for event in processes.takeEvents() { handle(event) }
        if startsNext { freeLastSlot() } else { collectLast() }
        if let due = outputsDueAt, due <= .now { lookAtOutputs() }
        lookAtLeftFiles()
        return takeUntold()
    }

    /// Collects the files of the attempt that ended last.
    ///
    /// - Returns: the events since the last call.
    func collect() -> [Event] {
        collectLast()
        return takeUntold()
    }

    private func takeUntold() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Kills all processes, and returns once all are gone.
    func shutDown() {
        processes.shutDown()
        while !processes.isEmpty { for event in processes.takeEvents(waitingAtMost: nil) { handle(event) } }
        collectLast()
    }
}

// MARK: - Commands

extension AttemptRunner {
    private func launch(_ attempt: RunningAttempt, printingTo output: AttemptOutput) {
        let first = lastProcess + 1
        var specification: ProcessSpecification
        do throws(LaunchFailure) {
            specification = try commonSpecification(attempt.assigned, output, limit: first)
        } catch {
            services.discard(output)
            return endBeforeLaunch(attempt, .notStarted(error.sentence))
        }
        var argumentLists = attempt.assigned.commands
        if let shell { argumentLists = argumentLists.map(shell.replacingStandard(in:)) }
        lastProcess += UInt64(argumentLists.count)
        attempt.processes = first..<lastProcess + 1
        attempt.remaining = argumentLists.count
        attempt.unlaunched = argumentLists.count
        if outputsDueAt == nil { outputsDueAt = MonotonicTime.now + services.archive.patience(withKept: 0) }
        for (position, arguments) in argumentLists.enumerated() {
            let process = first + UInt64(position)
            attempt.ends.append(nil)
            commands[process] = (attempt.assigned.assignment.token, position)
            specification.arguments = arguments
            // An attempt does not run by halves: it is known of each command whether it runs before the next one does.
            processes.launch(specification, token: process, settlesAtOnce: argumentLists.count > 1)
        }
    }

    /// Requests trimming of outputs above the limit, and schedules the next look.
    ///
    /// A worker without running attempts does not look, and an attempt that ends before the first look costs nothing.
    private func lookAtOutputs() {
        let archive = services.archive
        var largest: UInt64?
        for (token, attempt) in attempts {
            guard let output = attempt.output else { continue }
            let kept = archive.largestKept(of: output)
            if kept > archive.limits.streamBytes + OutputArchive.pausingExcess {
                pause(attempt, for: .trimming)
            }
            if kept > archive.bytesBeforeTrim { services.trim(output, of: token) }
            largest = max(largest ?? 0, kept)
        }
        outputsDueAt = largest.map { MonotonicTime.now + archive.patience(withKept: $0) }
        if stops.dueAt <= .now { lookForStops() }
    }

    /// Finds the attempts with a process that a signal has stopped; attempts that this worker has paused do not count.
    private func lookForStops() {
        let signals = processes.signalsOfStops()
        var stopped: [AttemptToken: Int32] = [:]
        for (token, attempt) in attempts where !signals.isEmpty && !attempt.isPaused {
            stopped[token] = attempt.processes.lazy.compactMap { signals[$0] }.first
        }
        if stopped != stops.last { events.append(.stopped(stopped)) }
        stops = (stopped, MonotonicTime.now + Self.stopsInterval)
    }

    /// Requests trimming of the files that processes of ended attempts print to, and schedules the next look.
    private func lookAtLeftFiles() {
        if let due = leftFilesDueAt {
            guard due <= .now else { return }
            services.trimLeftFiles()
        }
        leftFilesDueAt = services.archive.hasLeftFiles ? MonotonicTime.now + Self.leftFilesInterval : nil
    }

    private func pause(_ attempt: RunningAttempt, for cause: RunningAttempt.Pauses) {
        let wasPaused = attempt.isPaused
        attempt.pauses.insert(cause)
        guard !wasPaused else { return }
        for process in attempt.processes { processes.pause(process) }
    }

    private func resume(_ attempt: RunningAttempt, after cause: RunningAttempt.Pauses) {
        attempt.pauses.remove(cause)
        guard !attempt.isPaused else { return }
        for process in attempt.processes { processes.resume(process) }
    }

    /// Resumes the writers of an output after its trimming, unless something else keeps them stopped.
    func outputTrimmed(of token: AttemptToken) {
        guard let attempt = attempts[token], attempt.pauses.contains(.trimming) else { return }
        resume(attempt, after: .trimming)
    }

    /// The most bytes of memory that an attempt may use; nil without a limit.
    private func memory(of assigned: AssignedWork) -> Int64? { assigned.work.memory ?? memoryWithoutRequest }

    /// What all commands of an attempt have in common: everything but their arguments.
    ///
    /// - Parameter limit: the number of the attempt's limit of memory.
    /// - Throws: `LaunchFailure` for a variable that execve(2) cannot express.
    private func commonSpecification(
        _ assigned: AssignedWork,
        _ output: AttemptOutput,
        limit: UInt64
    ) throws(LaunchFailure) -> ProcessSpecification {
        let assignment = assigned.assignment
        let shared = try environments.environment(of: assigned, services)
        let units = assigned.units.isEmpty ? [:] : assigned.unitVariables(with: services.unitVariables)
        let environment = try units.isEmpty ? shared.environment : shared.environment.setting(units)
        var variables = try assigned.variables(
            in: shared,
            result: services.directory.result(of: assignment.token),
            inputs: assigned.hasInputs ? services.directory.inputs(of: assignment.token) : services.directory.noInputs,
            token: issuer?.text(for: assignment.claim(on: services.directory.identity.id)),
            // A name is given once, and the units go before.
            trace: units[TraceContext.variable] == nil ? assigned.traceContext(in: record) : nil
        )
        let directory = services.attemptDirectory(of: assigned)
        if let name = shared.workspaceName, let directory { try variables.set(name, to: directory) }
        var specification = ProcessSpecification(arguments: [], environment: environment)
        specification.variables = variables
        specification.directory = directory
        specification.standardInput =
            assigned.work.input == nil
            ? assigned.work.standardInput : services.directory.standardInput(of: assignment.token)
        specification.standardOutput = .descriptor(output.standardOutput.writer)
        specification.standardError = .descriptor(output.standardError.writer)
        specification.outputPipe = output.standardOutput.pipe
        specification.errorPipe = output.standardError.pipe
        specification.niceness = assigned.work.niceness(of: assignment.qualityOfService, from: niceness.value())
        specification.ioPriority = assignment.qualityOfService?.ioPriority
        specification.timeout = assigned.work.timeout
        specification.timeoutGrace = assigned.grace
        specification.stopSignal = assigned.work.stopSignal.number
        specification.fileMask = assigned.work.umask?.rawValue
        specification.memoryLimit = memory(of: assigned).map { MemoryLimit(number: limit, bytes: $0) }
        return specification
    }

    private func handle(_ event: SupervisedProcesses.Event) {
        switch event {
        case .started(let process, _):
            if let attempt = commands[process].flatMap({ attempts[$0.attempt] }) {
                attempt.commandLaunched()
                // The attempt was paused before it had this process.
                if attempt.pauses.contains(.request) { processes.holdTimeout(of: process) }
                if attempt.isPaused { processes.pause(process) }
            }
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
        invariant(attempt.ends[command] == nil, "A command of an attempt ends twice.")
        attempt.ends[command] = end
        attempt.remaining -= 1
        invariant(attempt.remaining >= 0, "More commands of an attempt have ended than it has.")
        if case .failure(let failure) = end {
            if !failure.followsStart { attempt.commandLaunched() }
            if failure.isHostFault { giveUp(attempt, because: failure.sentence) }
        }
        if end.hasExceededMemory {
            // The commands share the limit.
            for process in attempt.processes { processes.terminate(process, grace: .zero) }
        }
        guard attempt.remaining == 0 else { return }
        attempts[token] = nil
        let end =
            attempt.fault.map { AttemptEnd.workerFault($0, hasRun: attempt.hasRun) }
            ?? AttemptEnd(
                of: attempt.ends.compactMap { $0 },
                endedFor: attempt.cause,
                memory: memory(of: attempt.assigned)
            )
        let result = AttemptResult(end: end, usage: AttemptUsage(of: attempt.ends))
        collectLast()
        uncollected = Uncollected(assigned: attempt.assigned, result: result, output: output)
        // After a fault of the host, no other attempt starts before the session knows.
        if attempt.fault != nil { collectLast() }
    }

    private func freeLastSlot() {
        guard let last = uncollected else { return }
        uncollected?.isSlotFreed = true
        events.append(.slotFreed(last.assigned.assignment.token))
    }

    private func collectLast() {
        guard let last = uncollected else { return }
        uncollected = nil
        let token = last.assigned.assignment.token
        if let result = services.closeShort(last.assigned, last.result, last.output) {
            events.append(.ended(token, result))
        } else {
            if !last.isSlotFreed { events.append(.slotFreed(token)) }
            services.collect(last.assigned, last.result, last.output)
        }
    }

    /// Ends the other commands of an attempt after the host could not start all: an attempt does not run by halves
    /// (D9).
    private func giveUp(_ attempt: RunningAttempt, because fault: String) {
        note(fault: fault)
        guard attempt.fault == nil else { return }
        attempt.fault = fault
        for process in attempt.processes { processes.terminate(process, grace: attempt.assigned.grace) }
    }

    private func note(fault: String) {
        isFailing = true
        events.append(.startFailed(fault))
    }

    /// Ends an attempt that has no process.
    private func endBeforeLaunch(_ attempt: RunningAttempt, _ end: AttemptEnd) {
        let token = attempt.assigned.assignment.token
        attempts[token] = nil
        services.discardFiles(of: attempt.assigned)
        events.append(.ended(token, AttemptResult(end: end)))
    }
}
