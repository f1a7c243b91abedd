import BatonOperations

/// The workers that had a session before a restart and have not come back: their names are theirs for as long as they would
/// not count as lost without the restart.
struct AbsentWorkers: Sendable {
    /// Who they are.
    private var identities: [String: WorkerID] = [:]
    /// Until when others do not get their names.
    private var until = Timestamp(rawValue: 0)

    init() {}

    init(identities: [String: WorkerID], until: Timestamp) {
        // Of whom the record of an older Baton does not say who it was, nobody can tell.
        self.identities = identities.filter { $0.value != .unknown }
        self.until = until
    }

    /// Whether a name belongs to another worker, which may yet come back.
    func hold(_ name: String, against id: WorkerID, at now: Timestamp) -> Bool {
        guard now < until, let owner = identities[name] else { return false }
        return owner != id
    }

    /// Notes that somebody has the name.
    mutating func giveUp(_ name: String) {
        identities[name] = nil
    }
}
