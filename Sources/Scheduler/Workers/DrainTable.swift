@_spi(Baton) import BatonOperations

/// The workers that get nothing new until an administrator takes the request back, by identity, present or not.
struct DrainTable: Sendable {
    private var drains: [WorkerID: DrainRecord]

    init(_ drains: [WorkerID: DrainRecord] = [:]) {
        self.drains = drains
    }

    /// The drain of a worker; nil if the worker is not drained.
    subscript(id: WorkerID) -> DrainRecord? {
        get { drains.isEmpty ? nil : drains[id] }
        set { drains[id] = newValue }
    }

    /// The identities of the drained workers that had a name at the request, in a fixed order.
    ///
    /// - Complexity: O(drains).
    func identities(named name: String) -> [WorkerID] {
        drains.lazy.filter { $0.value.name == name }.map(\.key).sorted { $0.rawValue < $1.rawValue }
    }

    /// All drains.
    var all: [WorkerID: DrainRecord] { drains }
}
