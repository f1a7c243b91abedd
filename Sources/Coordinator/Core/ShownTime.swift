@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The relation of the coordinator's own time, which never jumps, to the clock of its host, which users see.
///
/// All waiting goes by the coordinator's own time. The two agree at the start, and differ from the moment on at which the host's
/// clock is set or the host is suspended.
struct ShownTime: Sendable {
    /// The coordinator's start, by its own time.
    let start: Timestamp
    /// The present moment, by the coordinator's own time.
    let now: Timestamp
    /// How far the host's clock is ahead of the coordinator's own time.
    let ahead: Duration
    /// The lead of the record at the start, if the host's clock has passed the record's newest time since: the times of earlier runs,
    /// which had moved back, are what they were again.
    var outrun: RecordLead?

    /// The present moment by the host's clock.
    var present: Timestamp { now + ahead }

    /// A past moment by the host's clock.
    ///
    /// What the record tells of earlier runs is a time of day already, and stays as it is; if the clock was wrong at the start,
    /// such a time may even be in the future.
    func past(_ moment: Timestamp) -> Timestamp {
        if let outrun, moment > outrun.floor, moment < start { return moment + outrun.length }
        return ahead != .zero && moment >= start && moment <= now ? moment + ahead : moment
    }

    /// The earliest moment of the coordinator's own time that may be shown as a moment or as a later one.
    func earliest(shownSince moment: Timestamp) -> Timestamp { moment.before(microseconds: ahead.microseconds) }

    /// A moment in the future by the host's clock.
    func future(_ moment: Timestamp) -> Timestamp { moment + ahead }

    /// The record of an operation with shown times.
    func shown(_ record: OperationRecord) -> OperationRecord {
        var record = moved(record)
        record.notBefore = record.notBefore.map(future)
        return record
    }

    /// The history of operations with shown times.
    func shown(_ history: OperationHistory) -> OperationHistory { moved(history) }

    private func moved<Course: OperationCourse>(_ course: Course) -> Course {
        guard ahead != .zero || outrun != nil else { return course }
        var course = course
        course.readyAt = course.readyAt.map(past)
        course.startedAt = course.startedAt.map(past)
        course.finishedAt = course.finishedAt.map(past)
        return course
    }

    /// An event with a shown time.
    func shown(_ event: ClusterEvent) -> ClusterEvent {
        guard ahead != .zero else { return event }
        var event = event
        event.time = past(event.time)
        return event
    }

    /// A change of the record with shown times.
    func shown(_ change: RecordChange) -> RecordChange {
        switch change {
        case .job(var job):
            job.submittedAt = past(job.submittedAt)
            return .job(job)
        case .addition(var addition):
            addition.addedAt = past(addition.addedAt)
            return .addition(addition)
        case .operation(let record): return .operation(shown(record))
        case .attempt(let operation, var attempt):
            attempt.startedAt = attempt.startedAt.map(past)
            attempt.endedAt = past(attempt.endedAt)
            return .attempt(operation, attempt)
        case .fetch(let operation, let attempt, var fetch):
            fetch.sentAt = past(fetch.sentAt)
            fetch.arrivedAt = past(fetch.arrivedAt)
            return .fetch(operation, attempt: attempt, fetch)
        case .jobFinished(let job, let counts, let time, let startedAt, let root):
            return .jobFinished(job, counts, past(time), startedAt: startedAt.map(past), root: root)
        case .hookDone(let operation, var hook):
            hook.startedAt = hook.startedAt.map(past)
            hook.endedAt = past(hook.endedAt)
            return .hookDone(operation, hook)
        case .drain(let worker, var drain?):
            drain.since = past(drain.since)
            return .drain(worker, drain)
        case .pause(let operation, var pause?):
            pause.since = past(pause.since)
            return .pause(operation, pause)
        case .event(let event): return .event(shown(event))
        case .clock(let clock, let time): return .clock(clock, at: time + ahead)
        case .jobClosed, .output, .result, .files, .queue, .queueDeleted, .totals, .dependencies, .commands, .hook,
            .worker,
            .drain(_, nil), .pause(_, nil), .schedule, .scheduleState,
            .missingAttempts, .limit:
            return change
        }
    }
}

/// What tells when an operation became ready, started and ended.
private protocol OperationCourse {
    var readyAt: Timestamp? { get set }
    var startedAt: Timestamp? { get set }
    var finishedAt: Timestamp? { get set }
}

extension OperationRecord: OperationCourse {}

extension OperationHistory: OperationCourse {}
