import BatonClient

/// The reason for a failed request to the cluster.
public struct ClusterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem and the remedy, in a sentence or two.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Converts an error of the connection to a ``ClusterError``.
    static func rethrowing<Value>(_ body: () throws(ClientError) -> Value) throws(ClusterError) -> Value {
        do {
            return try body()
        } catch {
            throw ClusterError(error.description)
        }
    }

    /// Converts an error of the connection to a ``ClusterError``, or to a `CancellationError` if the task was cancelled.
    static func rethrowing<Value>(_ body: () async throws(ClientError) -> Value) async throws -> Value {
        do {
            return try await body()
        } catch .cancelled {
            throw CancellationError()
        } catch {
            throw ClusterError(error.description)
        }
    }
}
