@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// An operation accepted by the cluster.
///
/// The value refers to the operation by address: a client that goes away changes nothing (QU14).
public struct SubmittedOperation<Operation: ClusterOperation>: Sendable {
    /// The address of the operation, valid for every client.
    public let address: OperationAddress
    let cluster: Cluster

    /// The output of the operation; nil before the operation's end.
    ///
    /// - Throws: ``OperationError`` if the operation ended without a result, ``ClusterError`` if the coordinator cannot be
    ///   asked, the error of the decoding if the result is not an `Output`, and `CancellationError` if the calling task is
    ///   cancelled; cancelling the calling task does not affect the operation.
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

    /// The output of the operation; waits until the operation is finished, even across a restart of the coordinator (WA8).
    ///
    /// - Throws: the errors of ``result``.
    public var value: Operation.Output {
        get async throws {
            _ = try await ClusterError.rethrowing { () async throws(ClientError) in
                try await cluster.connection.wait(for: [.operation(address.id)], every: .seconds(60))
            }
            guard let result = try await result else {
                throw ClusterError(
                    .fault,
                    "The coordinator says that \(address) is finished, and does not say how. Ask again."
                )
            }
            return result
        }
    }

    /// Requests the cancellation of the operation; without effect on a finished operation (CA1).
    ///
    /// - Throws: ``ClusterError`` if the coordinator cannot be asked, and `CancellationError` if the calling task is cancelled.
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
