@_spi(Baton) import BatonOperations
import Synchronization

/// The search for a cycle among operations that have not been added, or wait for the additions of others (L4, DE16, DE18).
///
/// Cycles through operations of the cluster are the coordinator's to refuse.
enum DependencyCycle {
    /// Looks for a cycle that the addition of operations would close.
    ///
    /// - Throws: ``ClusterError`` `cycle`, with the path.
    /// - Complexity: O(operations + dependencies), and nothing for an operation alone that nobody waits for.
    static func refuse(adding operations: [DistributedOperation], missing: MissingAdditions) throws(ClusterError) {
        let added = operations.count > 1 ? Set(operations.map { ObjectIdentifier($0) }) : []
        // A cycle leaves the group only through an operation that an earlier addition depends on.
        let mayLeave = operations.contains { missing.isExpected($0) }
        func next(_ operation: DistributedOperation) -> [DistributedOperation] {
            operation.status.withLock(\.dependencies).compactMap(\.operation).filter { target in
                operations[0] === target || added.contains(ObjectIdentifier(target))
                    || mayLeave && (target.isOnItsWay || missing.isWaiting(target))
            }
        }
        if operations.count == 1, let only = operations.first, !mayLeave,
            !only.status.withLock(\.dependencies).contains(where: { $0.operation === only })
        {
            return
        }
        var isDone: [ObjectIdentifier: Bool] = [:]
        for start in operations where isDone[ObjectIdentifier(start)] == nil {
            var path = [(operation: start, rest: next(start)[...])]
            isDone[ObjectIdentifier(start)] = false
            while let top = path.last {
                guard let target = top.rest.first else {
                    isDone[ObjectIdentifier(top.operation)] = true
                    path.removeLast()
                    continue
                }
                path[path.count - 1].rest = top.rest.dropFirst()
                switch isDone[ObjectIdentifier(target)] {
                case nil:
                    isDone[ObjectIdentifier(target)] = false
                    path.append((target, next(target)[...]))
                case false?:
                    let begin = path.firstIndex { $0.operation === target } ?? 0
                    throw .cycle(path[begin...].map(\.operation) + [target], among: operations)
                case true?: break
                }
            }
        }
    }
}

extension DistributedOperation {
    /// Whether the operation has been added, and the coordinator has not answered.
    fileprivate var isOnItsWay: Bool {
        switch status.withLock(\.place) {
        case .waiting, .sent: true
        case .free, .added, .refused, .unanswered: false
        }
    }
}

extension ClusterError {
    fileprivate static func cycle(
        _ path: [DistributedOperation],
        among operations: [DistributedOperation]
    ) -> ClusterError {
        let positions = Dictionary(
            operations.enumerated().map { (ObjectIdentifier($1), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let labels = path.map { operation in
            if let name = operation.name { return name }
            if let address = operation.status.withLock(\.place.id) { return address.description }
            return positions[ObjectIdentifier(operation)].map { "#\($0)" } ?? "an operation without a name"
        }
        return ClusterError(
            .cycle,
            "The dependencies form a cycle: \(labels.map(\.asShown).joined(separator: " -> ")).",
            path: labels
        )
    }
}
