import BatonClient
import Foundation
import BatonOperations

/// A queue of the cluster: an `OperationQueue` whose operations run on any worker.
public struct ClusterQueue: Sendable {
    /// Its name.
    public let name: String
    let cluster: Cluster

    /// Adds an operation, which runs as soon as it can; returns once it is on the coordinator's disk.
    ///
    /// - Parameters:
    ///   - operation: what to run; it is encoded as JSON, at most 1 MiB of it.
    ///   - name: a name for people.
    ///   - dependencies: what has to be finished before it starts, whatever the outcome.
    ///   - needs: what has to succeed before it starts; else it is skipped.
    /// - Throws: ``ClusterError`` where it is too large, or the coordinator refuses it or cannot be reached; the error of
    ///   the encoding; and `CancellationError` where the task is cancelled, after which it may have been added or not.
    public func addOperation<Operation: ClusterOperation>(
        _ operation: Operation,
        name: String? = nil,
        after dependencies: [OperationAddress] = [],
        needs: [OperationAddress] = []
    ) async throws -> SubmittedOperation<Operation> {
        let argument = try OperationCoding.encode(operation)
        // Here, as the coordinator does not read what is longer than that.
        guard argument.count <= Work.maximumArgumentLength else {
            throw ClusterError(
                "The operation has \(argument.count) bytes as JSON, more than the \(Work.maximumArgumentLength) that it may "
                    + "have. Keep large data in files, and let the operation name them."
            )
        }
        let work = Work(.typed(type: Operation.typeName, argument: argument))
        let submission = Submission(
            // With a key, a submission may be sent again where the connection is lost before its answer.
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
