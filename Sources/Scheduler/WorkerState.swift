import Operations

/// A worker that has joined.
struct WorkerState {
    /// What it said of itself.
    var introduction: WorkerIntroduction
    /// The session that this one took the place of, if any.
    var supersededSession: SessionID?
    /// What has become of it.
    var condition: WorkerCondition = .alive
    /// Whether it is on disk that it has this session.
    var isKept = false
    /// It was there when the record ended, and has not come back since the restart: it has no session.
    var isAbsent = false
    /// It has said that it takes nothing new.
    var isLeaving = false
    /// When it last gave a sign of life.
    var lastHeard: Timestamp
    /// The attempts that it was sent or runs, with the places of their operations.
    var attempts: [AttemptToken: Int32] = [:]
    /// Those of them that it has not started.
    var sent = SentAttempts()
    /// How many of those were sent when it had no slot for them.
    var aheadCount = 0
    /// How many of those were asked back.
    var recalledCount = 0
    /// The completion hooks that it was sent, with their places.
    var hooks: [AttemptToken: Int32] = [:]
    /// How many attempts it may have beyond its slots.
    var aheadLimit = 0
    /// How long its last attempts took, in microseconds: each new one counts an eighth; nil where it has ended none.
    var meanDuration: Int64?
    /// When it last started or ended an attempt.
    var lastActive: Timestamp
    /// Whether its activity is going to be judged.
    var isActivityWatched = false
    /// When its silence is judged next; nil once it is lost.
    var judgedAt: Timestamp?

    /// Whether it may be sent something.
    ///
    /// A restarted coordinator waits for those workers that the record names and for no others: what may hold an attempt has
    /// to be there first. Joining is rare, so that one commit before the first dispatch costs nobody anything.
    var isOpen: Bool { isAlive && isKept }

    /// Whether it takes something new, if not now.
    var isAlive: Bool { condition == .alive }

    /// Where it stands among other workers.
    struct Standing {
        /// How many attempts it would start at once.
        var freeSlots: Int
        /// How many it may be sent ahead.
        var room: Int
        /// How many could be taken back from it.
        var load: Int
    }

    /// Changes it.
    ///
    /// - Returns: where it stands then; read here, in place, as it would be copied for whoever read it from outside.
    mutating func change(_ body: (inout WorkerState) -> Void) -> Standing {
        body(&self)
        return Standing(freeSlots: freeSlots, room: room, load: load)
    }

    /// How many attempts it would start at once; 0 while it gets nothing.
    var freeSlots: Int { isOpen ? max(0, introduction.slots - attempts.count) : 0 }

    /// How many attempts it may be sent ahead; 0 while it has free slots or gets nothing.
    ///
    /// Nothing is sent ahead to a worker that runs Swift operations: it could keep its slots from those for ever, which
    /// perhaps nobody else runs.
    var room: Int {
        guard isOpen, introduction.types.isEmpty, attempts.count >= introduction.slots else { return 0 }
        return max(0, aheadLimit - (attempts.count - introduction.slots))
    }

    /// How many attempts could be taken back for another worker: the last ones sent, for which it has no slot; none while it
    /// has not answered for others.
    var load: Int {
        guard isOpen, recalledCount == 0 else { return 0 }
        return min(sent.count, max(0, attempts.count - introduction.slots))
    }
}
