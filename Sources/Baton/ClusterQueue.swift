@_spi(Baton) import BatonClient
import Foundation
@_spi(Baton) import BatonOperations

/// A queue of the cluster: an `OperationQueue` with operations that run on any worker.
public struct ClusterQueue: Sendable {
    /// The name of the queue.
    public let name: String
    let cluster: Cluster

    /// Adds an operation to the queue; returns after the operation is stored on the coordinator's disk.
    ///
    /// The operation runs as soon as possible.
    ///
    /// - Parameters:
    ///   - operation: the operation to run, encoded as JSON of at most 1 MiB.
    ///   - name: a name for people.
    ///   - dependencies: operations that must finish before the start, whatever the outcome.
    ///   - needs: operations that must succeed before the start; otherwise the new operation is skipped.
    /// - Throws: ``ClusterError`` if the operation is too large, the coordinator refuses the operation, or the coordinator
    ///   cannot be reached; the error of the encoding; and `CancellationError` if the task is cancelled, after which the
    ///   operation may or may not have been added.
    public func addOperation<Operation: ClusterOperation>(
        _ operation: Operation,
        name: String? = nil,
        after dependencies: [OperationAddress] = [],
        needs: [OperationAddress] = []
    ) async throws -> SubmittedOperation<Operation> {
        let argument = try OperationCoding.encode(operation)
        // Check the length here, because the coordinator does not read a longer argument.
        guard argument.count <= Work.maximumArgumentLength else {
            throw ClusterError(
                .tooLarge,
                "The operation has \(argument.count) bytes as JSON, more than the \(Work.maximumArgumentLength) that it may "
                    + "have. Keep large data in files, and let the operation name them."
            )
        }
        let work = Work(.typed(type: Operation.typeName, argument: argument))
        let submission = Submission(
            // With a key, the client can send a submission again if the connection is lost before the answer.
            key: UUID().uuidString,
            queueNames: [self.name],
            templates: [Template(work: work)],
            entries: [
                Entry(
                    name: name,
                    dependencies: dependencies.map { Dependency(on: .existing(.operation($0.id)), condition: .any) }
                        + needs.map { Dependency(on: .existing(.operation($0.id)), condition: .success) }
                )
            ]
        )
        let job = try await ClusterError.rethrowing { () async throws(ClientError) in
            try await cluster.connection.submit(submission)
        }
        let id = OperationID(job: job.number, index: 0)
        return SubmittedOperation(address: OperationAddress(id: id), cluster: cluster)
    }
}
