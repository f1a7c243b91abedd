@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Workers on this host: processes that are restarted after an unexpected end, but not after a stop on request.
///
/// They die with this process, unless they are to outlive it: then they go on if this process is killed, and the next object for
/// the state directory adopts them.
final class LocalWorkers: Sendable {
    /// The time for workers to end their operations in order, after the drain timeout, before a kill.
    static let gracePeriod = Duration.seconds(10)
    /// The delay before the restart of a worker; the delay doubles each time, up to the longest delay.
    private static let firstDelay = Duration.milliseconds(500)
    private static let longestDelay = Duration.seconds(30)
    /// The lifetime that resets the delay: a worker of at least this age counts as healthy.
    private static let longLife = Duration.seconds(60)

    private struct Life {
        var token: UInt64
        var start: ContinuousClock.Instant
        /// The process id, after the start of the process.
        var process: Int32?
        /// Names the process if an earlier start has started it; nil for a child of this process.
        var earlier: ProcessHandle?

        func send(_ signal: Int32) {
            if let earlier {
                try? earlier.signal(signal)
            } else if let process {
                kill(process, signal)
            }
        }
    }

    /// How the process of a worker has ended.
    private enum End {
        /// Somebody has asked it to.
        case stopped
        /// The coordinator does not let it in.
        case notAllowed
        /// It has made room for another one.
        case replaced
        case unexpected(String)
    }

    private struct State {
        var lives: [Int: Life] = [:]
        var delays: [Int: Duration] = [:]
        var nextToken: UInt64 = 0
        var isStopping = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let count: Int
    /// The arguments of each worker, without its name.
    private let commonArguments: [String]
    private let environment: ProcessEnvironment
    private let home: String
    private let outliveStarter: Bool
    /// The time for workers to end in order before a kill.
    private let grace: Duration
    private let logger: Logger
    private let supervisor: ProcessSupervisor
    private let allEnded = ThreadSemaphore()
    private let state = Mutex(State())

    /// Prepares workers with the names w1, w2 and so on.
    ///
    /// - Parameters:
    ///   - slots: the number of slots of each worker.
    ///   - resources: what each worker has beside its slots; the processors and the memory that this process may use are divided
    ///     among the workers unless given.
    ///   - outliveStarter: whether the workers go on if this process is killed.
    ///   - isInsecure: whether the coordinator has no keys; otherwise the workers use the keys of the home.
    ///   - drainTimeout: how long executing operations may go on after a request to end.
    ///   - outputLimit: the maximum number of bytes stored per output stream; nil stands for the worker's default.
    ///   - filesLimit: the maximum number of bytes of the files that a worker keeps; nil stands for the worker's default.
    ///   - openFiles: the limit of open files of each worker; nil stands for the limit of this process.
    ///   - logLevel: the level of the workers' logs; nil stands for that of this process.
    init(
        count: Int,
        slots: Int,
        resources: WorkerResourceArguments,
        coordinator: String,
        home: String,
        outliveStarter: Bool = false,
        isInsecure: Bool = false,
        drainTimeout: Duration = .zero,
        outputLimit: UInt64? = nil,
        filesLimit: UInt64? = nil,
        openFiles: OpenFileLimit? = nil,
        logLevel: Logger.Level? = nil,
        logger: Logger
    ) throws {
        self.count = count
        self.home = home
        self.outliveStarter = outliveStarter
        self.logger = logger
        let environment = ProcessEnvironment.withoutKeys
        self.environment =
            try outliveStarter ? environment.setting([EarlierWorker.variable: EarlierWorker.value]) : environment
        grace = drainTimeout + Self.gracePeriod
        commonArguments =
            ["worker", "--slots", "\(slots)", "--coordinator", coordinator, "--home", home]
            + ["--drain-timeout", drainTimeout.text] + (isInsecure ? ["--insecure"] : [])
            + resources.divided(among: count).arguments
            + (outputLimit.map { ["--output-limit", "\($0)"] } ?? [])
            + (filesLimit.map { ["--files-limit", "\($0)"] } ?? [])
            + ["--log-level", (logLevel ?? logger.level).rawValue]
        supervisor = try ProcessSupervisor(openFiles: openFiles, startsAll: true)
        supervisor.reapOrphans()
    }

