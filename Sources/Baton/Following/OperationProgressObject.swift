public import Foundation
@_spi(Baton) import BatonOperations

extension DistributedOperation {
    /// The progress of the operation: its total is 1,000,000, and the message of a report is the additional description.
    ///
    /// Cancelling the progress cancels the operation.
    public final var progress: Progress {
        let (object, isNew) = status.withLock { status in
            if let object = status.progressObject { return (object, false) }
            let object = Progress(totalUnitCount: Int64(OperationProgress.whole))
            status.progressObject = object
            return (object, true)
        }
        guard isNew else { return object }
        object.isCancellable = true
        object.cancellationHandler = { [weak self] in self?.cancel() }
        let (reported, outcome) = heard { ($0.progress, $0.outcome) }
        object.show(outcome == .succeeded ? OperationProgress(fraction: 1) : reported)
        return object
    }
}

extension Progress {
    /// Shows what an operation has reported.
    func show(_ progress: OperationProgress) {
        completedUnitCount = Int64(progress.millionths)
        if let message = progress.message { localizedAdditionalDescription = message }
    }
}
