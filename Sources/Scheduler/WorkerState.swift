import Operations

/// A worker that has joined.
struct WorkerState {
    /// What it said of itself.
    var introduction: WorkerIntroduction
    /// The session that this one took the place of, if any.
    var supersededSession: SessionID?
    /// What has become of it.
    var condition: WorkerCondition = .alive
    /// Whether it is on its way out: it gives back whatever it is sent, so it gets nothing new until it joins again.
    var isLeaving = false
    /// When it last gave a sign of life.
    var lastHeard: Timestamp
    /// The attempts that it runs, with the places of their operations.
    var attempts: [AttemptToken: Int32] = [:]
    /// When its silence is judged next; nil once it is lost.
    var judgedAt: Timestamp?
    /// Its position among the workers with as many free slots; -1 while it gets nothing.
    var position: Int32 = -1

    /// How many more attempts it could run; negative after an adoption of more than it has slots.
    var freeSlots: Int { introduction.slots - attempts.count }

    /// Whether it may be sent something new.
    var isOffered: Bool { condition == .alive && !isLeaving && freeSlots > 0 }
}
