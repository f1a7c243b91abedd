@_spi(Baton) import BatonOperations

/// The schedules and their next times (SC1, SC3).
///
/// Owns the schedules and when each has to be looked at again. All times are those of the host's clock. Guarantees:
///
/// - A time is decided once: it starts a job, waits for the end of the last job, or is skipped, and each decision changes the state
///   for the record.
/// - A schedule asks for one job at a time, and asks again under the same key until it has an answer.
struct ScheduleBoard {
    /// What a schedule asks for.
    enum Wish: Hashable {
        /// The job of a time.
        case start(Timestamp)
        /// The end of its last job.
        case cancel(JobNumber)
    }

    /// What was decided about a schedule.
    struct Decision: Hashable {
        /// The state for the record; nil if it is as before.
        var state: ScheduleState?
        /// What the schedule asks for; nil for nothing.
        var wish: Wish?
        /// The times that were skipped, one for each reason.
        var skips: [ScheduleSkip] = []
    }

    private struct Entry {
        var record: ScheduleRecord
        /// The times; nil while the time zone is not to be found.
        var times: ScheduleTimes?
        /// The time whose job was asked for and is not answered.
        var starting: Timestamp?
        /// A refused job of which nobody was told.
        var untold: ScheduleSkip?
        /// The last job, if its end was asked for.
        var cancelled: JobNumber?
        /// When to look at the schedule again; nil if only another event is a reason to.
        var next: Timestamp?
    }

    /// A time that nobody could start for so long is missed; times are whole minutes.
    private static let punctual = Duration.seconds(60)
    /// How far the host's clock has to go back for the times from there on to come again.
    private static let wrongClock = Duration.seconds(86_400)
    /// How long a schedule waits after a refusal that may pass.
    private static let pause = Duration.seconds(5)

    private var entries: [String: Entry] = [:]
    /// The schedules whose next starts wait for the end of a job.
    private var awaited: [JobNumber: String] = [:]
    /// When a schedule has to be looked at; nil if there is none.
    private(set) var nextMoment: Timestamp?

    /// Whether there are no schedules.
    var isEmpty: Bool { entries.isEmpty }
    /// The number of schedules.
    var count: Int { entries.count }
    /// The names of the schedules, in their order.
    var names: [String] { entries.keys.sorted() }

    /// The schedule of a name; nil if there is none.
    subscript(name: String) -> ScheduleRecord? { entries[name]?.record }

    /// The next times of a schedule after a moment; none while it is paused or its time zone is not to be found.
    func times(of name: String, _ count: Int, after moment: Timestamp) -> [Timestamp] {
        guard let entry = entries[name], !entry.record.state.isPaused else { return [] }
        return entry.times?.next(count, after: max(moment, entry.record.state.decidedUntil)) ?? []
    }

    // MARK: - Changes

    /// Adds a schedule that is to be looked at, in place of one with its name.
    mutating func add(_ record: ScheduleRecord, _ zone: TimeZoneRules?) {
        let times = zone.map { ScheduleTimes(record.settings.cron, in: $0) }
        entries[record.settings.name] = Entry(record: record, times: times, next: record.state.decidedUntil)
        note(next: record.state.decidedUntil)
    }

    /// Changes a schedule; nil if the change has no effect.
    mutating func change(_ name: String, _ change: ScheduleChange, at present: Timestamp) -> RecordChange? {
        guard var entry = entries[name] else { return nil }
        switch change {
        case .remove:
            entries[name] = nil
            awaited = awaited.filter { $0.value != name }
            return .schedule(name, nil)
        case .pause:
            guard !entry.record.state.isPaused else { return nil }
            entry.record.state.isPaused = true
            entry.record.state.waiting = []
            entry.starting = nil
        case .resume:
            guard entry.record.state.isPaused else { return nil }
            entry.record.state.isPaused = false
            // The times of the pause do not count.
            entry.record.state.decidedUntil = present
        }
        entry.next = present
        entries[name] = entry
        note(next: present)
        return .scheduleState(name, entry.record.state)
    }

    /// Notes that the host's clock was set: each schedule has to be looked at.
    mutating func noteClock(at present: Timestamp) {
        for name in entries.keys { entries[name]?.next = present }
        if !entries.isEmpty { note(next: present) }
    }

    /// Notes that a job is finished.
    mutating func noteFinished(_ job: JobNumber) {
        guard !awaited.isEmpty, let name = awaited.removeValue(forKey: job), let entry = entries[name] else { return }
        let next = entry.record.state.decidedUntil
        entries[name]?.next = next
        note(next: next)
    }

    // MARK: - Decisions

    /// Takes the schedules that have to be looked at.
    mutating func takeDue(at present: Timestamp) -> [String] {
        guard let nextMoment, nextMoment <= present else { return [] }
        let due = entries.filter { $0.value.next.map { $0 <= present } ?? false }.keys.sorted()
        for name in due { entries[name]?.next = nil }
        self.nextMoment = entries.values.lazy.compactMap(\.next).min()
        return due
    }

