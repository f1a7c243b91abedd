@_spi(Baton) import BatonWire
import Synchronization
@_spi(Baton) import BatonClient

extension DistributedOperationQueue {
    /// Cancels all operations that are in the queue now, those of other programs too, and none that is added later.
    ///
    /// The call does not wait for the coordinator.
    public func cancelAllOperations() {
        settings.withLock { $0.cancellations += 1 }
        cluster.line.append(.change(LineChange(ignoresAbsence: true) { [name] in .cancel([], queue: name) }))
    }

    /// Cancels all operations that are in the queue now, and returns when the cancellation is in force.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public func cancelAllOperations() async throws {
        settings.withLock { $0.cancellations += 1 }
        let report = try await cluster.line.changed { completion in
            LineChange(ignoresAbsence: true, completion: completion) { [name] in .cancel([], queue: name) }
        }
        try report.throwIfUnanswered()
    }

    /// Blocks until all operations of the queue are finished, those that others add meanwhile included.
    ///
    /// - Throws: ``ClusterError``: `deadlock` in an operation whose wait could never end, `lost` if the coordinator is away
    ///   for too long, and the first refusal of what nobody awaited.
    @available(*, noasync) public func waitUntilAllOperationsAreFinished() throws(ClusterError) {
        try blocking { try await self.waitUntilAllOperationsAreFinished() }
    }

    /// Waits until all operations of the queue are finished, those that others add meanwhile included.
    ///
    /// - Throws: the errors of the blocking form, and `CancellationError` if the task is cancelled.
    public func waitUntilAllOperationsAreFinished() async throws {
        try await cluster.line.passed()
        try cluster.line.throwFailure()
        do {
            _ = try await cluster.asking { channel throws(ClientError) in
                try await channel.wait(for: [], queue: name, by: cluster.waiter, every: .seconds(60))
            }
        } catch let error as ClusterError where error.code == .notFound {
            return
        }
        let own = cluster.registry.all.filter { $0.queue === self }
        try await cluster.refresh(own)
    }
}
