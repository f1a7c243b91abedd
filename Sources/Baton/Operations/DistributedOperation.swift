public import Foundation
@_spi(Baton) import BatonOperations
import Synchronization

/// An operation, as an object in the program that adds the operation: the counterpart of `Operation`.
///
/// ```swift
/// let drawn = DistributedOperation()  // does nothing: both pictures are there once it is finished
/// drawn.addDependency(first)
/// drawn.addDependency(second)
/// drawn.completionBlock = { print(drawn.isCancelled) }
/// try await queue.addOperations([first, second, drawn])
/// ```
///
/// An object refers to an operation; two objects are equal if they are the same object. Without a subclass, the operation does
/// nothing, as `Operation()` does: a point where dependencies meet.
///
/// The properties about the state tell what the program has heard, and never wait for the network. An action of the program itself
/// shows at once. After a wait or in a completion block, the operation reads as finished.
///
/// The class is `@unchecked Sendable`: the compiler checks only final classes. All that changes is behind one lock.
public class DistributedOperation: @unchecked Sendable {
    /// How the operation is run, fixed from the start.
    public let options: OperationOptions

    let status: Mutex<OperationStatus>

    /// Makes an operation that does nothing.
    public init(options: OperationOptions = OperationOptions()) {
        self.options = options
        status = Mutex(OperationStatus(options))
    }

    deinit {
        if case .added(let queue, let id) = status.withLock(\.place) { queue.cluster.registry.remove(id) }
        // A long chain of dependencies goes one by one; each in the deinit of the one before would exhaust the stack.
        var rest = takeDependencies()
        while var last = rest.popLast() {
            if isKnownUniquelyReferenced(&last) { rest += last.takeDependencies() }
        }
    }

    /// Removes all dependencies, and returns their operations.
    private func takeDependencies() -> [DistributedOperation] {
        status.withLock { status in
            status.dependencyList.takeAll().compactMap(\.operation)
        }
    }

    /// The work of the operation, made when the operation is added.
    ///
    /// - Throws: ``ClusterError`` `coding`, `tooLarge` or `invalid`.
    func makeWork() throws(ClusterError) -> Work { Work(.noOperation) }

    // MARK: - Before the addition

    /// The name of the operation, unique in its submission; the command line finds the operation by it, as `12/sepia`.
    ///
    /// A name starts with a letter or an underscore, and has no control characters. The name is fixed when the operation is added;
    /// later changes have no effect.
    public final var name: String? {
        get { status.withLock(\.name) }
        set {
            status.withLock { status in
                if case .free = status.place { status.name = newValue.map { Name.normalized($0) } }
            }
        }
    }

    /// The share of processor and disk that the operation gets; `default` where unset, and then its queue's.
    ///
    /// The class is fixed when the operation is added; later changes have no effect. It never changes the priority.
    public final var qualityOfService: Foundation.QualityOfService {
        get { status.withLock { $0.quality ?? .default } }
        set {
            status.withLock { status in
                if case .free = status.place { status.quality = newValue }
            }
        }
    }

    /// Called once in this program when the operation is finished, whatever the outcome; nil for none.
    ///
    /// The block runs on a thread of its own, which it may block, and only while this program runs. For a command that the
    /// cluster runs for sure, see ``OperationOptions/onFinish``. The block has to be set before the operation is finished.
    public final var completionBlock: (@Sendable () -> Void)? {
        get { status.withLock(\.completionBlock) }
        set {
            let queue = status.withLock { status in
                if !status.isFinished { status.completionBlock = newValue }
                return status.place.queue
            }
            if newValue != nil { followIfWanted() } else { queue?.cluster.follower.letGo(self) }
        }
    }

    /// Whether the operation is a barrier: it runs alone in its queue, between operations added before and after.
    public final var isBarrier: Bool { status.withLock(\.isBarrier) }

    // MARK: - The place in the cluster

    /// The address of the operation; nil until the coordinator has the operation on disk.
    public final var address: OperationAddress? {
        status.withLock { $0.place.id.map { OperationAddress($0) } }
    }

    /// The queue that the operation was added to; nil before.
    public final var queue: DistributedOperationQueue? { status.withLock { $0.place.queue } }

    /// Takes an addition back that has not been made.
    ///
    /// - Parameters:
    ///   - isBarrier: whether the addition had made the operation a barrier.
    ///   - unanswered: the addition that may have been made nevertheless, if any.
    final func withdraw(asBarrier isBarrier: Bool, leaving unanswered: UnansweredAddition? = nil) {
        status.withLock { status in
            status.place = unanswered.map { .unanswered($0) } ?? .free
            if isBarrier { status.isBarrier = false }
        }
    }

    // MARK: - What the program has heard

    /// Whether the operation can start, or has started; a new operation is ready unless it has unfinished dependencies.
    public final var isReady: Bool { operationState != .pending }

    /// Whether a worker runs the operation.
    public final var isExecuting: Bool { operationState == .executing }

    /// Whether the operation is over, with any outcome.
    public final var isFinished: Bool { heard { $0.isFinished } }

    /// Whether the cancellation of the operation was asked for, by this program or another.
    public final var isCancelled: Bool { heard { $0.isCancelled || $0.wasCancelledWithQueue } }

    /// The state of the operation.
    public final var operationState: OperationState {
        let (heard, dependencies, waits, isCancelled) = heard { status in
            let waits = status.isHeld || options.delay.map { $0 > .zero } ?? false
            return (status.heardState, status.dependencies, waits, status.isCancelled)
        }
        if let heard { return heard }
        // A cancelled operation ignores its dependencies (CA3).
        if isCancelled { return .ready }
        let isBlocked = dependencies.contains { $0.operation.map { !$0.status.withLock(\.isFinished) } ?? true }
        return waits || isBlocked ? .pending : .ready
    }

    /// How the operation ended; nil before its end.
    public final var outcome: OperationOutcome? { heard { $0.outcome } }

    /// Why the operation has not succeeded; nil before its end, and after a success.
    public final var error: OperationError? { heard { $0.error } }

    /// The number of the last attempt, which may be running; 0 before the first.
    public final var attempt: Int { heard { $0.attempt } }

    /// The worker of the last attempt; nil before the first.
    public final var worker: String? { heard { $0.worker } }

    /// Reads a part of the status that the cluster changes, and asks to hear of changes from now on.
    final func heard<Value>(_ read: (borrowing OperationStatus) -> Value) -> Value {
        let (value, isNews) = status.withLock { status in
            // After the loss of the coordinator, an operation is followed again when somebody looks.
            let isNews = !status.isFinished && !(status.wantsNews && (status.isFollowed || status.place.id == nil))
            if isNews { status.wantsNews = true }
            return (read(status), isNews)
        }
        guard isNews else { return value }
        followIfWanted()
        // A coordinator in the same process has answered already.
        return status.withLock { read($0) }
    }
}

extension DistributedOperation: Hashable {
    /// Whether two references are to the same object.
    public static func == (left: DistributedOperation, right: DistributedOperation) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