    /// Decides about the times of a schedule that have come.
    ///
    /// - Parameter isUnfinished: whether a job goes on.
    mutating func decide(_ name: String, at present: Timestamp, isUnfinished: (JobNumber) -> Bool) -> Decision {
        guard var entry = entries[name] else { return Decision() }
        var decision = Decision()
        if let skip = entry.untold { decision.skips.append(skip) }
        entries[name]?.untold = nil
        entry.untold = nil
        guard let times = entry.times, !entry.record.state.isPaused else { return decision }
        let before = entry.record.state
        var state = before
        let running = state.last.flatMap { isUnfinished($0.job) ? $0.job : nil }
        if state.decidedUntil > present + Self.wrongClock { state.decidedUntil = present }
        if let last = times.last(after: state.decidedUntil, through: present) {
            let earlier = times.last(after: state.decidedUntil, through: last.before(microseconds: 1))
            if let earlier { decision.skips.append(ScheduleSkip(time: earlier, reason: .missed)) }
            let isMissed = present - last >= Self.punctual
            if isMissed, entry.record.settings.catchUp == .nothing {
                decision.skips.append(ScheduleSkip(time: last, reason: .missed))
            } else if let skip = take(last, into: &state, entry, isRunning: running != nil) {
                decision.skips.append(skip)
            }
            state.decidedUntil = last
        }
        if let skip = decision.skips.last { state.skip = skip }
        if entry.starting == nil, let time = state.waiting.first {
            if let running {
                awaited[running] = name
                if entry.record.settings.overlap == .replace, entry.cancelled != running {
                    entry.cancelled = running
                    decision.wish = .cancel(running)
                }
            } else {
                entry.starting = time
                decision.wish = .start(time)
            }
        }
        entry.record.state = state
        if state != before { decision.state = state }
        entry.next = times.next(after: state.decidedUntil)
        entries[name] = entry
        if let next = entry.next { note(next: next) }
        return decision
    }

    /// Lets a time that has come wait for its start, unless it is skipped.
    private func take(
        _ time: Timestamp,
        into state: inout ScheduleState,
        _ entry: Entry,
        isRunning: Bool
    ) -> ScheduleSkip? {
        // A job that is still to start is as good as one that goes on.
        guard isRunning || !state.waiting.isEmpty else {
            state.waiting.append(time)
            return nil
        }
        switch entry.record.settings.overlap {
        case .skip: return ScheduleSkip(time: time, reason: .overlap)
        case .queue:
            guard state.waiting.count < ScheduleState.maximumWaiting else {
                return ScheduleSkip(time: time, reason: .overlap)
            }
            state.waiting.append(time)
            return nil
        case .replace:
            let replaced = state.waiting.last { $0 != entry.starting }
            state.waiting = state.waiting.filter { $0 == entry.starting } + [time]
            return replaced.map { ScheduleSkip(time: $0, reason: .overlap) }
        }
    }

    // MARK: - Answers

    /// Whether a schedule still wants what it has asked for.
    func awaits(_ errand: ScheduleErrand) -> Bool {
        guard case .start(let time) = errand.purpose else { return true }
        return entries[errand.schedule]?.starting == time
    }

    /// Notes the job that started at a time; returns the state for the record, or nil if the schedule is gone.
    mutating func noteStart(of name: String, at time: Timestamp, _ job: JobNumber) -> ScheduleState? {
        end(name, time) { $0.last = ScheduleState.Start(time: time, job: job) }
    }

    /// Notes that the job of a time was refused; returns the state for the record, or nil if the schedule is gone.
    mutating func noteRefusal(of name: String, at time: Timestamp, _ message: String) -> ScheduleState? {
        let skip = ScheduleSkip(time: time, reason: .refused, message: message)
        let state = end(name, time) { $0.skip = skip }
        if state != nil { entries[name]?.untold = skip }
        return state
    }

    /// Notes that the job of a time could not be kept: the schedule asks again.
    mutating func notePutOff(_ name: String, at time: Timestamp, present: Timestamp) {
        guard entries[name]?.starting == time else { return }
        let next = present + Self.pause
        entries[name]?.starting = nil
        entries[name]?.next = next
        note(next: next)
    }

    private mutating func end(
        _ name: String,
        _ time: Timestamp,
        _ change: (inout ScheduleState) -> Void
    ) -> ScheduleState? {
        guard var entry = entries[name], entry.starting == time else { return nil }
        entry.starting = nil
        entry.record.state.waiting.removeAll { $0 == time }
        change(&entry.record.state)
        // More times may wait.
        entry.next = entry.record.state.decidedUntil
        entries[name] = entry
        note(next: entry.record.state.decidedUntil)
        return entry.record.state
    }

    private mutating func note(next moment: Timestamp) { nextMoment = min(nextMoment ?? moment, moment) }
}
