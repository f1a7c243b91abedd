@_spi(Baton) import BatonDocuments
import Synchronization
public import Foundation
@_spi(Baton) import BatonOperations

/// The progress of a queue, whose total the program sets as that of `OperationQueue.progress` (PG1).
///
/// The class is `@unchecked Sendable` as its superclass is: it has no state but a weak reference, which is set once, and a flag under
/// a lock.
final class QueueProgress: Progress, @unchecked Sendable {
    private weak let queue: DistributedOperationQueue?
    private let hasTotal = Mutex(false)

    init(of queue: DistributedOperationQueue) {
        self.queue = queue
        super.init(parent: nil, userInfo: nil)
    }

    override var totalUnitCount: Int64 {
        didSet {
            guard let queue else { return }
            let isFirst = hasTotal.withLock { hasTotal in
                defer { hasTotal = true }
                return !hasTotal
            }
            // What an earlier program has left of its own total is not this program's progress.
            if isFirst { queue.ask(QueueChange(name: queue.name, total: 0)) }
            queue.ask(QueueChange(name: queue.name, total: Int(clamping: max(0, totalUnitCount))))
            queue.followProgress()
        }
    }
}

extension DistributedOperationQueue {
    /// The progress of the queue, once the program has set `totalUnitCount`; an operation adds one at the end of its run.
    ///
    /// As in Foundation, the queue counts whole operations: what a running operation reports is shown by its own
    /// ``DistributedOperation/progress``. A cancelled operation that never started does not count, and neither does a barrier. The
    /// total belongs to the cluster's queue, as the other settings do. The first total that a program sets starts the progress anew, and
    /// so does each total after the one before has been reached; raising it earlier keeps what was done (PG4).
    public var progress: Progress {
        let made = QueueProgress(of: self)
        return settings.withLock { settings in
            if let progress = settings.progress { return progress }
            settings.progress = made
            return made
        }
    }

    /// Follows the queue's operations for its progress.
    fileprivate func followProgress() {
        let reader = ProgressReader { [weak self] in
            guard let self, let document = try? await document() else { return }
            let completed = Int64(clamping: document.summary.completed)
            // More operations may have run than the total says (PG4).
            if let progress = settings.withLock(\.progress) {
                progress.completedUnitCount = min(completed, max(0, progress.totalUnitCount))
            }
        }
        cluster.line.append(
            .point { [weak self, name] _ in
                guard let self else { return }
                cluster.follower.follow(.queue(name)) { [weak self] in
                    reader.read()
                    return self == nil
                }
                reader.read()
            }
        )
    }
}
