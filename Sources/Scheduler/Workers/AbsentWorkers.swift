@_spi(Baton) import BatonOperations

/// The workers that had a session before a restart and have not returned.
///
/// The names of the workers stay reserved for as long as a silent worker would take to count as lost without a restart.
struct AbsentWorkers: Sendable {
    /// The identity of each absent worker, by name.
    private var identities: [String: WorkerID] = [:]
    /// The end of the reservations.
    private var until = Timestamp(rawValue: 0)

    init() {}

    init(identities: [String: WorkerID], until: Timestamp) {
        // The record of an older Baton may lack a worker's identity, and without an identity no name can be reserved.
        self.identities = identities.filter { $0.value != .unknown }
        self.until = until
    }

    /// Whether a name is reserved for a worker of another identity.
    func isReserved(_ name: String, against id: WorkerID, at now: Timestamp) -> Bool {
        guard now < until, let owner = identities[name] else { return false }
        return owner != id
    }

    /// Ends the reservation of a name, after a worker has joined under this name.
    mutating func free(_ name: String) {
        identities[name] = nil
    }
}
