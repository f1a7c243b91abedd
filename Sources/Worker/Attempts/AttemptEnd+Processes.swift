import BatonOperations
import BatonProcesses

extension AttemptEnd {
    /// The end of an attempt that was cancelled before any of its commands ran.
    static let cancelledBeforeStart = AttemptEnd.cancelled(exitStatus: nil, signal: nil)

    /// The end of an attempt out of the ends of its commands: the first in their order that is no success (BL1), unless one of
    /// them was sent a signal (CA16).
    ///
    /// - Parameters:
    ///   - commands: how each command ended, in their order.
    ///   - cause: why the attempt was ended before its time, if it was.
    init(of commands: [Result<ProcessExit, LaunchFailure>], endedFor cause: WorkerSession.EndCause?) {
        let own = commands.lazy.map { Self(of: $0) }.first { $0 != .exited(0) } ?? .exited(0)
        if commands.contains(where: \.hasTimedOut) {
            self = .timedOut
        } else if let cause, commands.contains(where: \.wasTerminated) {
            // Whatever it did when it was asked to end, nobody knows how far it had come.
            self = cause.isInterruption ? .interrupted : own.cancelled
        } else {
            self = own
        }
    }

    /// The end of an attempt that was cancelled, of which this is all that its commands tell.
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
            // Something in the worker's own process waited for it: nobody can tell how it ended.
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
    /// Whether it was ended because its timeout was over.
    fileprivate var hasTimedOut: Bool {
        if case .success(let exit) = self { exit.timedOut } else { false }
    }

    /// Whether it was ended before its time because somebody asked for it.
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
