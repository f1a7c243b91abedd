import Synchronization
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension DistributedOperation {
    /// The operations that have to end before this one may start, finished ones included, as far as this program has named
    /// them as objects.
    ///
    /// The order is that of the calls. An operation with two conditions is listed once.
    public final var dependencies: [DistributedOperation] {
        let operations = status.withLock { $0.dependencies.compactMap(\.operation) }
        guard operations.count > 1 else { return operations }
        var listed: Set<DistributedOperation> = []
        return operations.filter { listed.insert($0).inserted }
    }

    /// Makes the operation wait for another one; adding the same twice is adding it once.
    ///
    /// The other operation may be in any queue, and may be added later: until then, the operation is held. If the coordinator
    /// refuses a later addition that nobody awaited, the operation is cancelled. Added to an executing or finished operation, a
    /// dependency has no effect. A cycle is refused where it is sent. A second condition on the same operation holds
    /// beside the first.
    ///
    /// - Parameters:
    ///   - op: the operation that has to end first.
    ///   - condition: what it has to come to; by default, any end will do.
    public final func addDependency(_ op: DistributedOperation, requiring condition: DependencyCondition = .any) {
        add(OperationDependency(target: .operation(op), condition: condition))
    }

    /// Makes the operation wait for an operation of the cluster, by its address.
    public final func addDependency(on address: OperationAddress, requiring condition: DependencyCondition = .any) {
        add(OperationDependency(target: .address(address), condition: condition))
    }

    /// Makes the operation wait for a whole job; the condition concerns the outcome of the job.
    public final func addDependency(onJob number: Int, requiring condition: DependencyCondition = .any) {
        add(OperationDependency(target: .job(number), condition: condition))
    }

    /// Removes all dependencies on an operation; without effect if there is none.
    ///
    /// Removing the last unfinished one makes the operation ready.
    public final func removeDependency(_ op: DistributedOperation) {
        let (isRemoved, place) = status.withLock { status in
            (status.dependencyList.remove(on: op), status.place)
        }
        guard isRemoved, let queue = place.queue, place.isSentOrAdded else { return }
        queue.cluster.line.remove(dependencyOn: op, of: self)
    }

    private func add(_ dependency: OperationDependency) {
        let (isNew, place) = status.withLock { status in
            (status.dependencyList.append(dependency), status.place)
        }
        guard isNew, let queue = place.queue else { return }
        if let target = dependency.operation { Self.expect(target, in: queue.cluster) }
        if place.isSentOrAdded { queue.cluster.line.add(dependency, to: self) }
    }

    /// Notes the dependencies of the added operation that have not been added, for the search for cycles.
    final func expectDependencies(in cluster: Cluster) {
        for target in dependencies { Self.expect(target, in: cluster) }
    }

    private static func expect(_ target: DistributedOperation, in cluster: Cluster) {
        let isMissing = target.status.withLock { status in
            switch status.place {
            case .free, .unanswered: break
            case .waiting(let queue), .sent(let queue): if queue.cluster === cluster { return false }
            case .added, .refused: return false
            }
            if !status.expecting.contains(where: { $0 === cluster }) { status.expecting.append(cluster) }
            return true
        }
        if isMissing { cluster.missing.expect(target) }
    }

    /// Takes the clusters whose operations wait for the addition of this operation.
    final func takeExpecting() -> [Cluster] {
        status.withLock { status in
            defer { status.expecting = [] }
            return status.expecting
        }
    }
}

extension OperationPlace {
    /// Whether the operation's submission has been made, so that changes need a request of their own.
    var isSentOrAdded: Bool {
        switch self {
        case .sent, .added: true
        case .free, .waiting, .refused, .unanswered: false
        }
    }
}
