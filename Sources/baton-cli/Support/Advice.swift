@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonWorker

/// What a user of the command line can do about an error or a reason for waiting.
///
/// The other modules report events and facts, because programs and web pages show their sentences too. Only the command line
/// names commands and options. Advice depends on the error's code and facts, never on its sentence.
enum Advice {
    /// Where to find the names of the queues.
    static let queues = "See \"baton queue list\"."
    /// Where to find the states of the workers.
    static let workers = "See \"baton workers\"."
    /// How to use another key.
    static let keys = "A key is taken over with \"baton join TOKEN\", or given in BATON_KEY or BATON_KEY_FILE."

    /// The advice for an error of the connection to the coordinator; a refusal has ``about(_:of:)``.
    static func about(_ error: ClientError) -> String? {
        switch error.code {
        case .unknownHost: "Check the name, or give another address with --coordinator or BATON_COORDINATOR."
        case .unreachable:
            "Start one with \"baton coordinator\", or name another with --coordinator or BATON_COORDINATOR."
        case .notCoordinator: "Check the address, or give another with --coordinator or BATON_COORDINATOR."
        case .keyRefused, .keyMismatch: keys
        case .submissionUnanswered:
            "Check with \"baton list\" before you submit again; with --key, submitting twice is safe."
        default: nil
        }
    }

    /// The advice for a coordinator that cannot start or continue.
    static func about(_ error: CoordinatorError) -> String? {
        switch error.code {
        case .addressInUse: "Stop it, or choose another address with --listen."
        case .insecureAddress: "Listen on a loopback address, or give --insecure for a trusted network."
        case .storeInUse: "Stop that coordinator, or name another file with --store."
        case .storeNotAccessible, .storeUnreadable: "Another file can be named with --store."
        case .storeElsewhere: "Name the file with --store."
        default: nil
        }
    }

    /// The advice for a worker that cannot start or go on.
    static func about(_ error: WorkerError) -> String? {
        switch error.code {
        case .directoryInUse: "Stop it, or give this worker another --name."
        case .unavailable: "Names are given with --name; --replace replaces a worker of the same name."
        case .copied: "Give each worker its own --name."
        case .noName: "Give it a --name."
        case .keyRefused, .keyMismatch: keys
        default: nil
        }
    }
}
