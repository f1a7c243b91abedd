@_spi(Baton) import BatonWire
import Synchronization
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

/// Reads the changes of one operation: the present state first, and nothing after its end.
actor OperationChangeSource: EventSource {
    private static let patience = Duration.seconds(60)
    /// The coordinator keeps room for a page, of which an operation fills little.
    private static let pageLength: UInt32 = 32

    private let operation: DistributedOperation
    private var connection = StreamChannel()
    private var rest: [OperationChange] = []
    /// The number of the last event; nil before the operation is in the cluster.
    private var last: UInt64?
    private var isOver = false

    init(of operation: DistributedOperation) {
        self.operation = operation
    }

    func next() async throws -> OperationChange? {
        while rest.isEmpty, !isOver { try await read() }
        let change = rest.popLast()
        if case .state(.finished, _, _, _) = change { isOver = true }
        return change
    }

    private func read() async throws {
        guard let (cluster, id) = try await place() else {
            // The addition was refused, and so the operation is over.
            rest = [.state(.finished, outcome: operation.outcome, attempt: 0, worker: nil)]
            return
        }
        if let last {
            let (changes, end, isComplete) = try await changes(of: id, in: cluster, since: last, atMost: Self.patience)
            // Where changes are no longer kept, the present state comes again.
            self.last = isComplete ? end : nil
            rest = changes.reversed()
        } else {
            try await begin(id, in: cluster)
        }
    }

    /// The place of the operation, once it is in the cluster; nil for a refused one.
    private func place() async throws -> (Cluster, OperationID)? {
        let place = operation.status.withLock(\.place)
        guard let queue = place.queue else {
            throw ClusterError(
                .notAdded,
                "The operation has been added to no queue, so that nothing happens to it. Add it first."
            )
        }
        if let id = place.id { return (queue.cluster, id) }
        try await queue.cluster.line.passed()
        guard let id = operation.status.withLock(\.place.id) else { return nil }
        return (queue.cluster, id)
    }

    /// Reads the present state, and the changes after it.
    ///
    /// The document tells of a moment between two numbers of events. Of the changes in between, those up to the last one that led
    /// to the document's state are part of it.
    private func begin(_ id: OperationID, in cluster: Cluster) async throws {
        let before = try await cluster.asking(on: try connection.channel(of: cluster)) { channel throws(ClientError) in
            try await channel.events(since: nil, limit: 1, atMost: .zero).last
        }
        let document = try await cluster.asking(on: try connection.channel(of: cluster)) {
            channel throws(ClientError) in
            try await channel.document(.operation(.operation(id)))
        }
        let snapshot = try OperationSnapshot(document)
        let present = OperationChange.state(
            snapshot.state,
            outcome: snapshot.outcome,
            attempt: snapshot.attempt,
            worker: snapshot.worker
        )
        let (changes, end, _) = try await changes(of: id, in: cluster, since: before, atMost: .zero)
        let included = changes.lastIndex { $0.isSameState(as: present) }.map { $0 + 1 } ?? 0
        var later = Array(changes[included...])
        // A document that is newer than all of the events looked at has the state of a later one.
        if snapshot.state == .finished { later = [] }
        rest = ([present] + later).reversed()
        last = end
    }

    private func changes(
        of id: OperationID,
        in cluster: Cluster,
        since last: UInt64,
        atMost patience: Duration
    ) async throws -> (changes: [OperationChange], last: UInt64, isComplete: Bool) {
        let page = try await cluster.asking(on: try connection.channel(of: cluster)) { channel throws(ClientError) in
            try await channel.events(
                since: last,
                limit: Self.pageLength,
                atMost: patience,
                of: EventSelection(operations: [id])
            )
        }
        var changes: [OperationChange] = []
        let address = OperationAddress(id)
        try EventReader.read(page, since: last, hasTimes: false) { event in
            if case .operation(let first, let count, let change) = event.kind, first.job == address.job,
                (first.index..<first.index + count).contains(address.index)
            {
                changes.append(change)
            }
        }
        return (changes, page.last, page.missed == 0)
    }
}

extension OperationChange {
    /// Whether both are the same state of the same attempt.
    fileprivate func isSameState(as other: OperationChange) -> Bool {
        guard case .state(let state, _, let attempt, _) = self,
            case .state(let otherState, _, let otherAttempt, _) = other
        else { return false }
        return state == otherState && attempt == otherAttempt
    }
}
