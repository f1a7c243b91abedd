@_spi(Baton) import BatonOperations

/// The workers that had a session before a restart and have not returned.
///
/// The names of the workers stay reserved for as long as a silent worker would take to count as lost without a restart.
struct AbsentWorkers: Sendable {
    /// The record of each absent worker with an identity, by name.
    private var records: [String: WorkerRecord] = [:]
    /// The end of the reservations.
    private var until = Timestamp(rawValue: 0)

    init() {}

    init(_ records: [String: WorkerRecord], until: Timestamp) {
        // The record of an older Baton may lack a worker's identity, and without an identity no name can be reserved.
        self.records = records.filter { $0.value.id != .unknown }
        self.until = until
    }

    /// The worker that a name is reserved for; nil for none.
    func owner(of name: String, at now: Timestamp) -> WorkerRecord? { now < until ? records[name] : nil }

    /// Ends the reservation of a name, after a worker has joined under this name.
    mutating func free(_ name: String) {
        records[name] = nil
    }
}
