import Synchronization
@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import Baton

/// Additions to a queue of a cluster that asks a channel of the test.
struct SampleAdditions {
    let channel = FakeChannel()
    let cluster: Cluster
    let queue: DistributedOperationQueue

    init() {
        cluster = channel.makeCluster()
        queue = cluster.queue("q")
    }

    /// The addition of an operation, as the queue prepares it.
    func addition(
        _ operation: DistributedOperation,
        to queue: DistributedOperationQueue? = nil
    ) throws(ClusterError) -> Addition {
        var (template, entry) = try operation.options.parts(of: operation.makeWork())
        entry.name = operation.name
        return Addition(
            operation: operation,
            queue: queue ?? self.queue,
            template: template,
            entry: entry,
            makesBarrier: false,
            completion: nil
        )
    }

    /// The additions of operations, as the queue prepares them.
    func additions(_ operations: DistributedOperation...) throws(ClusterError) -> [Addition] {
        var additions: [Addition] = []
        for operation in operations { additions.append(try addition(operation)) }
        return additions
    }

    /// Gives an operation a place in the cluster.
    func place(_ operation: DistributedOperation, at job: UInt32, _ index: UInt32 = 0) {
        let id = OperationID(job: JobNumber(job), index: index)
        operation.status.withLock { $0.place = .added(queue, id) }
    }
}

extension DistributedOperation {
    /// The operation's number in the cluster.
    var numberInCluster: OperationID? { status.withLock(\.place.id) }
}
