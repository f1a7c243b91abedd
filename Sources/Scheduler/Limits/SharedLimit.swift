@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// A limit that several queues share: so many units, of which operations take some while they are at workers.
struct SharedLimit: Sendable {
    /// The most units that operations may take together.
    var units: Int
    /// The units of each operation at a worker.
    private(set) var holders: [OperationID: Int] = [:]
    /// The units that operations have taken: more than there are after the limit was lowered (LI3).
    private(set) var taken = 0

    /// A limit of which nothing is taken.
    init(units: Int) { self.units = units }

    /// The units that are left; negative after the limit was lowered below what is taken.
    var free: Int { units - taken }

    /// Notes that an operation has taken units.
    mutating func take(_ number: Int, for operation: OperationID) {
        let earlier = holders.updateValue(number, forKey: operation)
        invariant(earlier == nil, "An operation takes units of a limit twice.")
        taken += number
    }

    /// Takes back the units of an operation, if it has any.
    mutating func giveBack(by operation: OperationID) {
        taken -= holders.removeValue(forKey: operation) ?? 0
        invariant(taken >= 0, "Operations have given back more units of a limit than they took.")
    }
}
