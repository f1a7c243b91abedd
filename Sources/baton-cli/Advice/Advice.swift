@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker

/// What a user of the command line can do about an error or a reason for waiting.
///
/// The other modules report events and facts, because programs and web pages show their sentences too. Only the command line
/// names commands and options. Advice depends on the error's code and facts, never on its sentence.
enum Advice {
    /// The advice for an operation that could not be started.
    ///
    /// - Parameter worker: the name of the worker that tried; nil for several.
    static func aboutLaunch(on worker: String?) -> String {
        let host = worker.map { "the host of its worker \($0.asShown)" } ?? "the hosts of the workers"
        return "The program, its directory (--cwd) and its files have to be on \(host)."
    }

    /// The advice for an operation that failed for a reason; nil if the reason or the output of the operation suffices.
    ///
    /// - Parameter worker: the name of the worker of the operation; nil for several.
    static func about(_ reason: Reason.Code, on worker: String?) -> String? {
        switch reason {
        case .launch: aboutLaunch(on: worker)
        case .files:
            "The paths of --outputs are below the directory of the operation, and a '?' at the end of one lets it match nothing."
        case .input:
            "Submit the operations that made the files again. Operations with --restart never do not run again by themselves."
        default: nil
        }
    }

    /// What to do where an operation cannot run a command through the cluster, because it has the slot, or the place within a limit,
    /// that the command needs.
    static let aboutRunInOperation =
        "Run the command without baton inside the operation, or make room for both: give the workers more slots, or raise the limit "
        + "with \"baton limit set\" or \"baton queue set\". A make whose lines are operations is started outside of one, with "
        + "SHELL='baton make-shell': its recursive lines take no slot."
    /// Where to find the names of the queues.
    static let queues = "See \"baton queue list\"."
    /// Where to find the states of the workers.
    static let workers = "See \"baton workers\"."
    /// How to get a key that a coordinator admits.
    static let newKey =
        "On the coordinator's home, make a key with \"baton authorize --role ROLE NAME\"; here, give it to \"baton join -\", "
        + "BATON_KEY or BATON_KEY_FILE."
    /// The advice if the keys of the two sides do not match.
    static let otherKey =
        "Take over that coordinator's key with \"baton join -\". If either side runs with --insecure, so must the other."

    /// The advice for an error of the connection to the coordinator; a refusal has ``about(_:of:)``.
    static func about(_ error: ClientError) -> String? {
        switch error.code {
        case .unknownHost: "Check the name, or give another address with --coordinator or BATON_COORDINATOR."
        case .unreachable:
            "Start one with \"baton coordinator\", or name another with --coordinator or BATON_COORDINATOR."
        case .notCoordinator: "Check the address, or give another with --coordinator or BATON_COORDINATOR."
        case .silent: "See the process and its log on that host, or give another address with --coordinator."
        case .standby:
            "Name the leader's address, too, with a comma between them, in --coordinator or BATON_COORDINATOR."
        case .keyRefused: newKey
        case .keyMismatch: otherKey
        case .submissionUnanswered:
            "Check with \"baton list\" before you submit again; with --key, submitting twice is safe."
        default: nil
        }
    }

    /// The advice for a coordinator that cannot start because another coordinator leads on its record.
    static let standby = "Start this one with --standby to stand in for it."

    /// The advice for a coordinator that cannot start or continue.
    static func about(_ error: CoordinatorError) -> String? {
        switch error.code {
        case .addressInUse: "Stop it, or choose another address: with --listen, for \"baton start\" with --coordinator."
        case .storeInUse: "Stop that coordinator, or name another record with --store."
        case .stateInUse: "Stop that coordinator, or give this one a directory of its own with --home."
        // The sentence says what has to end, and the record is the right one.
        case .storeNotAccessible where error.mayPass: nil
        case .storeNotAccessible, .storeUnreadable: "Another record can be named with --store."
        case .storeUnreachable: "Check the address in --store or BATON_STORE, too."
        case .deposed: standby
        case .storeElsewhere: "Name it with --store."
        default: nil
        }
    }

    /// The advice for keys that cannot be read, found or used.
    static func about(_ error: KeyError) -> String? {
        switch error.code {
        case .exposed: error.path.map { "Run: chmod go-rwx \($0)" }
        case .exposedToAll: error.path.map { "Run: chmod g-w,o-rwx \($0)" }
        case .changeable: error.path.map { "Run: chmod go-w \($0)" }
        case .foreign where error.variable != nil:
            error.variable.map { "Name a file of this user in \($0), with mode 0600." }
        case .notAccessible where error.mayPass: "Try again once the cause is gone."
        case .notAccessible where error.variable != nil: error.variable.map { "Check the path in \($0)." }
        case .noRoom: "Make room there, and repeat the command."
        case .otherVersion: "Install the same version of Baton on this host and on the coordinator's."
        case .foreign, .notAccessible: "Use a home of your own, with --home or BATON_HOME."
        case .noKey: newKey
        case .ambiguous:
            "Choose one by its address with --coordinator or BATON_COORDINATOR, or give the key in BATON_KEY or BATON_KEY_FILE."
        case .nameInUse: "Choose another name, or revoke the key first: see \"baton keys\"."
        case .otherCoordinator:
            "If this host is to stand by for the other coordinator, stop its own and move the directory away; else name another home with "
                + "--home or BATON_HOME."
        case .unknownKey: "See \"baton keys\"."
        case .invalidToken where error.variable == nil && error.path == nil:
            "Copy the whole line that \"baton authorize\" printed."
        case .wrongRole, .invalidToken: newKey
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
        case .controlGroup:
            "Delegate a control group with the memory controller to the worker, or leave --memory-control out."
        case .addressInUse: "Choose another port with --data, or * for any free port."
        case .addressMissing: "Give --data an address of this host, or a name of it that the other hosts know."
        case .keyRefused: newKey
        case .keyMismatch: otherKey
        default: nil
        }
    }
}
