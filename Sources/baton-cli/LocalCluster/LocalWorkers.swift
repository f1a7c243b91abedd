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

/// Workers on this host: child processes that die with this process, restarted after an unexpected end, but not after a stop on
/// request.
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
    }

    private struct State {
        var lives: [Int: Life] = [:]
        var delays: [Int: Duration] = [:]
        var nextToken: UInt64 = 0
        var isStopping = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let count: Int
    private let arguments: [String]
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
    ///   - isInsecure: whether the coordinator has no keys; otherwise the workers use the keys of the home.
    ///   - drainTimeout: how long executing operations may go on after a request to end.
    ///   - outputLimit: the maximum number of bytes stored per output stream; nil stands for the worker's default.
    ///   - openFiles: the limit of open files of each worker; nil stands for the limit of this process.
    ///   - logLevel: the level of the workers' logs; nil stands for that of this process.
    init(
        count: Int,
        slots: Int,
        resources: WorkerResourceArguments,
        coordinator: String,
        home: String,
        isInsecure: Bool = false,
        drainTimeout: Duration = .zero,
        outputLimit: UInt64? = nil,
        openFiles: OpenFileLimit? = nil,
        logLevel: Logger.Level? = nil,
        logger: Logger
    ) throws {
        self.count = count
        self.logger = logger
        grace = drainTimeout + Self.gracePeriod
        arguments =
            [Surroundings.ownProgram, "worker", "--slots", "\(slots)", "--coordinator", coordinator, "--home", home]
            + ["--drain-timeout", drainTimeout.text] + (isInsecure ? ["--insecure"] : [])
            + resources.divided(among: count).arguments
            + (outputLimit.map { ["--output-limit", "\($0)"] } ?? [])
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
        for process in processes { kill(process, number) }
    }

    /// Starts all workers.
    func start() {
        for number in 1...count { launch(number) }
    }

    /// Ends all workers in order, and returns after their end, at the latest after the grace period.
    func stop() async {
        await withCheckedContinuation { continuation in
            let isGone = state.withLock { state in
                state.isStopping = true
                if !state.lives.isEmpty { state.waiters.append(continuation) }
                return state.lives.isEmpty
            }
            if isGone { continuation.resume() } else { supervisor.terminateAll(grace: grace) }
        }
        supervisor.shutDown()
    }

    /// Ends the workers at once with all their processes, for a process about to exit.
    ///
    /// A killed worker could not end the descendants of its operations, so the workers get signals instead.
    func stopNow() {
        let (processes, wasStopping) = state.withLock { state in
            defer { state.isStopping = true }
            return (state.lives.values.compactMap(\.process), state.isStopping)
        }
        guard !processes.isEmpty else { return }
        for process in processes {
            // The second signal ends a worker at once. Use two different signals, because the system may merge two equal
            // signals.
            if !wasStopping { kill(process, SIGTERM) }
            kill(process, SIGINT)
        }
        _ = allEnded.wait(for: .seconds(2))
    }

    private func launch(_ number: Int) {
        let token = state.withLock { state -> UInt64? in
            guard !state.isStopping else { return nil }
            state.nextToken += 1
            state.lives[number] = Life(token: state.nextToken, start: .now)
            return state.nextToken
        }
        guard let token else { return }
        var specification = ProcessSpecification(
            arguments: arguments + ["--name", "w\(number)"],
            environment: .withoutKeys
        )
        specification.standardOutput = .descriptor(2)
        specification.standardError = .descriptor(2)
        supervisor.launch(
            specification,
            token: token,
            onStart: { [weak self] process in self?.started(number, process, token) },
            onEnd: { [weak self] result in self?.ended(number, result) }
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

    private func ended(_ number: Int, _ result: Result<ProcessExit, LaunchFailure>) {
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
        if case .success(let exit) = result, exit.end == .exited(ExitStatus.notAllowed) {
            logger.error("a worker is not allowed in, and is not started again", metadata: ["worker": "w\(number)"])
            return
        }
        if case .success(let exit) = result, exit.end == .exited(ExitStatus.success) {
            // A worker ends with this status only on request.
            logger.notice("a worker was stopped, and is not started again", metadata: ["worker": "w\(number)"])
            return
        }
        logger.warning(
            "a worker ended unexpectedly and is started again",
            metadata: ["worker": "w\(number)", "end": "\(Self.sentence(result))", "delay": "\(delay)"]
        )
        Task { [weak self] in
            try? await pause(for: delay)
            self?.launch(number)
        }
    }

    private static func sentence(_ result: Result<ProcessExit, LaunchFailure>) -> String {
        switch result {
        case .failure(let failure): failure.description
        case .success(let exit):
            switch exit.end {
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "signal \(signal)"
            case .unknown: "unknown"
            }
        }
    }
}
