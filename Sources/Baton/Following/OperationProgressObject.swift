import Synchronization
public import Foundation
@_spi(Baton) import BatonOperations

extension DistributedOperation {
    /// The progress of the operation: its total is 1,000,000, and the message of a report is the additional description.
    ///
    /// After a report of 0.5, `completedUnitCount` is 500,000 and `fractionCompleted` is 0.5. A success completes the progress; any
    /// other end leaves the last report. Cancelling the progress cancels the operation.
    public final var progress: Progress {
        let (object, isNew) = status.withLock { status -> (OperationProgressObject, Bool) in
            if let object = status.progressObject { return (object, false) }
            let object = OperationProgressObject()
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

/// A progress object with a message, which Foundation on Linux does not let anybody set.
///
/// The class is `@unchecked Sendable` as its superclass is: its one state is behind a lock. Foundation declares the description as
/// implicitly unwrapped, so an override has to.
final class OperationProgressObject: Progress, @unchecked Sendable {
    private let message = Mutex<String?>(nil)

    init() {
        super.init(parent: nil, userInfo: nil)
        totalUnitCount = Int64(OperationProgress.whole)
    }

    #if canImport(Darwin)
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        override var localizedAdditionalDescription: String! {
            get { message.withLock { $0 } ?? super.localizedAdditionalDescription }
            set { message.withLock { $0 = newValue } }
        }
    #else
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        override var localizedAdditionalDescription: String! {
            message.withLock { $0 } ?? super.localizedAdditionalDescription
        }
    #endif

    /// Shows what an operation has reported.
    func show(_ progress: OperationProgress) {
        if let reported = progress.message { message.withLock { $0 = reported } }
        completedUnitCount = Int64(progress.millionths)
    }
}
