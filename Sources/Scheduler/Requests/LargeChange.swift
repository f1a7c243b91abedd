@_spi(Baton) import BatonOperations

/// A change of more operations than one turn changes; the scheduler handles other events between the turns.
///
/// The operations are selected in the first turn, and each of them is reserved until its own turn: it is not dispatched, so that no
/// worker has to be asked about it again. A cancellation marks them, too (``CancellationStage/awaitsTurn``). So the outcome is that
/// of a change that is carried out at once.
struct LargeChange: Sendable {
    /// The kinds of changes.
    enum Kind: Sendable {
        /// Cancel the operations.
        case cancel
        /// Hold the operations.
        case hold
        /// Release the operations.
        case release
        /// Give the operations another priority.
        case setPriority(Priority)
        /// Let the ready operations of a new job start; they are ready since this time.
        case start(Timestamp)
        /// End the operations, whose deadline has passed.
        case endOverdue
        /// Finish the operations, which were cancelled while their queue was suspended.
        case finishFlagged
    }

    /// The kind of the change.
    let kind: Kind
    /// The request; nil for a change that nobody has asked for.
    let request: RequestID?
    /// What has been changed so far.
    var report: ChangeReport
    /// The notes at the end of the answer.
    let lastNotes: [String]
    /// The number of the wait for the workers' answers to the recalls; nil without a wait, and after it.
    var wait: UInt64?

    /// How many times as many operations as usual a turn changes: a start writes no row to the record.
    var turnFactor: Int {
        if case .start = kind { 10 } else { 1 }
    }

    /// Whether the change can take turns before the workers have answered.
    ///
    /// A cancellation can, because what returns to it is cancelled, and so can the end of what was cancelled before, which no worker
    /// has. Every other change does not know yet which operations have started.
    var mayGoOn: Bool {
        switch kind {
        case .cancel, .finishFlagged: true
        default: wait == nil
        }
    }
}
