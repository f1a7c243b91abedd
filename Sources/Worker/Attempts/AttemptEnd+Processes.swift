@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

extension AttemptEnd {
    /// The end of an attempt cancelled before any of its commands ran.
    static let cancelledBeforeStart = AttemptEnd.cancelled(exitStatus: nil, signal: nil)

    /// Derives the end of an attempt from the ends of its commands.
    ///
    /// The first unsuccessful command, in order, decides (BL1), unless the worker signalled a command (CA16).
    ///
    /// - Parameters:
    ///   - commands: the ends of the commands, in order.
    ///   - cause: the cause for which the attempt was ended early, if any.
    ///   - memory: the limit of the commands' memory in bytes, if any.
    init(
        of commands: [Result<ProcessExit, LaunchFailure>],
        endedFor cause: WorkerSession.EndCause?,
        memory: Int64?
    ) {
        let own = commands.lazy.map { Self(of: $0) }.first { $0 != .exited(0) } ?? .exited(0)
        if let memory, commands.contains(where: \.hasExceededMemory) {
            self = .exceededMemory(limit: memory)
        } else if commands.contains(where: \.hasTimedOut) {
            self = .timedOut
        } else if let cause, commands.contains(where: \.wasTerminated) {
            // After an interruption, the attempt's progress is unknown, however its commands ended.
            self = cause.interruption ?? own.cancelled
        } else {
            self = own
        }
    }

    /// The end of a cancelled attempt whose commands ended in this way.
    private var cancelled: AttemptEnd {
        switch self {
        case .exited(let status): .cancelled(exitStatus: status, signal: nil)
        case .signalled(let signal): .cancelled(exitStatus: nil, signal: signal)
        default: .cancelledBeforeStart
        }
    }

    private init(of command: Result<ProcessExit, LaunchFailure>) {
        switch command {
        case .success(let exit) where exit.timedOut:
            self = .timedOut
        case .success(let exit):
            switch exit.end {
            case .exited(let status): self = .exited(status)
            case .signalled(let signal): self = .signalled(signal)
            // Other code in the worker's process has reaped the command: its exit status is lost.
            case .unknown: self = .interrupted
            }
        case .failure(let failure):
            switch failure.reason {
            case .terminated: self = .cancelledBeforeStart
            case .shutDown: self = .interrupted
            default: self = .notStarted(failure.sentence)
            }
        }
    }
}

extension Result<ProcessExit, LaunchFailure> {
    /// Whether the command was ended because its timeout was over.
    fileprivate var hasTimedOut: Bool {
        if case .success(let exit) = self { exit.timedOut } else { false }
    }

    /// Whether the command was ended because the attempt used more memory than its limit.
    var hasExceededMemory: Bool {
        switch self {
        case .success(let exit): exit.exceededMemory
        case .failure(let failure): failure.reason == .memory
        }
    }

    /// Whether the command was ended early on request.
    fileprivate var wasTerminated: Bool {
        switch self {
        case .success(let exit): exit.terminated
        case .failure(let failure): failure.reason == .terminated || failure.reason == .shutDown
        }
    }
}

extension LaunchFailure {
    /// The description as a sentence of its own.
    var sentence: String {
        description.prefix(1).uppercased() + description.dropFirst() + "."
    }
}
