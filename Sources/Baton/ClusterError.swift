import BatonClient

/// Why the cluster did not do what it was asked for.
public struct ClusterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened and what to do, in a sentence or two.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Gives an error of the connection this form.
    static func rethrowing<Value>(_ body: () throws(ClientError) -> Value) throws(ClusterError) -> Value {
        do {
            return try body()
        } catch {
            throw ClusterError(error.description)
        }
    }

    /// Gives an error of the connection this form, and that of a cancelled task the one that Swift has for it.
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
