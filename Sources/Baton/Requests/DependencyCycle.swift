@_spi(Baton) import BatonOperations
import Synchronization

/// The search for a cycle among operations that are added, and those on which earlier additions of the program wait (L4, DE16, DE18).
///
/// An earlier addition whose answer has come may be part of the cycle: what it waits for is known to the program alone. Cycles through
/// operations of other programs are the coordinator's to refuse.
enum DependencyCycle {
    /// Looks for a cycle that the addition of operations would close.
    ///
    /// - Throws: ``ClusterError`` `cycle`, with the path.
    /// - Complexity: O(operations + dependencies), and nothing for an operation alone that nobody waits for.
    static func refuse(adding operations: [DistributedOperation], missing: MissingAdditions) throws(ClusterError) {
        // A cycle leaves the group only through an operation that an earlier addition depends on.
        let mayLeave = operations.contains { missing.isExpected($0) }
        if operations.count == 1, let only = operations.first, !mayLeave,
            !only.status.withLock(\.dependencies).contains(where: { $0.operation === only })
        {
            return
        }
        var found = operations
        var numbers = Dictionary(
            operations.enumerated().map { (ObjectIdentifier($1), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        func number(of target: DistributedOperation) -> Int? {
            if let known = numbers[ObjectIdentifier(target)] { return known }
            guard mayLeave, target.isUnfinished || missing.isWaiting(target) else { return nil }
            numbers[ObjectIdentifier(target)] = found.count
            found.append(target)
            return found.count - 1
        }
        let search = CycleSearch(nodeCount: operations.count) { node in
            found[node].status.withLock(\.dependencies).compactMap(\.operation).compactMap { number(of: $0) }[...]
        }
        guard let cycle = search.cycle else { return }
        let labels = cycle.map { number in
            if let name = found[number].name { return name }
            if let address = found[number].status.withLock(\.place.id) { return address.description }
            return number < operations.count ? "#\(number)" : "an operation without a name"
        }
        throw ClusterError(
            .cycle,
            "The dependencies form a cycle: \(labels.map(\.asShown).joined(separator: " -> ")).",
            path: labels
        )
    }
}

extension DistributedOperation {
    /// Whether the operation was added, and has not finished as far as the program has heard.
    fileprivate var isUnfinished: Bool {
        status.withLock { status in
            switch status.place {
            case .waiting, .sent: true
            case .added: !status.isFinished
            case .free, .refused, .unanswered: false
            }
        }
    }
}
