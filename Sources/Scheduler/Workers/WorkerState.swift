@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// A worker that has joined.
///
/// Computed properties are inlined: otherwise each access would copy the whole worker.
struct WorkerState {
    /// The worker's description of itself.
    var introduction: WorkerIntroduction
    /// The session that the current session has replaced, if any.
    var supersededSession: SessionID?
    /// The worker's condition.
    var condition: WorkerCondition = .alive
    /// Whether the worker's session is on disk; never of a keeper, which thus gets no attempt.
    var isCommitted = false
    /// Whether the worker is known from the record and has not come back since the restart: it has no session.
    var isAbsent = false
    /// The fault that keeps the worker from starting attempts, with the time of the next trial; nil for a healthy worker.
    var failing: FailingWorker?
    /// Why the worker fetches no more than some bytes for a while; nil unless it has had no room for files lately.
    var fetchPause: FetchPause?
    /// Whether the worker's process is about to end: the worker announced it, or was asked to stop.
    var isLeaving = false
    /// Whether an administrator wants the worker to get nothing new.
    var isDrained = false
    /// When the worker ends because of its time limit; nil without a limit.
    var endsAt: Timestamp?
    /// The request to leave that the worker was sent; nil for none.
    var stop: Stop?
    /// The attempts sent to or running on the worker, with the operations.
    var attempts: [AttemptToken: NodeIndex] = [:]
    /// The attempts that the worker has not started.
    var sent = SentAttempts()
    /// The number of unstarted attempts that were sent while the worker had no slot for them.
    var prefetchedCount = 0
    /// The number of attempts that were not known to be short at their dispatch, running attempts included.
    var longCount = 0
    /// The number of unstarted attempts that were recalled.
    var recalledCount = 0
    /// The number of reservations of the worker.
    var reservationCount = 0
    /// The completion hooks sent to the worker.
    var hooks: [AttemptToken: HookIndex] = [:]
    /// How much the worker may be sent ahead.
    var roomAhead = SendAhead.Room()
    /// The worker's signs of life, its pace, and the timers that judge both.
    var times: WorkerTimes

    /// Whether the worker may be sent attempts.
    ///
    /// A restarted coordinator waits only for the workers in the record: a worker must be recorded before it can hold an
    /// attempt. Workers join rarely, so that one commit before the first dispatch costs nothing noticeable.
    @inline(__always) var isOpen: Bool { isAlive && isCommitted }

    /// Whether the worker takes new work, now or later.
    @inline(__always) var isAlive: Bool { condition == .alive }

    /// Whether the worker may be asked to make copies of files; a keeper may, although it is never open.
    var takesCopies: Bool { introduction.isKeeper ? isAlive && !isAbsent : isOpen }

    /// A request to leave.
    enum Stop {
        /// The worker ends after its drain timeout at the latest.
        case inOrder
        /// The worker ends what runs.
        case now
    }

    /// Ends one of the worker's reservations.
    mutating func endReservation() {
        reservationCount -= 1
        invariant(reservationCount >= 0, "A worker has fewer than no reservations.")
    }

    /// Whether the worker is neither silent nor gone.
    var isPresent: Bool { condition == .alive || condition == .draining }

    /// Gives a present worker the condition that follows from the requests to take nothing new.
    mutating func becomePresent(_ isPresent: Bool) {
        if isPresent { condition = isDrained || isLeaving ? .draining : .alive }
    }

    /// The worker's standing among the workers.
    struct Standing: Equatable {
        /// The number of attempts that the worker would start at once.
        var freeSlots = 0
        /// The room for attempts ahead; see ``WorkerState/room``.
        var room = 0
        /// Whether the room may be used for attempts that are too long to be sent ahead to a near worker.
        var isForLongAttempts = false
        /// The number of attempts that could be recalled from the worker.
        var load = 0
        /// The number of attempts of unknown duration that may be sent before the attempts ahead.
        var yieldingSlots = 0
        /// The number of short attempts that may be sent before the attempts ahead.
        var yieldingRoom = 0
    }

    /// The standing after the last change; a new worker stands nowhere.
    private var standing = Standing()

    /// Describes a worker that has just joined.
    init(introduction: WorkerIntroduction, joinedAt now: Timestamp) {
        self.introduction = introduction
        times = WorkerTimes(joinedAt: now)
    }

    /// Changes the worker.
    ///
    /// The standing is read here, in place: a read from outside would copy the worker.
    ///
    /// - Returns: the new standing; nil if the standing is unchanged.
    mutating func change(_ body: (inout WorkerState) -> Void) -> Standing? {
        body(&self)
        let standing = Standing(
            freeSlots: freeSlots,
            room: room,
            isForLongAttempts: roomAhead.isForLongAttempts,
            load: load,
            yieldingSlots: yieldingSlots,
            yieldingRoom: yieldingRoom
        )
        guard standing != self.standing else { return nil }
        self.standing = standing
        return standing
    }

