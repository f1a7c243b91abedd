@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// The changes on their way to the disk: here a submission becomes durable.
///
/// Owns the changes from the scheduler's effect to the commit, the follow-ups of uncommitted changes, the record's clock, and
/// the error while the record cannot be written. Guarantees:
///
/// - The recorder gets the changes in the order of their effects, in numbered batches. Each batch ends with the clock.
/// - A follow-up, such as the reply to a submission, is released after the commit of all changes that came before the
///   follow-up, and never earlier.
/// - Follow-ups are released in the order in which they were added.
struct CommitQueue {
    /// Changes to commit together.
    struct Batch {
        /// The changes.
        var changes: [RecordChange]
        /// The batch's number; the numbers rise by one.
        var number: UInt64
    }

    /// The effect of a commit.
    struct Confirmation {
        /// The newest event on disk; nil if the batch was confirmed before.
        var newestEvent: UInt64?
        /// The follow-ups to carry out, by batch.
        var followUps: [[FollowUp]]
    }

    /// How long after a commit the core gathers changes that no client waits for: a commit costs as much as a hundred
    /// changes.
    ///
    /// A worker gathers its reports for less than half of this time, so that two reports share a commit.
    private static let gatheringTime = Duration.milliseconds(100)
    /// The same while a client waits for events among the changes, since no client gets an event before the event is on disk.
    private static let watchedGatheringTime = Duration.milliseconds(5)

    /// The record's own clock.
    private(set) var clock: RecordClock
    /// The error while the record cannot be written; nil while the record can be written.
    private(set) var error: StoreError?
    /// When to flush gathered changes at the latest; nil if no changes are gathered.
    private(set) var flushDeadline: Timestamp?

    private var changes: [RecordChange] = []
    /// The follow-ups of ``changes`` and of earlier changes.
    private var followUps: [FollowUp] = []
    /// Whether a client waits for one of ``followUps``, or a change must not wait; kept, because each turn asks.
    private var isUrgent = false
    /// The follow-ups of uncommitted batches, in the order of the batches.
    private var uncommitted: [(batch: UInt64, followUps: [FollowUp])] = []
    /// The newest event of each uncommitted batch, which no client gets before the commit, and when the batch was handed over.
    private var handedOver: [UInt64: (newestEvent: UInt64, at: Timestamp)] = [:]
    /// The times from the handing over of batches until they were on disk.
    private(set) var times = DurationHistogram()
    /// Whether the replies of uncommitted batches were taken since the record cannot be written.
    private var hasTakenReplies = false
    /// The number of the last batch that was handed over; 0 before the first.
    private(set) var lastBatch: UInt64 = 0
    private var committedBatch: UInt64 = 0
    private var lastFlush: Timestamp

    /// Starts with an empty queue.
    init(_ clock: RecordClock, at now: Timestamp) {
        self.clock = clock
        lastFlush = now
    }

    /// The number of the batch that the next change will be part of.
    var nextBatch: UInt64 { lastBatch + 1 }

    /// Whether a batch and all earlier ones are on disk.
    func isCommitted(_ batch: UInt64) -> Bool { batch <= committedBatch }

    /// The jobs in the waits to answer after a commit.
    var awaitedJobs: Set<JobNumber> {
        var jobs: Set<JobNumber> = []
        for followUps in uncommitted.map(\.followUps) + [followUps] {
            for case .waitAnswer(let wait) in followUps { jobs.formUnion(wait.targets.lazy.compactMap(\.job)) }
        }
        return jobs
    }

    /// Adds a change behind all earlier changes.
    ///
    /// The queue consumes the change, which saves a copy for each effect.
    mutating func append(_ change: consuming RecordChange) { changes.append(change) }

    /// Adds the changes among an event's effects behind all earlier changes.
    mutating func append(changesOf effects: [Effect]) {
        // In place: an effect that is taken out is copied, also one that is no change.
        for index in effects.indices {
            switch effects[index] {
            case .commit(let change), .event(let change, queue: _): changes.append(change)
            default: break
            }
        }
    }

    /// Whether any changes are gathered.
    var hasChanges: Bool { !changes.isEmpty }

    /// Adds the record's clock, unless other changes will add the clock anyway.
    mutating func appendClock(at now: Timestamp) {
        if changes.isEmpty { changes.append(clock.change(at: now)) }
    }

    /// Adds a follow-up of all changes up to now.
    mutating func append(_ followUp: FollowUp) {
        followUps.append(followUp)
        if followUp.hasClientWaiting { isUrgent = true }
    }

    /// Has the changes up to now flushed at the end of the turn, although no client waits for them.
    mutating func hurry() { isUrgent = true }

