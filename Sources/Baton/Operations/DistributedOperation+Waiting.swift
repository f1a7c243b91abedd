import Synchronization
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
public import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension DistributedOperation {
    /// Blocks until the operation is finished, at once if it is already.
    ///
    /// - Throws: ``ClusterError``: `notAdded` for an operation that is in no queue; `deadlock` in an operation whose wait could
    ///   never end; `lost` if the coordinator is away for too long, after which the operation goes on; and the first
    ///   refusal of what nobody awaited.
    @available(*, noasync) public final func waitUntilFinished() throws(ClusterError) {
        _ = try blocking { try await self.waitUntilFinished() }
    }

    /// Waits until the operation is finished, at once if it is already.
    ///
    /// - Returns: the outcome.
    /// - Throws: the errors of the blocking form, and `CancellationError` if the task is cancelled, which leaves the operation as it
    ///   is.
    @discardableResult
    public final func waitUntilFinished() async throws -> OperationOutcome {
        guard let cluster = queue?.cluster else { throw notInQueue }
        try await cluster.line.passed()
        try cluster.line.throwFailure()
        if let outcome = status.withLock({ $0.isFinished ? $0.outcome : nil }) { return outcome }
        // An addition that somebody else awaited may have been refused meanwhile.
        let (_, id) = try await placeInCluster()
        if let waiter = cluster.waiter {
            _ = try await cluster.asking { channel throws(ClientError) in
                try await channel.wait(for: [.operation(id)], by: waiter, every: .seconds(60))
            }
            try await refreshed()
            return status.withLock(\.outcome) ?? .failed
        }
        let number = status.withLock { status in
            status.lastWaiter += 1
            return status.lastWaiter
        }
        do {
            return try await answer { completion in
                // One step, so that a loss of the coordinator comes before both or ends the wait.
                let (outcome, place) = status.withLock {
                    status -> (OperationOutcome?, (DistributedOperationQueue, OperationID)?) in
                    if status.isFinished { return (status.outcome ?? .failed, nil) }
                    status.waiters[number] = completion
                    return (nil, status.beginFollowing())
                }
                if let outcome { completion(.success(outcome)) }
                if let (queue, id) = place { queue.cluster.follower.follow(self, id) }
            }
        } catch is CancellationError {
            status.withLock { $0.waiters[number] = nil }
            throw CancellationError()
        }
    }

    /// The changes of the operation: its present state first, and its end last.
    ///
    /// The operation has to be in a queue; otherwise reading throws ``ClusterError`` `notAdded`.
    public final var stateChanges: EventStream<OperationChange> {
        EventStream { OperationChangeSource(of: self) }
    }

    /// What keeps the operation from running, as `baton explain` tells it; empty for an executing or finished operation.
    ///
    /// - Throws: ``ClusterError`` `notAdded` for an operation that is in no queue, and `CancellationError` if the task is cancelled.
    public final func explain() async throws -> [WaitReason] {
        let (cluster, id) = try await placeInCluster()
        let bytes = try await cluster.asking { channel throws(ClientError) in
            try await channel.document(.explain(.operation(id)))
        }
        let document: ExplainDocument
        do {
            document = try JSONDecoder().decode(ExplainDocument.self, from: Data(bytes))
        } catch {
            throw ClusterError.unreadable
        }
        let missing = cluster.missing.missing(for: self).map { operation in
            WaitReason(
                kind: .addition,
                operation: nil,
                description:
                    "It is held until \(operation.label(inDependenciesOf: self)) has been added to a queue."
            )
        }
        return missing + document.waitsFor.map { WaitReason($0) }.filter { $0.kind != .hold || missing.isEmpty }
    }

    /// The bytes of the operation's result; nil before the end, and for an operation without a result.
    ///
    /// - Throws: ``ClusterError`` `notAdded` for an operation that is in no queue, and `CancellationError` if the task is cancelled.
    public final var data: Data? {
        get async throws {
            guard try await refreshed() else { return nil }
            guard status.withLock(\.outcome) == .succeeded else { return nil }
            return try await resultBytes().map { Data($0) }
        }
    }

    /// The bytes of the result of an operation that has succeeded.
    final func resultBytes() async throws -> [UInt8]? {
        let (cluster, id) = try await placeInCluster()
        return try await cluster.asking { channel throws(ClientError) in
            try await channel.result(of: .operation(id))
        }
    }

    /// The cluster and the number there, once the coordinator has the operation.
    ///
    /// - Throws: ``ClusterError`` `notAdded` for an operation that is in no queue, and the refusal of a refused one.
    final func placeInCluster() async throws -> (Cluster, OperationID) {
        guard let cluster = queue?.cluster else { throw notInQueue }
        if let id = status.withLock(\.place.id) { return (cluster, id) }
        try await cluster.line.passed()
        switch status.withLock(\.place) {
        case .added(_, let id): return (cluster, id)
        case .refused(_, let error): throw error
        case .free, .waiting, .sent, .unanswered: throw notInQueue
        }
    }

    /// The error for a wait for an operation that is in no queue, as far as the program knows.
    private var notInQueue: ClusterError {
        let (place, name) = status.withLock { ($0.place, $0.name) }
        guard case .unanswered(let addition) = place else { return .notAdded }
        return .isNoRepetition(of: addition.submission, name: name)
    }

    /// Asks the coordinator for the present state.
    ///
    /// - Returns: whether the operation is finished.
    @discardableResult
    final func refreshed() async throws -> Bool {
        if status.withLock(\.isFinished) { return true }
        let (cluster, id) = try await placeInCluster()
        apply(try await cluster.snapshot(of: id))
        return status.withLock(\.isFinished)
    }
}

extension ClusterError {
    fileprivate static let notAdded = ClusterError(
        .notAdded,
        "The operation has been added to no queue, so that it will not run. Add it first."
    )
}
