@_spi(Baton) import BatonOperations

/// An action that is due at a time.
struct Timer: Comparable {
    /// The kind of action.
    enum Purpose {
        /// An operation's delay or retry delay ends.
        case operation(SlabReference<OperationNode>)
        /// The scheduler judges a worker's silence.
        case worker(SlabReference<WorkerState>)
        /// A lost worker leaves the list.
        case lostWorker(SlabReference<WorkerState>)
        /// The scheduler judges the progress of a worker with the attempts sent ahead.
        case activity(SlabReference<WorkerState>)
        /// A failing worker may get another trial.
        case trial(SlabReference<WorkerState>)
        /// A client's request has waited long enough for workers.
        case deferredRequest(UInt64)
        /// The next operation of a queue with a rate may start.
        case queueRate(QueueIndex)
        /// A deadline of a job's operations comes.
        case jobDeadline(JobNumber)
        /// The time ends for which a finished job keeps its files.
        case keptFiles(JobNumber)
        /// The time ends for which workers have files that nobody needs.
        case sparedFiles
        /// Copies of files beyond those that are wanted may be deleted.
        case surplusCopies
        /// The time ends for which first reports of files are awaited after a restart.
        case firstFileReports
        /// The reconcile window ends.
        case reconcileWindow
    }

    /// The time at which the action is due.
    var deadline: Timestamp
    /// The action.
    var purpose: Purpose

    static func < (left: Timer, right: Timer) -> Bool {
        (left.deadline, left.turn) < (right.deadline, right.turn)
    }

    static func == (left: Timer, right: Timer) -> Bool {
        (left.deadline, left.turn) == (right.deadline, right.turn)
    }

    /// The position among timers of the same time: requests are given up in the order of their arrival.
    private var turn: UInt64 {
        if case .deferredRequest(let number) = purpose { number } else { 0 }
    }
}
