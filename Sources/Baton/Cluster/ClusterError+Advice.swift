@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker

/// What the user of a program can do about errors of the connection and the key.
extension ClusterError {
    /// The advice for an error of the connection; nil if the sentence has it already, or nothing helps.
    static func advice(on error: ClientError) -> String? {
        switch error.code {
        case .unknownHost, .notCoordinator:
            "Check the address: Cluster(coordinator:), else BATON_COORDINATOR, else the address of the key."
        case .unreachable:
            "Start one with \"baton coordinator\", or give the address of another in Cluster(coordinator:) or BATON_COORDINATOR."
        case .standby:
            "Give the leader's address, too, with a comma between them, in Cluster(coordinator:) or BATON_COORDINATOR."
        case .key: error.keyError.flatMap { advice(on: $0, role: "client") }
        case .keyRefused: origin(of: error.keySource) + newKey(role: "client")
        case .keyMismatch: origin(of: error.keySource) + otherKey
        default: nil
        }
    }

    /// The advice for a key that cannot be found, read or used.
    ///
    /// - Parameter role: the role that the key should have.
    static func advice(on error: KeyError, role: String) -> String? {
        switch error.code {
        case .noKey, .wrongRole, .invalidToken: newKey(role: role)
        case .exposed: error.path.map { "Run: chmod go-rwx \($0.asShown)" }
        case .changeable: error.path.map { "Run: chmod go-w \($0.asShown)" }
        case .notAccessible where error.mayPass: "Try again once the cause is gone."
        case .foreign, .notAccessible:
            "Give the program files of its own user: a home in BATON_HOME, or a key in BATON_KEY or BATON_KEY_FILE."
        case .ambiguous:
            "Name the coordinator by the address in its key, or give the key in BATON_KEY or BATON_KEY_FILE."
        default: nil
        }
    }

    /// The advice for a worker that cannot start or go on.
    static func advice(on error: WorkerError) -> String? {
        switch error.code {
        case .directoryInUse: "Stop it, or give this worker another name or directory."
        case .unavailable: "Give this worker another name."
        case .copied, .noName: "Give each worker a name of its own."
        case .keyRefused: newKey(role: "worker")
        case .keyMismatch: otherKey
        default: nil
        }
    }

    /// Why a home has no key for a worker, if no coordinator has ever run there; nil otherwise.
    static func cause(of error: KeyError, in directory: KeyDirectory) -> String? {
        guard error.code == .noKey else { return nil }
        do {
            guard try directory.serverKey() == nil else { return nil }
        } catch {
            return nil
        }
        return "It seems that no coordinator was started on this home yet: \"baton coordinator\" makes the keys."
    }

    private static func newKey(role: String) -> String {
        "At the coordinator, make a key with \"baton authorize --role \(role) NAME\". Here, take it with \"baton join -\", or put it "
            + "into BATON_KEY, or into a file that BATON_KEY_FILE names."
    }

    private static let otherKey =
        "Take over that coordinator's key with \"baton join -\". A coordinator without keys needs BATON_INSECURE=1 here."

    /// Where the key was found, as a sentence; empty if that is unknown.
    private static func origin(of source: KeyLookup.Finding.Source?) -> String {
        switch source {
        case .variable: "The key is that of BATON_KEY. "
        case .file(let path): "The key is that of the file \(path.asShown), which BATON_KEY_FILE names. "
        case .operation: "The key is that of the operation which this program belongs to, in BATON_TOKEN. "
        case .home: "The key is one of the home, BATON_HOME or ~/.local/state/baton. "
        case nil: ""
        }
    }
}

extension String {
    /// The sentence with advice behind it, if any.
    func followed(by advice: String?) -> String { advice.map { "\(self) \($0)" } ?? self }
}
