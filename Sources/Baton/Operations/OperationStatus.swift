import Synchronization
import Foundation
@_spi(Baton) import BatonOperations

/// Where an operation stands between its making and its place in the cluster.
enum OperationPlace: Sendable {
    /// The operation has been added to no queue.
    case free
    /// The operation has been added, and its submission has not been sent.
    case waiting(DistributedOperationQueue)
    /// The submission is on its way to the coordinator.
    case sent(DistributedOperationQueue)
    /// The coordinator has the operation on disk.
    case added(DistributedOperationQueue, OperationID)
    /// The coordinator has refused the operation.
    case refused(DistributedOperationQueue, ClusterError)
    /// The addition has failed without an answer, and may have been made; the object is the program's again (L4).
    case unanswered(UnansweredAddition)

    /// The queue that the operation was added to.
    var queue: DistributedOperationQueue? {
        switch self {
        case .free, .unanswered: nil
        case .waiting(let queue), .sent(let queue), .added(let queue, _), .refused(let queue, _): queue
        }
    }

    /// The operation's number in the cluster.
    var id: OperationID? {
        if case .added(_, let id) = self { id } else { nil }
    }
}

/// All that changes about an operation; guarded by the operation's lock.
struct OperationStatus {
    var name: String?
    var priority = DistributedOperation.QueuePriority.normal
    /// The operation's own class; nil where unset.
    var quality: Foundation.QualityOfService?
    var isBarrier = false
    /// Whether the program holds the operation, apart from the holding for missing additions.
    var isHeld: Bool
    /// Whether the cancellation of the operation was asked for here, or heard of.
    var isCancelled = false
    /// Why the library has cancelled the operation, in a sentence; nil unless a dependency was refused (L6).
    var refusedDependency: String?
    /// How many times this program had cancelled all operations of the queue before this one was added.
    var cancellationsBefore = 0
    var dependencyList = DependencyList()
    var dependencies: [OperationDependency] { dependencyList.elements }
    var completionBlock: (@Sendable () -> Void)?
    /// The queue that ``DistributedOperation/on(_:)`` has named.
    var chosenQueue: DistributedOperationQueue?
    var place = OperationPlace.free
    /// The addition whose call was cancelled, and which goes on.
    var cancelledAddition: CancelledAddition?

    /// The clusters with operations that wait for the addition of this operation.
    var expecting: [Cluster] = []

    /// The state that the coordinator last told; nil before it told any.
    var heardState: OperationState?
    var outcome: OperationOutcome?
    var error: OperationError?
    var attempt = 0
    var worker: String?
    var exitStatus: Int32?
    var signal: Int32?
    /// The reported progress while the operation executes.
    var progress = OperationProgress(fraction: 0)

    /// Whether the program has looked at the state, and so wants to hear of changes.
    var wantsNews = false
    /// Whether the object was made for an operation that was in the cluster already.
    var wasLookedUp = false
    /// Whether the cluster's follower reports changes.
    var isFollowed = false
    /// The waits for the end.
    var waiters: [UInt64: @Sendable (Result<OperationOutcome, ClusterError>) -> Void] = [:]
    var lastWaiter: UInt64 = 0
    /// The progress object, once the program has asked for it.
    var progressObject: OperationProgressObject?

    /// The programs of a group, which can be added to.
    var commands: [[String]] = []

    init(_ options: OperationOptions) {
        isHeld = options.isHeld
        guard !options.isEmpty else { return }
        isBarrier = options.barrier ?? false
        priority = DistributedOperation.QueuePriority(clamping: options.priority ?? 0)
        quality = options.qos.flatMap { BatonOperations.QualityOfService($0) }.map { Foundation.QualityOfService($0) }
    }

    /// Whether the operation is over, as far as this program knows.
    var isFinished: Bool { heardState == .finished }

    /// Whether this program has cancelled all operations of the queue since the addition, and before the end.
    var wasCancelledWithQueue: Bool {
        guard !isFinished, let queue = place.queue else { return false }
        return queue.settings.withLock(\.cancellations) > cancellationsBefore
    }

    /// Whether somebody waits for the end.
    var isAwaited: Bool { completionBlock != nil || !waiters.isEmpty }

    /// Notes that the cluster's follower reports changes from now on, if somebody wants them and it does not yet.
    ///
    /// - Returns: what to ask the follower for; nil if there is nothing to ask.
    mutating func beginFollowing() -> (queue: DistributedOperationQueue, id: OperationID)? {
        guard !isFollowed, !isFinished, wantsNews || isAwaited, case .added(let queue, let id) = place else {
            return nil
        }
        isFollowed = true
        return (queue, id)
    }
}
