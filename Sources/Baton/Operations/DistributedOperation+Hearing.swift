import Synchronization
import Dispatch
import Foundation
@_spi(Baton) import BatonOperations

/// What the library tells an operation, from answers and events.
extension DistributedOperation {
    /// Runs the completion blocks, which may block.
    private static let completions = DispatchQueue(label: "Baton completion blocks", attributes: .concurrent)

    /// Notes the place in the cluster, and asks for news if somebody wants them.
    final func wasAdded(to queue: DistributedOperationQueue, as id: OperationID) {
        status.withLock { $0.place = .added(queue, id) }
        followIfWanted()
    }

    /// Notes the place of an operation that was looked up, and what its document tells.
    final func wasFound(in queue: DistributedOperationQueue, as id: OperationID, _ snapshot: OperationSnapshot) {
        status.withLock { status in
            status.place = .added(queue, id)
            status.wasLookedUp = true
            status.cancellationsBefore = queue.settings.withLock(\.cancellations)
            status.name = snapshot.name
            status.quality = snapshot.quality.map { Foundation.QualityOfService($0) }
            status.isBarrier = snapshot.isBarrier
            status.commands = snapshot.commands ?? []
        }
        apply(snapshot)
    }

    /// Ends an operation here whose addition was refused (L4).
    final func wasRefused(by queue: DistributedOperationQueue, _ error: ClusterError) {
        finish { status in
            status.place = .refused(queue, error)
            status.outcome = .failed
            status.error = OperationError(
                code: .refused,
                outcome: .failed,
                message: error.message,
                name: status.name,
                address: nil,
                attempt: 0
            )
        }
    }

    /// Notes that the library cancels the operation because it waits for an addition that was refused (L6).
    final func noteRefusal(of dependency: DistributedOperation, _ error: ClusterError) {
        let label = dependency.label(inDependenciesOf: self)
        status.withLock { status in
            guard !status.isFinished else { return }
            status.isCancelled = true
            status.refusedDependency =
                "It was cancelled because \(label) was refused: \(error.message)"
        }
    }

    /// Takes over what a document tells; an operation that is finished here stays as it is.
    final func apply(_ snapshot: OperationSnapshot) {
        func note(_ status: inout OperationStatus) {
            status.priority = snapshot.priority
            status.isCancelled = status.isCancelled || snapshot.isCancelled
            status.attempt = snapshot.attempt
            status.worker = snapshot.worker
            status.exitStatus = snapshot.exitStatus
            status.signal = snapshot.signal
            status.outcome = snapshot.outcome
            status.error = snapshot.error
        }
        guard snapshot.state == .finished else {
            return update { status in
                // An answer may be older than an event that has come before it.
                if status.isFollowed, status.heardState == .executing, snapshot.attempt < status.attempt {
                    status.isCancelled = status.isCancelled || snapshot.isCancelled
                    return
                }
                note(&status)
                status.heardState = snapshot.state
                status.progress = snapshot.progress
            }
        }
        finish(note)
    }

    /// Takes over a change that an event tells of.
    ///
    /// - Returns: whether the document has to tell how the operation ended.
    final func apply(_ change: OperationChange) -> Bool {
        switch change {
        case .state(.finished, let outcome, let attempt, let worker):
            // The event has all there is to a success, and to the cancellation of what never ran.
            guard outcome == .succeeded || outcome == .cancelled && attempt == 0 else { return true }
            finish { status in
                status.outcome = outcome
                status.attempt = attempt
                status.worker = worker
                if outcome == .succeeded {
                    status.exitStatus = self is CommandOperation ? 0 : nil
                } else {
                    status.isCancelled = true
                    status.error = OperationError(
                        code: .cancelled,
                        outcome: .cancelled,
                        message: "The operation was cancelled before it started.",
                        name: status.name,
                        address: status.place.id.map { OperationAddress($0) },
                        attempt: 0
                    )
                }
            }
        case .state(let state, _, let attempt, let worker):
            update { status in
                status.heardState = state
                status.attempt = max(status.attempt, attempt)
                status.worker = worker ?? status.worker
                if state != .executing { status.progress = OperationProgress(fraction: 0) }
            }
        case .cancelled: update { $0.isCancelled = true }
        case .priority(let priority): update { $0.priority = priority }
        case .progress(let fraction, let message):
            update { $0.progress = OperationProgress(fraction: fraction, message: message) }
        // The flag is about what this program has asked for.
        case .held, .paused, .signalled, .dependencies, .commands: break
        }
        return false
    }

    /// Changes the status of an unfinished operation, and shows the progress.
    private func update(_ change: (inout OperationStatus) -> Void) {
        let shown = status.withLock { status -> (OperationProgressObject, OperationProgress)? in
            guard !status.isFinished else { return nil }
            change(&status)
            return status.progressObject.map { ($0, status.progress) }
        }
        if let (object, progress) = shown { object.show(progress) }
    }

    /// Ends the operation, once: runs the completion block, and ends the waits.
    private func finish(_ change: (inout OperationStatus) -> Void) {
        let end = status.withLock { status -> (block: (@Sendable () -> Void)?, ending: OperationEnding)? in
            guard !status.isFinished else { return nil }
            let wasCancelled = status.wasCancelledWithQueue
            change(&status)
            status.isCancelled = status.isCancelled || wasCancelled
            status.heardState = .finished
            if let reason = status.refusedDependency, let error = status.error, error.code == .cancelled {
                status.error = OperationError(
                    code: error.code,
                    outcome: error.outcome,
                    message: reason,
                    name: error.name,
                    address: error.address,
                    attempt: error.attempt
                )
            }
            defer {
                status.completionBlock = nil
                status.waiters = [:]
            }
            return (
                status.completionBlock,
                OperationEnding(
                    queue: status.place.queue,
                    waiters: Array(status.waiters.values),
                    outcome: status.outcome ?? .failed,
                    progress: status.progressObject
                )
            )
        }
        guard let (block, ending) = end else { return }
        ending.queue?.cluster.follower.finished(self)
        if ending.outcome == .succeeded { ending.progress?.show(OperationProgress(fraction: 1)) }
        if let block { Self.completions.async { block() } }
        for waiter in ending.waiters { waiter(.success(ending.outcome)) }
    }

    /// Ends the waits because of an error of the connection; the operation goes on in the cluster (L11).
    final func endWaits(_ error: ClusterError) {
        let waiters = status.withLock { status in
            defer { status.waiters = [:] }
            return Array(status.waiters.values)
        }
        for waiter in waiters { waiter(.failure(error)) }
    }

    /// Asks the cluster's follower for news, if the operation is in the cluster, unfinished, and somebody wants them.
    final func followIfWanted() {
        if let (queue, id) = status.withLock({ $0.beginFollowing() }) { queue.cluster.follower.follow(self, id) }
        keepForCompletion()
    }

    /// Keeps the object in memory until its completion block has run (L9); a wait holds its operation itself.
    private func keepForCompletion() {
        let queue = status.withLock { $0.completionBlock != nil && !$0.isFinished ? $0.place.queue : nil }
        queue?.cluster.follower.keep(self)
    }
}

/// What follows from the end of an operation.
private struct OperationEnding {
    let queue: DistributedOperationQueue?
    let waiters: [@Sendable (Result<OperationOutcome, ClusterError>) -> Void]
    let outcome: OperationOutcome
    let progress: OperationProgressObject?
}
