@_spi(Baton) import BatonWorker
import Synchronization

/// A call of a Swift operation: what the copies of its context share.
final class OperationCall: Sendable {
    private struct State {
        var isCancelled = false
        var isOver = false
        /// The operation's client, once it was used.
        var cluster: Cluster?
    }

    let call: TypedCall
    let logger: OperationLogger
    private let makeCluster: @Sendable (TypedCall) -> Cluster
    private let state = Mutex(State())

    /// - Parameters:
    ///   - call: the worker's call.
    ///   - logger: the logger of the worker's operations.
    ///   - makeCluster: makes the client that acts as the operation; called at most once.
    init(_ call: TypedCall, logger: OperationLogger, cluster makeCluster: @escaping @Sendable (TypedCall) -> Cluster) {
        self.call = call
        self.makeCluster = makeCluster
        var logger = logger
        logger[metadataKey: "operation"] = "\(call.operation)"
        logger[metadataKey: "attempt"] = "\(call.attempt)"
        logger[metadataKey: "worker"] = call.worker
        self.logger = logger
    }

    /// Whether the call was asked to end.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// The client that acts as the operation; after the end of the call, a closed one.
    var cluster: Cluster {
        state.withLock { state in
            if let cluster = state.cluster { return cluster }
            let cluster = state.isOver ? Cluster.closed(for: call) : makeCluster(call)
            state.cluster = cluster
            return cluster
        }
    }

    /// Runs the operation; to be called once.
    ///
    /// - Returns: the bytes of the result; nil for none.
    /// - Throws: what the operation throws; ``ClusterError`` if its argument or output cannot be coded, or if a request whose answer
    ///   the operation did not await was refused.
    func perform<Work: ClusterOperation>(_ type: Work.Type) async throws -> [UInt8]? {
        let returned: Result<[UInt8]?, any Error>
        do {
            let operation = try TypedCoding.work(type, from: call.argument)
            let context = OperationContext(self)
            let output = try await withTaskCancellationHandler {
                try await OperationContext.$ofTask.withValue(context) { try await operation.run(in: context) }
            } onCancel: {
                state.withLock { $0.isCancelled = true }
            }
            returned = .success(try TypedCoding.result(of: type, output))
        } catch {
            returned = .failure(error)
        }
        let closing = await closeCluster()
        let result = try returned.get()
        do {
            try closing.get()
        } catch let error as ClusterError {
            throw ClusterError(
                error.code,
                "The operation returned, and something that it had asked of the cluster was not done. \(error.message)",
                path: error.path
            )
        }
        return result
    }

    /// Waits until what the operation asked is on disk, and closes its client; does nothing if it had none.
    private func closeCluster() async -> Result<Void, any Error> {
        let cluster = state.withLock { state in
            state.isOver = true
            return state.cluster
        }
        guard let cluster else { return .success(()) }
        if !Task.isCancelled {
            do {
                return .success(try await cluster.close())
            } catch {
                guard error is CancellationError else { return .failure(error) }
            }
        }
        // The cancellation of the call must not take back what it asked before: a task of its own is not cancelled along.
        return await Task { try await cluster.close() }.result
    }
}
