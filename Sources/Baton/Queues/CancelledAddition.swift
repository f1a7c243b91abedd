@_spi(Baton) import BatonOperations
import Synchronization

/// An addition whose task was cancelled, and which goes on: the same call again is answered with its job (L12).
final class CancelledAddition: Sendable {
    private let operations: [ObjectIdentifier]
    private let queue: String
    private let isGroup: Bool

    private init(_ operations: [DistributedOperation], in queue: DistributedOperationQueue, isGroup: Bool) {
        self.operations = operations.map { ObjectIdentifier($0) }
        self.queue = queue.name
        self.isGroup = isGroup
    }

    /// Notes that the call which has added operations was cancelled.
    static func note(_ operations: [DistributedOperation], in queue: DistributedOperationQueue, isGroup: Bool) {
        let addition = CancelledAddition(operations, in: queue, isGroup: isGroup)
        for operation in operations { operation.status.withLock { $0.cancelledAddition = addition } }
    }

    /// Whether a call adds the same again.
    func isRepeated(
        by operations: [DistributedOperation],
        in queue: DistributedOperationQueue,
        isGroup: Bool
    ) -> Bool {
        isGroup == self.isGroup && queue.name == self.queue && operations.count == self.operations.count
            && zip(operations, self.operations).allSatisfy { ObjectIdentifier($0) == $1 }
    }
}

extension DistributedOperationQueue {
    /// The job of an earlier call that added the same operations, and whose task was cancelled; nil if there is none.
    ///
    /// - Throws: ``ClusterError`` if the coordinator does not answer, and `CancellationError` if the task is cancelled.
    func jobOfCancelledCall(adding operations: [DistributedOperation], isGroup: Bool) async throws -> JobNumber? {
        guard let earlier = operations[0].status.withLock(\.cancelledAddition),
            earlier.isRepeated(by: operations, in: self, isGroup: isGroup),
            operations.allSatisfy({
                $0.status.withLock { $0.cancelledAddition === earlier && $0.place.queue?.cluster === cluster }
            })
        else { return nil }
        try await cluster.line.passed()
        let job = operations[0].status.withLock(\.place.id?.job)
        for operation in operations { operation.status.withLock { $0.cancelledAddition = nil } }
        return job
    }

    /// Refuses an addition with objects of an earlier addition without an answer, unless it repeats that one (L4).
    ///
    /// - Throws: ``ClusterError`` `uncertain`.
    func refuseOtherThanRepetition(
        _ operations: [DistributedOperation],
        name: String?,
        key: String?,
        isGroup: Bool
    ) throws(ClusterError) {
        var common: UnansweredSubmission?
        for (index, operation) in operations.enumerated() {
            let (place, own) = operation.status.withLock { ($0.place, $0.name) }
            guard case .unanswered(let addition) = place else {
                if let common { throw .isNoRepetition(of: common, name: nil) }
                continue
            }
            let earlier = addition.submission
            let isSame =
                if isGroup {
                    earlier.isGroup && addition.index == index && (index == 0 || common === earlier)
                        && earlier.submission.entries.count == operations.count && earlier.submission.name == name
                        && (key == nil || key == earlier.submission.key)
                } else {
                    !earlier.isGroup
                }
            guard isSame else { throw .isNoRepetition(of: earlier, name: own) }
            common = earlier
        }
    }
}

extension ClusterError {
    /// The error for the addition of an object that was added before.
    static func alreadyAdded(_ name: String?, byCancelledCall addition: CancelledAddition?) -> ClusterError {
        let advice =
            addition == nil
            ? "Make another object for another run."
            : "The task of that call was cancelled, and the addition went on. Repeat the call as it was, with await, to get its job."
        return ClusterError(
            .alreadyAdded,
            "The operation\(name.map { " \"\($0.asShown)\"" } ?? "") was added before. \(advice)"
        )
    }
}
