import BatonOperations

/// A worker that has joined.
///
/// What is computed of it is inlined: otherwise all of it is copied for each such value.
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
    /// Why it cannot start attempts, and when it is tried again; nil while it is well.
    var failing: FailingWorker?
    /// When it is looked whether it may be tried, failing or not; nil where that is not going to be.
    var triedAt: Timestamp?
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
    /// How many of its attempts were not known to be short when they were sent, running ones included.
    var longCount = 0
    /// How many of those that it has not started were asked back.
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
    @inline(__always) var isOpen: Bool { isAlive && isKept }

    /// Whether it takes something new, if not now.
    @inline(__always) var isAlive: Bool { condition == .alive }

    /// Where it stands among other workers.
    struct Standing: Equatable {
        /// How many attempts it would start at once.
        var freeSlots = 0
        /// How many it may be sent ahead.
        var room = 0
        /// How many could be taken back from it.
        var load = 0
        /// How many may be sent to it before others of which it is not known how long they hold the slot that they get.
        var yieldingSlots = 0
        /// How many short ones may be sent to it before others.
        var yieldingRoom = 0
    }

    /// Where it stood after its last change; a new one stands nowhere.
    private var standing = Standing()

    /// Describes a worker that has just joined.
    init(introduction: WorkerIntroduction, lastHeard: Timestamp, lastActive: Timestamp) {
        self.introduction = introduction
        self.lastHeard = lastHeard
        self.lastActive = lastActive
    }

    /// Changes it.
    ///
    /// - Returns: where it stands then; nil where it stands as before. It is read here, in place, as it would be copied for
    ///   whoever read it from outside.
    mutating func change(_ body: (inout WorkerState) -> Void) -> Standing? {
        body(&self)
        let standing = Standing(
            freeSlots: freeSlots,
            room: room,
            load: load,
            yieldingSlots: yieldingSlots,
            yieldingRoom: yieldingRoom
        )
        guard standing != self.standing else { return nil }
        self.standing = standing
        return standing
    }

    /// How many attempts it would start at once; 0 while it gets nothing.
    @inline(__always) var freeSlots: Int {
        guard isOpen else { return 0 }
        let free = max(0, introduction.slots - attempts.count)
        return failing.map { $0.mayBeTried ? min(free, 1) : 0 } ?? free
    }

    /// Whether it may be sent completion hooks.
    var takesHooks: Bool { isOpen && failing?.mayBeTried ?? true }

    /// How much it may be sent ahead, at most so many attempts; 0 while it has free slots or gets nothing.
    ///
    /// What it has been sent counts by the time that it takes: a few that take longer than others are as much as many of those.
    ///
    /// Nothing is sent ahead to a worker that runs Swift operations: it could keep its slots from those for ever, which
    /// perhaps nobody else runs.
    @inline(__always) var room: Int {
        guard isOpen, failing == nil, introduction.types.isEmpty, attempts.count >= introduction.slots else { return 0 }
        let timeLeft = Int64(introduction.slots) * SendAhead.horizon - sent.expectedTime
        guard timeLeft > 0 else { return 0 }
        let parts = Int(timeLeft / (Int64(introduction.slots) * SendAhead.step)) + 1
        return max(0, min(aheadLimit - (attempts.count - introduction.slots), parts))
    }

    /// How many attempts may get its next slots before what it has ahead, although it is not known how long they take: as many
    /// as there are slots of which it is known that they are free again soon.
    @inline(__always) var yieldingSlots: Int { isYielding ? max(0, introduction.slots - longCount) : 0 }

    /// How many short attempts may be sent to it, beyond what it may have ahead, because their turn comes before that.
    ///
    /// All that it has counts too: which of that went before others is forgotten when it says hello again.
    @inline(__always) var yieldingRoom: Int {
        guard isYielding else { return 0 }
        let most = max(introduction.slots, aheadLimit)
        return max(0, min(most - sent.overtakingCount, introduction.slots + aheadLimit + most - attempts.count))
    }

    /// Whether it has something ahead that another attempt could start before.
    @inline(__always) private var isYielding: Bool {
        aheadCount > recalledCount && isOpen && failing == nil && introduction.types.isEmpty
    }

    /// How many attempts could be taken back for another worker: the last ones sent, for which it has no slot; none while it
    /// has not answered for others.
    @inline(__always) var load: Int {
        guard isOpen, recalledCount == 0 else { return 0 }
        return min(sent.count, max(0, attempts.count - introduction.slots))
    }
}