    /// The number of slots per worker, if the workers share the processors that this process may use.
    static func slotsOfEach(of workers: Int) -> Int {
        (AvailableProcessors().count + workers - 1) / workers
    }

    /// The process ids of the running workers, in no order.
    var processes: [Int32] { state.withLock { $0.lives.values.compactMap(\.process) } }

    /// Sends a signal to all running workers.
    func signal(_ number: Int32) {
        for life in state.withLock({ Array($0.lives.values) }) { life.send(number) }
    }

    /// Starts all workers, or adopts those of an earlier start.
    func start() {
        for number in 1...count { launch(number) }
        guard outliveStarter else { return }
        for number in EarlierWorker.numbers(in: home) where number > count {
            guard let worker = EarlierWorker(named: Self.name(number), in: home), begin(number) != nil else { continue }
            adopt(worker, as: number)
        }
    }

    /// Ends all workers in order, and returns after their end, at the latest after the grace period.
    func stop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let (isGone, earlier) = state.withLock { state in
                // A second signal would end a worker at once.
                let earlier = state.isStopping ? [] : state.lives.values.compactMap(\.earlier)
                state.isStopping = true
                if !state.lives.isEmpty { state.waiters.append(continuation) }
                return (state.lives.isEmpty, earlier)
            }
            guard !isGone else { return continuation.resume() }
            supervisor.terminateAll(grace: grace)
            for process in earlier { terminate(process) }
        }
        supervisor.shutDown()
    }

    /// Ends the workers at once with all their processes, for a process about to exit.
    ///
    /// A killed worker could not end the descendants of its operations, so the workers get signals first.
    func stopNow() {
        let (lives, wasStopping) = state.withLock { state in
            defer { state.isStopping = true }
            return (state.lives.values.filter { $0.process != nil }, state.isStopping)
        }
        guard !lives.isEmpty else { return }
        for life in lives {
            // The second signal ends a worker at once. Use two different signals, because the system may merge two equal
            // signals.
            if !wasStopping { life.send(SIGTERM) }
            life.send(SIGINT)
        }
        if !allEnded.wait(for: .seconds(2)) { signal(SIGKILL) }
    }

    private static func name(_ number: Int) -> String { "w\(number)" }

    /// The arguments of a worker, after the program's name.
    private func arguments(of number: Int) -> [String] { commonArguments + ["--name", Self.name(number)] }

    /// Begins a life of a worker.
    ///
    /// - Returns: the token of its process; nil while the workers are being ended.
    private func begin(_ number: Int) -> UInt64? {
        state.withLock { state in
            guard !state.isStopping else { return nil }
            state.nextToken += 1
            state.lives[number] = Life(token: state.nextToken, start: .now)
            return state.nextToken
        }
    }

    private func launch(_ number: Int) {
        let earlier = outliveStarter ? EarlierWorker(named: Self.name(number), in: home) : nil
        guard let token = begin(number) else { return }
        if let earlier { return adopt(earlier, as: number) }
        var specification = ProcessSpecification(
            arguments: [Surroundings.ownProgram] + arguments(of: number),
            environment: environment
        )
        specification.standardOutput = .descriptor(2)
        specification.standardError = .descriptor(2)
        specification.outlivesStarter = outliveStarter
        supervisor.launch(
            specification,
            token: token,
            onStart: { [weak self] process in self?.started(number, process, token) },
            onEnd: { [weak self] result in self?.ended(number, Self.end(result)) }
        )
    }

    private func started(_ number: Int, _ process: Int32, _ token: UInt64) {
        let isStopping = state.withLock { state in
            state.lives[number]?.process = process
            return state.isStopping
        }
        // A worker that starts during `stop()` may have missed the request to end.
        if isStopping { supervisor.terminate(token, grace: grace) }
    }

    // MARK: - Workers of an earlier start

    /// Watches over a worker of an earlier start, whose life has begun here, and has it make room if it is not as wanted.
    private func adopt(_ worker: EarlierWorker, as number: Int) {
        let process = worker.process
        let isStopping = state.withLock { state in
            state.lives[number]?.process = process.processID
            state.lives[number]?.earlier = process
            return state.isStopping
        }
        let isWanted = makeRoom(worker, number)
        if isStopping { terminate(process) }
        Task { [weak self] in
            _ = await onOwnThread(named: "earlier worker") { process.waitForEnd(until: nil) }
            let end: End =
                if !isWanted {
                    .replaced
                } else if worker.wasStopped {
                    .stopped
                } else {
                    .unexpected("unknown, because an earlier start has started it")
                }
            self?.ended(number, end)
        }
    }

    /// Has a worker of an earlier start make room for another one, unless it is as wanted.
    ///
    /// - Returns: whether it is as wanted, and goes on.
    private func makeRoom(_ worker: EarlierWorker, _ number: Int) -> Bool {
        let metadata: Logger.Metadata = ["worker": "\(Self.name(number))"]
        switch worker.fit(to: arguments(of: number)) {
        case .same where number <= count:
            logger.notice("a worker of an earlier start goes on", metadata: metadata)
            return true
        case .same, .outdated:
            logger.notice(
                number <= count
                    ? "a worker of an earlier start has another program or other options: it finishes what it executes, and is replaced"
                    : "a worker of an earlier start is one too many: it finishes what it executes, and leaves",
                metadata: metadata
            )
            try? worker.process.signal(SIGUSR1)
        case .unreachable:
            logger.warning(
                "a worker of an earlier start connects to another coordinator: it is stopped",
                metadata: metadata
            )
            try? worker.process.signal(SIGTERM)
        }
        return false
    }

    /// Ends a worker of an earlier start, as the supervisor ends the others.
    private func terminate(_ process: ProcessHandle) {
        try? process.signal(SIGTERM)
        // A stopped process would receive SIGTERM only after SIGCONT.
        try? process.signal(SIGCONT)
        let grace = grace
        Task {
            try? await pause(for: grace)
            try? process.signal(SIGKILL)
        }
    }

    // MARK: - The end of a worker

    private func ended(_ number: Int, _ end: End) {
        let (delay, waiters) = state.withLock { state -> (Duration?, [CheckedContinuation<Void, Never>]) in
            let life = state.lives.removeValue(forKey: number)
            guard !state.isStopping else {
                guard state.lives.isEmpty else { return (nil, []) }
                allEnded.signal()
                defer { state.waiters = [] }
                return (nil, state.waiters)
            }
            let isWell = life.map { .now - $0.start >= Self.longLife } ?? false
            let delay = isWell ? Self.firstDelay : state.delays[number] ?? Self.firstDelay
            state.delays[number] = min(delay * 2, Self.longestDelay)
            return (delay, [])
        }
        for waiter in waiters { waiter.resume() }
        guard let delay else { return }
        let name = Self.name(number)
        switch end {
        case .notAllowed:
            logger.error("a worker is not allowed in, and is not started again", metadata: ["worker": "\(name)"])
        case .stopped:
            logger.notice("a worker was stopped, and is not started again", metadata: ["worker": "\(name)"])
        case .replaced:
            if number <= count { launch(number) }
        case .unexpected(let sentence):
            logger.warning(
                "a worker ended unexpectedly and is started again",
                metadata: ["worker": "\(name)", "end": "\(sentence)", "delay": "\(delay)"]
            )
            Task { [weak self] in
                try? await pause(for: delay)
                self?.launch(number)
            }
        }
    }

    /// How a child of this process has ended.
    private static func end(_ result: Result<ProcessExit, LaunchFailure>) -> End {
        switch result {
        case .failure(let failure): .unexpected(failure.description)
        case .success(let exit):
            switch exit.end {
            case .exited(ExitStatus.notAllowed): .notAllowed
            // A worker ends with this status only on request.
            case .exited(ExitStatus.success): .stopped
            case .exited(let status): .unexpected("exit status \(status)")
            case .signalled(let signal): .unexpected("signal \(signal)")
            case .unknown: .unexpected("unknown")
            }
        }
    }
}
