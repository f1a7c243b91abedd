import Synchronization
@_spi(Baton) import BatonOperations

/// An operation written in Swift, with its typed result: the counterpart of `InvocationOperation`.
///
/// ```swift
/// let resized = RemoteOperation(Resize(path: "a.png", width: 80)).named("small")
/// try await queue.addOperation(resized)
/// let bytes = try await resized.value
/// ```
///
/// The class is `@unchecked Sendable` as its superclass is: all that changes is behind the superclass's lock.
public final class RemoteOperation<Work: ClusterOperation>: DistributedOperation, @unchecked Sendable {
    /// What travels to the worker and runs there.
    public let work: Work

    /// Describes the run of an operation on a worker that has its type.
    public init(_ work: Work, options: OperationOptions = OperationOptions()) {
        self.work = work
        super.init(options: options)
    }

    override func makeWork() throws(ClusterError) -> BatonOperations.Work {
        BatonOperations.Work(.typed(type: Work.typeName, argument: try TypedCoding.argument(of: work)))
    }

    /// The output of the operation; waits for its end, across restarts of the coordinator.
    ///
    /// - Throws: ``OperationError`` if the operation ended without a result, ``ClusterError`` if the coordinator cannot be asked
    ///   or the result is not of the type, and `CancellationError` if the task is cancelled, which leaves the operation as it is.
    public var value: Work.Output {
        get async throws {
            try await waitUntilFinished()
            return try await finishedValue()
        }
    }

    /// The output of the operation; nil before its end.
    ///
    /// - Throws: the errors of ``value``.
    public var result: Work.Output? {
        get async throws {
            guard try await refreshed() else { return nil }
            return try await finishedValue()
        }
    }

    private func finishedValue() async throws -> Work.Output {
        let (outcome, error) = status.withLock { ($0.outcome, $0.error) }
        guard outcome == .succeeded else {
            throw error
                ?? ClusterError(.fault, "The coordinator says that the operation is finished, and does not say how.")
        }
        return try TypedCoding.output(of: Work.self, from: try await resultBytes())
    }
}
