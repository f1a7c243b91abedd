import Synchronization

/// The added operations that depend on operations which have not been added; they are held meanwhile (L6).
final class MissingAdditions: Sendable {
    /// An operation whose dependencies have all been added now.
    struct Completed: Sendable {
        let operation: DistributedOperation
        let dependencies: [OperationDependency]
    }

    private struct Waiting {
        let operation: DistributedOperation
        /// The operations whose additions are missing.
        var targets: Set<ObjectIdentifier> = []
        /// The dependencies to add once none is missing.
        var list = DependencyList()
        var dependencies: [OperationDependency] { list.elements }
    }

    private struct State {
        var waiting: [ObjectIdentifier: Waiting] = [:]
        /// The waiting operations by the operations that they wait for.
        var dependents: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
        /// The operations that have not been added, although the dependencies of added operations name them.
        var expected: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())

    /// Notes that an operation waits for the additions of some dependencies.
    func note(_ operation: DistributedOperation, waitsFor dependencies: [OperationDependency]) {
        let key = ObjectIdentifier(operation)
        state.withLock { state in
            // The set of targets may be large: it is changed in its place.
            for dependency in dependencies {
                guard let target = dependency.operation.map({ ObjectIdentifier($0) }) else { continue }
                state.waiting[key, default: Waiting(operation: operation)].targets.insert(target)
                _ = state.waiting[key, default: Waiting(operation: operation)].list.append(dependency)
                state.dependents[target, default: []].insert(key)
            }
        }
    }

    /// Notes an addition; returns the operations that wait for nothing else.
    func added(_ operation: DistributedOperation) -> [Completed] {
        state.withLock { state in
            state.expected.remove(ObjectIdentifier(operation))
            guard let dependents = state.dependents.removeValue(forKey: ObjectIdentifier(operation)) else { return [] }
            return dependents.compactMap { Self.resolve(ObjectIdentifier(operation), for: $0, in: &state) }
        }
    }

    /// Looks again whether what an operation waits for has been added, through any cluster object.
    ///
    /// - Returns: the operation, if it waits for nothing any more; nil otherwise.
    func resolved(_ operation: DistributedOperation) -> Completed? {
        var completed: Completed?
        for target in missing(for: operation) where target.status.withLock(\.place.id) != nil {
            completed = state.withLock { state in
                let key = ObjectIdentifier(operation)
                state.dependents[ObjectIdentifier(target)]?.remove(key)
                return Self.resolve(ObjectIdentifier(target), for: key, in: &state)
            }
        }
        return completed
    }

    /// Notes that the addition of an operation was taken back, so that the operation waits for nothing.
    ///
    /// The object can be added again, and operations that depend on it still wait for that.
    ///
    /// - Returns: the dependencies whose additions the operation was waiting for.
    @discardableResult
    func withdrawn(_ operation: DistributedOperation) -> [OperationDependency] {
        state.withLock { state in
            let dependencies = state.waiting[ObjectIdentifier(operation)]?.dependencies ?? []
            Self.forget(ObjectIdentifier(operation), in: &state)
            return dependencies
        }
    }

    /// Notes that an operation will never be added.
    ///
    /// - Returns: the operations that wait for the addition; from now on, they wait for nothing.
    func refused(_ operation: DistributedOperation) -> [DistributedOperation] {
        state.withLock { state in
            let key = ObjectIdentifier(operation)
            Self.forget(key, in: &state)
            state.expected.remove(key)
            return (state.dependents.removeValue(forKey: key) ?? []).compactMap { dependent in
                Self.forget(dependent, in: &state)
            }
        }
    }

    /// Removes an operation from those that wait.
    ///
    /// - Returns: the operation; nil if it waits for nothing.
    @discardableResult
    private static func forget(_ key: ObjectIdentifier, in state: inout State) -> DistributedOperation? {
        guard let waiting = state.waiting.removeValue(forKey: key) else { return nil }
        for target in waiting.targets { state.dependents[target]?.remove(key) }
        return waiting.operation
    }

    /// Removes the dependency of an operation on one that has not been added.
    ///
    /// - Returns: the dependent operation, if it waits for nothing else now; nil otherwise.
    func remove(_ target: DistributedOperation, from operation: DistributedOperation) -> Completed? {
        state.withLock { state in
            let (key, operationToAdd, target) = (ObjectIdentifier(operation), target, ObjectIdentifier(target))
            guard state.waiting[key]?.targets.contains(target) == true else { return nil }
            state.dependents[target]?.remove(key)
            _ = state.waiting[key]?.list.remove(on: operationToAdd)
            return Self.resolve(target, for: key, in: &state)
        }
    }

    private static func resolve(
        _ target: ObjectIdentifier,
        for dependent: ObjectIdentifier,
        in state: inout State
    ) -> Completed? {
        state.waiting[dependent]?.targets.remove(target)
        guard let waiting = state.waiting[dependent], waiting.targets.isEmpty else { return nil }
        state.waiting[dependent] = nil
        return Completed(operation: waiting.operation, dependencies: waiting.dependencies)
    }

    /// Whether an added operation waits for the addition of this one.
    func isMissing(_ operation: DistributedOperation) -> Bool {
        state.withLock { $0.dependents[ObjectIdentifier(operation)]?.isEmpty == false }
    }

    /// Whether an operation waits for the addition of another one.
    func isWaiting(_ operation: DistributedOperation) -> Bool {
        state.withLock { $0.waiting[ObjectIdentifier(operation)] != nil }
    }

    /// Notes that an added operation depends on one that has not been added.
    func expect(_ operation: DistributedOperation) {
        state.withLock { _ = $0.expected.insert(ObjectIdentifier(operation)) }
    }

    /// Whether an earlier addition may depend on the operation, which has not been added.
    func isExpected(_ operation: DistributedOperation) -> Bool {
        state.withLock { $0.expected.contains(ObjectIdentifier(operation)) }
    }

    /// The operations whose additions an operation waits for.
    func missing(for operation: DistributedOperation) -> [DistributedOperation] {
        state.withLock { state in
            guard let waiting = state.waiting[ObjectIdentifier(operation)] else { return [] }
            return waiting.dependencies.compactMap(\.operation).filter {
                waiting.targets.contains(ObjectIdentifier($0))
            }
        }
    }
}
