@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import Baton
@_spi(Baton) @testable import BatonWorker

extension TypedCall {
    /// A call of the operation 12/3, named `eye`, in its second attempt on worker w1.
    static func sample(
        argument: [UInt8] = [],
        inputs: [TypedInput] = [],
        progressed: @escaping @Sendable (OperationProgress) -> Void = { _ in }
    ) -> TypedCall {
        let assignment = Assignment(
            token: AttemptToken(rawValue: 1),
            operation: OperationID(job: JobNumber(12), index: 3),
            attempt: 2,
            name: "eye"
        )
        var assigned = AssignedWork(
            assignment: assignment,
            work: Work(.typed(type: "look", argument: argument)),
            queue: "images"
        )
        assigned.inputs = inputs
        return TypedCall(
            assigned,
            argument: argument,
            worker: "w1",
            coordinator: "tcp://127.0.0.1:1",
            token: nil,
            progressed: progressed
        )
    }
}

extension OperationCall {
    /// A call with a client that leads nowhere.
    convenience init(
        _ call: TypedCall,
        cluster: @escaping @Sendable (TypedCall) -> Cluster = { Cluster.closed(for: $0) }
    ) {
        self.init(call, logger: OperationLogger { _, _, _ in }, cluster: cluster)
    }
}

extension TypedInput {
    /// A dependency of job 1.
    init(_ index: UInt32, type: String?, _ outcome: Outcome = .succeeded, _ result: String? = nil) {
        self.init(
            operation: OperationID(job: JobNumber(1), index: index),
            name: "n\(index)",
            type: type,
            outcome: outcome,
            result: result.map { Array($0.utf8) }
        )
    }
}

/// The error that a body throws.
func clusterError<Value>(_ body: () async throws -> Value) async -> ClusterError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? ClusterError
    }
}
