@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A run of `baton top`: asks the coordinator once a second, and shows its answers until the end.
///
/// While a question is open, no other is asked: a coordinator that is away or busy gets no queue of them.
struct TopSession {
    /// What happens while the command runs.
    fileprivate enum Event: Sendable {
        case tick
        case keys([TypedKey])
        case resized
        case ended(signal: Int32)
        case overview(Result<OverviewDocument, CommandFailure>)
        case job(TopState.OpenJob)
    }

    /// The most jobs that are shown.
    private static let mostJobs: UInt32 = 50
    /// The most kinds of failures of a job that are shown.
    private static let mostFailures: UInt32 = 3
    /// How long an answer may take; then the question is asked anew.
    private static let patience = Duration.seconds(5)

    let connection: ClientConnection
    /// Whether each answer is printed as a document, instead of drawn.
    let isJSON: Bool

    private let start = ContinuousClock.now

    init(on connection: ClientConnection, isJSON: Bool) {
        self.connection = connection
        self.isJSON = isJSON
    }

    private var elapsed: Duration { .now - start }

    /// The first answer, which a command needs to begin.
    func firstState() async throws -> TopState {
        TopState(try await overview(timeout: GlobalOptions.answerTimeout), at: elapsed)
    }

    /// The lines of one frame.
    func lines(of state: TopState, width: Int, height: Int?, style: Style, hasKeys: Bool = false) -> [String] {
        TopFrame(state: state, width: width, height: height, style: style, time: elapsed, hasKeys: hasKeys).lines
    }

    /// Shows the cluster until the user or a signal ends the command.
    ///
    /// - Returns: how the process is to end.
    func run() async throws -> CommandEnd {
        var state = try await firstState()
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let screen =
            isJSON
            ? nil
            : try TopScreen { keys in
                continuation.yield(.keys(keys))
                return !keys.contains { Self.end(at: $0) != nil }
            }
        defer { screen?.leave() }
        let ends = SignalWatcher { signal, count in
            continuation.yield(.ended(signal: signal))
            // The command does not come to the first signal, so the second one ends it here.
            guard count > 1 else { return }
            screen?.leave()
            CommandEnd.signal(signal).endProcess()
        }
        let sizes = SignalWatcher(of: [SIGWINCH]) { _, _ in continuation.yield(.resized) }
        defer { withExtendedLifetime((ends, sizes)) {} }
        let clock = Task {
            while !Task.isCancelled {
                try await pause(for: .seconds(1))
                continuation.yield(.tick)
            }
        }
        defer { clock.cancel() }
        var isAsking = false
        var isAskingJob = false
        if isJSON { try Output.document(state.overview) }
        try show(state, on: screen)
        for await event in events {
            switch event {
            case .ended(let signal): return .signal(signal)
            case .resized: break
            case .keys(let keys):
                for key in keys {
                    // Ctrl-Z.
                    if key == .character("\u{1A}") { try screen?.suspend() }
                    if let end = press(key, &state) { return end }
                }
            case .tick:
                if !isAsking {
                    isAsking = true
                    Task { continuation.yield(.overview(await answer())) }
                }
            case .overview(let result):
                isAsking = false
                switch result {
                case .success(let overview):
                    state.take(overview, at: elapsed)
                    if isJSON { try Output.document(state.overview) }
                case .failure(let failure):
                    // Whether the coordinator is away shows in the age of the last answer.
                    guard failure.status == ExitStatus.unreachable else { throw failure }
                }
            case .job(let job):
                isAskingJob = false
                // The user may look at something else by now.
                if state.open?.job == job.job { state.open = job }
            }
            if let open = state.open, !isAskingJob, event.isTimeToAsk {
                isAskingJob = true
                Task { continuation.yield(.job(await updated(open))) }
            }
            try show(state, on: screen)
        }
        return .status(ExitStatus.success)
    }

    private func show(_ state: TopState, on screen: TopScreen?) throws {
        guard let screen else { return }
        try screen.draw(
            lines(
                of: state,
                // One column stays free, because terminals differ in what they do at the end of a full line.
                width: max(1, Terminal.width - 1),
                height: Terminal.height,
                style: Output.style,
                hasKeys: screen.hasKeys
            )
        )
    }

    /// Does what a key asks for.
    ///
    /// - Returns: how the process is to end if the key ends the command.
    private func press(_ key: TypedKey, _ state: inout TopState) -> CommandEnd? {
        switch key {
        case .up, .character("k"): if state.open == nil { state.moveSelection(by: -1) }
        case .down, .character("j"): if state.open == nil { state.moveSelection(by: 1) }
        case .enter, .right:
            if state.open == nil, let job = state.selected { state.open = TopState.OpenJob(job: job) }
        case .escape, .left: state.open = nil
        case .character: break
        }
        return Self.end(at: key)
    }

    /// How the process is to end if a key ends the command.
    private static func end(at key: TypedKey) -> CommandEnd? {
        switch key {
        case .character("q"), .character("Q"): .status(ExitStatus.success)
        // Ctrl-C.
        case .character("\u{3}"): .signal(SIGINT)
        default: nil
        }
    }

    // MARK: - Questions

    private func overview(timeout: Duration) async throws -> OverviewDocument {
        let bytes = try await connection.document(.overview(jobs: Self.mostJobs), timeout: timeout)
        return try DocumentReader.read(OverviewDocument.self, from: bytes, isExact: isJSON)
    }

    private func answer() async -> Result<OverviewDocument, CommandFailure> {
        do {
            return .success(try await overview(timeout: Self.patience))
        } catch {
            return .failure(CommandFailure(error))
        }
    }

    /// A job with what the coordinator knows now.
    private func updated(_ open: TopState.OpenJob) async -> TopState.OpenJob {
        var open = open
        do {
            let bytes = try await connection.document(.job(open.job, from: 0, limit: 0), timeout: Self.patience)
            let document = try DocumentReader.read(JobDocument.self, from: bytes)
            if document.counts.failed != open.document?.counts.failed ?? 0 {
                let bytes = try await connection.document(
                    .failures(open.job, limit: Self.mostFailures),
                    timeout: Self.patience
                )
                open.failures = try DocumentReader.read(FailuresDocument.self, from: bytes)
            }
            open.waiting = await waiting(document)
            open.document = document
        } catch {
            open.fault = CommandFailure(error).message
        }
        return open
    }
}

extension TopSession {
    /// What holds the rest of a job up; nil where nothing waits.
    private func waiting(_ job: JobDocument) async -> WaitingDocument? {
        guard job.counts.ready + job.counts.pending > 0,
            let bytes = try? await connection.document(.waiting(job.job), timeout: Self.patience)
        else { return nil }
        return try? DocumentReader.read(WaitingDocument.self, from: bytes)
    }
}

extension TopSession.Event {
    /// Whether the event is a moment to ask about the job that the user looks at.
    fileprivate var isTimeToAsk: Bool {
        switch self {
        case .tick, .keys: true
        case .resized, .ended, .overview, .job: false
        }
    }
}
