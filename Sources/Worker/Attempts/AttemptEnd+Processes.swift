import Operations
import Processes

extension AttemptEnd {
    /// SIGTERM: what an attempt ended by that was cancelled before any of its commands ran.
    static let cancelledBeforeStart = AttemptEnd.signalled(15)

    /// The end of an attempt out of the ends of its commands: the first in their order that is no success (BL1).
    ///
    /// - Parameters:
    ///   - commands: how each command ended, in their order.
    ///   - cause: why the attempt was ended before its time, if it was.
    init(of commands: [Result<ProcessExit, LaunchFailure>], endedFor cause: WorkerSession.EndCause?) {
        if cause?.isInterruption == true, commands.contains(where: \.wasTerminated) {
            // Whatever it did when it was asked to end, nobody knows how far it had come.
            self = .interrupted
        } else {
            self = commands.lazy.map { Self(of: $0) }.first { $0 != .exited(0) } ?? .exited(0)
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
