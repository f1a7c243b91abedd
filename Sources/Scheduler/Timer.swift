import BatonOperations

/// Something that is to happen at a time.
struct Timer: Comparable {
    /// What is to happen.
    enum Purpose {
        /// An operation's delay or retry delay is over.
        case operation(Slab<OperationNode>.Reference)
        /// A worker's silence has to be judged.
        case worker(Slab<WorkerState>.Reference)
        /// It has to be judged whether a worker gets on with what it was sent ahead.
        case activity(Slab<WorkerState>.Reference)
        /// A failing worker may be tried again.
        case trial(Slab<WorkerState>.Reference)
        /// A client's request has waited long enough for workers.
        case heldRequest(UInt64)
        /// The wait for workers after a restart is over.
        case reconcileWindow
    }

    /// When.
    var deadline: Timestamp
    /// What.
    var purpose: Purpose

    static func < (left: Timer, right: Timer) -> Bool {
        (left.deadline, left.turn) < (right.deadline, right.turn)
    }

    static func == (left: Timer, right: Timer) -> Bool {
        (left.deadline, left.turn) == (right.deadline, right.turn)
    }

    /// Its place among those of the same time: requests are given up in the order in which they came.
    private var turn: UInt64 {
        if case .heldRequest(let number) = purpose { number } else { 0 }
    }
}
