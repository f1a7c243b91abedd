import BatonClient
import BatonDocuments
import BatonOperations
import BatonWire

/// An operation that the cluster has taken.
///
/// It is a reference by the operation's address: a client that goes away changes nothing (QU14).
public struct SubmittedOperation<Operation: ClusterOperation>: Sendable {
    /// Where it is found, also by others.
    public let address: OperationAddress
    let cluster: Cluster

    /// What it returned; nil before its end.
    ///
    /// - Throws: ``OperationError`` where it has ended without a result, ``ClusterError`` where the coordinator cannot be
    ///   asked, the error of the decoding where the result is no `Output`, and `CancellationError` where the task that asks
    ///   is cancelled, which leaves the operation as it is.
    public var result: Operation.Output? {
        get async throws {
            let document = try await document()
            switch document.outcome {
            case nil:
                return nil
            case .succeeded:
                return try await decodedResult()
            case .failed:
                throw OperationError.failed(
                    reason: document.reason?.rawValue ?? "",
                    message: document.message ?? "It failed."
                )
            case .cancelled:
                throw OperationError.cancelled
            case .skipped:
                throw OperationError.skipped(message: document.message ?? "A dependency made it impossible.")
            }
        }
    }

    /// What it returned, once it is finished; waits for that, also while the coordinator is restarted (WA8).
    ///
    /// - Throws: what ``result`` throws.
    public var value: Operation.Output {
        get async throws {
            _ = try await ClusterError.rethrowing { () async throws(ClientError) in
                try await cluster.connection.wait(for: [.operation(address.id)], every: .seconds(60))
            }
            guard let result = try await result else {
                throw ClusterError("The coordinator says that \(address) is finished, and does not say how. Ask again.")
            }
            return result
        }
    }

    /// Asks for its cancellation; without effect on one that is finished (CA1).
    ///
    /// - Throws: ``ClusterError`` where the coordinator cannot be asked, and `CancellationError` where the task that asks is
    ///   cancelled.
    public func cancel() async throws {
        _ = try await ClusterError.rethrowing { () async throws(ClientError) in
            try await cluster.connection.change(.cancel([.operation(address.id)], queue: nil))
        }
    }

    private func document() async throws -> OperationDocument {
        let bytes = try await ClusterError.rethrowing { () async throws(ClientError) in
            try await cluster.connection.document(.operation(.operation(address.id)))
        }
        return try OperationCoding.decode(OperationDocument.self, from: bytes)
    }

    private func decodedResult() async throws -> Operation.Output {
        let bytes = try await ClusterError.rethrowing { () async throws(ClientError) in
            try await cluster.connection.result(of: .operation(address.id))
        }
        return try OperationCoding.decode(Operation.Output.self, from: bytes ?? [])
    }
}
