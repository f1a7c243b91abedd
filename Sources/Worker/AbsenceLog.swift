@_spi(Baton) import BatonZeroMQ

/// Decides when the log tells that the coordinator cannot be reached: at first, and then once a minute while it lasts.
struct AbsenceLog {
    /// The interval between two log lines.
    static let interval = Duration.seconds(60)

    private var toldAt: Duration?

    /// Notes that the coordinator cannot be reached.
    ///
    /// - Returns: whether the log shall tell it.
    mutating func isDue(at now: Duration) -> Bool {
        if let toldAt, now - toldAt < Self.interval { return false }
        toldAt = now
        return true
    }

    /// Notes that the coordinator can be reached.
    ///
    /// - Returns: whether the log has told that it could not be.
    mutating func end() -> Bool {
        defer { toldAt = nil }
        return toldAt != nil
    }
}

/// The reason why a worker does not reach its coordinator.
enum CoordinatorAbsence: Hashable {
    /// The host's name has no address.
    case unknownHost
    /// No process listens at the address.
    case refused
    /// Nothing answers.
    case silent
    /// The system's reason in words.
    case failed(String)
    /// The process at the address accepts connections, and answers no hello.
    case noWelcome

    /// Takes over the finding of a search; nil for a found server.
    init?(_ finding: ServerSearch.Finding) {
        switch finding {
        case .server: return nil
        case .unknownHost: self = .unknownHost
        case .refused: self = .refused
        case .silent: self = .silent
        case .failed(let reason): self = .failed(reason)
        }
    }

    /// The reason as a line of a log.
    var line: String {
        switch self {
        case .unknownHost: "the coordinator's host is unknown; trying again"
        case .refused: "the coordinator's host refuses: no process listens at the address; trying again"
        case .silent: "the coordinator's host is silent: it is away, or a firewall is between; trying again"
        case .failed(let reason): "the coordinator cannot be reached: \(reason); trying again"
        case .noWelcome: "the process at the coordinator's address does not answer like a coordinator; trying again"
        }
    }
}