    /// Whether to flush now; otherwise, notes when to flush.
    ///
    /// - Parameter isWatched: whether a client waits for events among the changes.
    mutating func isFlushDue(at now: Timestamp, isWatched: Bool) -> Bool {
        if isUrgent { return true }
        guard !changes.isEmpty || !followUps.isEmpty else {
            flushDeadline = nil
            return false
        }
        let due = lastFlush + (isWatched ? Self.watchedGatheringTime : Self.gatheringTime)
        if due > now { flushDeadline = due }
        return due <= now
    }

    /// Takes the gathered changes for the recorder; nil if there is none.
    ///
    /// - Parameter newestEvent: the number of the newest event among the changes.
    mutating func takeBatch(newestEvent: UInt64, at now: Timestamp) -> Batch? {
        guard !changes.isEmpty else { return nil }
        if case .clock? = changes.last {} else { changes.append(clock.change(at: now)) }
        clock.notePassed(at: now)
        let last = handedOver[lastBatch]?.newestEvent ?? 0
        invariant(last <= newestEvent, "A batch ends with event \(newestEvent), and the one before with \(last).")
        lastBatch += 1
        handedOver[lastBatch] = (newestEvent, now)
        let batch = Batch(changes: changes, number: lastBatch)
        changes = []
        return batch
    }

    /// Ends the gathering, after ``takeBatch(newestEvent:at:)``.
    ///
    /// - Returns: the follow-ups to carry out at once, since all changes before the follow-ups are on disk.
    mutating func endGathering(at now: Timestamp) -> [FollowUp] {
        invariant(changes.isEmpty, "Changes stay behind when the gathering of a batch ends.")
        flushDeadline = nil
        lastFlush = now
        let ended = followUps
        followUps = []
        isUrgent = false
        if committedBatch == lastBatch { return ended }
        invariant(uncommitted.last?.batch ?? 0 <= lastBatch, "Follow-ups wait for a batch that has not been made.")
        if !ended.isEmpty { uncommitted.append((lastBatch, ended)) }
        return []
    }

    /// Notes the commit of a batch and of all earlier batches.
    mutating func confirm(_ batch: UInt64, at now: Timestamp) -> Confirmation {
        invariant(batch <= lastBatch, "Batch \(batch) is confirmed, but the last batch is \(lastBatch).")
        invariant(batch >= committedBatch, "Batch \(batch) is confirmed after batch \(committedBatch).")
        committedBatch = batch
        let count = uncommitted.firstIndex { $0.batch > batch } ?? uncommitted.count
        let released = uncommitted[..<count].map(\.followUps)
        uncommitted.removeFirst(count)
        invariant(batch < lastBatch || uncommitted.isEmpty, "Follow-ups wait, and all batches are on disk.")
        let passed = handedOver.removeValue(forKey: batch)
        if let passed { times.add(microseconds: (now - passed.at).microseconds) }
        return Confirmation(newestEvent: passed?.newestEvent, followUps: released)
    }

    /// Takes the replies to some clients out of those that wait for a commit, and the submissions whose replies would.
    ///
    /// - Parameter isTaken: whether a client's are taken.
    /// - Returns: the clients, each with its reply; nil for a submission.
    /// - Complexity: O(follow-ups) the first time, then O(follow-ups since the last flush).
    mutating func takeReplies(of isTaken: (ReplyAddress) -> Bool) -> [(reply: Reply?, client: ReplyAddress)] {
        var taken: [(reply: Reply?, client: ReplyAddress)] = []
        func isKept(_ followUp: FollowUp) -> Bool {
            switch followUp {
            case .reply(let reply, let client) where isTaken(client): taken.append((reply, client))
            case .submission(_, _, let client) where isTaken(client): taken.append((nil, client))
            default: return true
            }
            return false
        }
        if !hasTakenReplies {
            for index in uncommitted.indices {
                uncommitted[index].followUps = uncommitted[index].followUps.filter(isKept)
            }
            hasTakenReplies = true
        }
        followUps = followUps.filter(isKept)
        isUrgent = followUps.contains(where: \.hasClientWaiting)
        return taken
    }

    /// Notes that the record cannot be written.
    ///
    /// - Returns: whether the record could be written before.
    mutating func fail(_ error: StoreError) -> Bool {
        defer { self.error = error }
        return self.error == nil
    }

    /// Notes that the record can be written again.
    mutating func recover() {
        error = nil
        hasTakenReplies = false
    }
}

extension FollowUp {
    /// Whether a client waits for the commit.
    ///
    /// A worker does not wait: the worker has its next operation already, and keeps completions until their acknowledgement.
    fileprivate var hasClientWaiting: Bool {
        switch self {
        case .acknowledge, .releaseFiles, .retainFiles, .copyFiles: false
        case .reply, .waitAnswer, .submission, .milestone: true
        }
    }
}