    /// The number of attempts that have a slot or wait for one; those whose files are being fetched do neither (FI4).
    @inline(__always) var attemptsForSlots: Int { attempts.count - sent.fetchingCount }

    /// The number of attempts that have started.
    @inline(__always) var executingCount: Int { attempts.count - sent.count - sent.fetchingCount }

    /// The number of slots without an attempt; 0 while the worker gets nothing.
    @inline(__always) var unusedSlots: Int { isOpen ? max(0, introduction.slots - attemptsForSlots) : 0 }

    /// The fewest attempts whose files a worker may fetch at once, however few slots it has.
    private static let leastFetching = 2

    /// Whether the worker may be sent another attempt whose files it fetches first.
    ///
    /// As many as the worker has slots keep these busy after each other. The bound stands beside the slots and the room ahead.
    @inline(__always) var mayFetch: Bool {
        introduction.knowsFiles && isOpen && sent.fetchingCount < max(introduction.slots, Self.leastFetching)
    }

    /// Whether the worker may be sent another attempt for which it fetches so many bytes first.
    @inline(__always)
    func hasRoomToFetch(_ bytes: Int64, at now: Timestamp) -> Bool {
        mayFetch && !(fetchPause?.forbids(bytes, at: now) ?? false)
    }

    /// Whether the worker may ever keep so many bytes of files at once.
    @inline(__always)
    func couldKeep(_ bytes: Int64) -> Bool { introduction.filesLimit.map { bytes <= $0 } ?? true }

    /// Whether the worker may fetch files for an attempt for which it has no slot, within the bound.
    ///
    /// The reasons against it are those against any attempt ahead; see ``room``.
    @inline(__always) var takesFetchesAhead: Bool {
        isOpen && failing == nil && introduction.types.isEmpty && reservationCount == 0
    }

    /// The number of attempts that the worker would start at once; 0 while the worker gets nothing.
    @inline(__always) var freeSlots: Int {
        guard isOpen else { return 0 }
        let free = max(0, introduction.slots - attemptsForSlots)
        return failing.map { $0.mayBeTried ? min(free, 1) : 0 } ?? free
    }

    /// Whether the worker may be sent completion hooks.
    var takesHooks: Bool { isOpen && failing?.mayBeTried ?? true }

    /// Whether the worker may be sent completion hooks while no worker takes new work.
    var takesLastHooks: Bool {
        isDrained && !isLeaving && condition == .draining && isCommitted && failing?.mayBeTried ?? true
    }

    /// The room for attempts ahead, an upper bound on the number of further attempts.
    ///
    /// The room is 0 while the worker has free slots or gets nothing. The attempts ahead count by their expected duration: a
    /// few long attempts count as much as many short attempts.
    ///
    /// Nothing is sent ahead to a worker that runs Swift operations: attempts ahead could keep its slots for ever from Swift
    /// operations that perhaps no other worker runs. The same holds for a worker that is reserved.
    @inline(__always) var room: Int {
        guard isOpen, failing == nil, introduction.types.isEmpty, reservationCount == 0,
            attemptsForSlots >= introduction.slots
        else { return 0 }
        let timeLeft = roomAhead.time - sent.expectedTime
        guard timeLeft > 0 else { return 0 }
        var parts = Int(timeLeft * SendAhead.steps / roomAhead.time) + 1
        let left = roomAhead.attempts - (attemptsForSlots - introduction.slots)
        // A far worker has room for thousands of no-ops, which no time tells apart: another one gets its part in turns.
        if roomAhead.isForLongAttempts, left > 0 {
            parts = min(parts, left * Int(SendAhead.steps) / roomAhead.attempts + 1)
        }
        return max(0, min(left, parts))
    }

    /// How many attempts of unknown duration may get the worker's next slots before the attempts ahead.
    ///
    /// The number is the number of slots that are known to be free again soon.
    @inline(__always) var yieldingSlots: Int { isYielding ? max(0, introduction.slots - longCount) : 0 }

    /// How many short attempts may be sent beyond the limit of attempts ahead, because their turn comes earlier.
    ///
    /// All the attempts of the worker count too: when the worker joins again, the scheduler forgets which attempts overtook
    /// others.
    @inline(__always) var yieldingRoom: Int {
        guard isYielding else { return 0 }
        let most = max(introduction.slots, roomAhead.attempts)
        let left = introduction.slots + roomAhead.attempts + most - attemptsForSlots
        return max(0, min(most - sent.overtakingCount, left))
    }

    /// Whether another attempt could overtake an attempt ahead at the worker.
    @inline(__always) private var isYielding: Bool {
        prefetchedCount > recalledCount && isOpen && failing == nil && introduction.types.isEmpty
    }

    /// How many attempts could be recalled for another worker: the last attempts sent, for which the worker has no slot.
    ///
    /// The load is 0 while the worker has not answered earlier recalls.
    @inline(__always) var load: Int {
        guard isOpen, recalledCount == 0 else { return 0 }
        return min(sent.count, max(0, attemptsForSlots - introduction.slots))
    }
}
