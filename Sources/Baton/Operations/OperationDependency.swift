@_spi(Baton) import BatonOperations

/// A dependency as a program has named it.
struct OperationDependency: Hashable, Sendable {
    /// The target of a dependency.
    enum Target: Hashable, Sendable {
        /// An operation of this program, added or not.
        case operation(DistributedOperation)
        /// Any operation of the cluster, by its address.
        case address(OperationAddress)
        /// A whole job.
        case job(Int)
    }

    var target: Target
    var condition: DependencyCondition

    /// Whether another dependency has the same target and condition, so that adding both is adding one (DE11).
    func isSame(as other: OperationDependency) -> Bool { self == other }

    /// The operation of this program; nil for another target.
    var operation: DistributedOperation? {
        if case .operation(let operation) = target { operation } else { nil }
    }
}
