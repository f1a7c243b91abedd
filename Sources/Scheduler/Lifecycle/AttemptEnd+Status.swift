@_spi(Baton) import BatonOperations

extension AttemptEnd {
    /// Whether nothing of the attempt has run, so that it is given back as if it had never been sent.
    var hasNotRun: Bool {
        switch self {
        case .workerFault(_, hasRun: false), .noRoom(_, hasRun: false), .lostInputs: true
        default: false
        }
    }

    /// The exit status, if the commands exited.
    var exitStatus: Int32? {
        switch self {
        case .exited(let status): status
        case .cancelled(let status, _): status
        case .signalled, .timedOut, .exceededMemory, .notStarted, .unusableResult, .unkeptFiles, .threw, .workerFault,
            .noRoom, .lostInputs, .interrupted, .stopped:
            nil
        }
    }

    /// The signal that ended a command, if any.
    var signal: Int32? {
        switch self {
        case .signalled(let number): number
        case .cancelled(_, let number): number
        case .exited, .timedOut, .exceededMemory, .notStarted, .unusableResult, .unkeptFiles, .threw, .workerFault,
            .noRoom, .lostInputs, .interrupted, .stopped:
            nil
        }
    }
}
