@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// Starts the jobs of schedules, as if clients had submitted them, and changes schedules.
///
/// Each start has the schedule's name and the time as its key, and comes into the record together with how far the schedule has come.
/// After a crash, the schedule asks again for what is not in the record, and gets the job that is there.
extension CoordinatorCore {
    /// The present moment by the host's clock, which schedules follow.
    private var timeOfDay: Timestamp { now + aheadOfOwnTime }

    /// When a schedule has to be looked at, by the coordinator's own time; nil if there is none.
    var nextScheduleMoment: Timestamp? {
        guard let moment = schedules.nextMoment, commits.error == nil else { return nil }
        return moment + (.zero - aheadOfOwnTime)
    }

    /// Takes over the schedules of the record.
    func restore(_ records: [String: ScheduleRecord]) {
        for (name, record) in records.sorted(by: { $0.key < $1.key }) {
            let zone = options.timeZones.rules(of: record.settings.timeZone)
            if zone == nil {
                logger.warning(
                    "a schedule starts nothing, because its time zone is not on this host",
                    metadata: ["schedule": "\(name.asShown)", "timeZone": "\(record.settings.timeZone.asShown)"]
                )
            }
            schedules.add(record, zone)
        }
    }

    // MARK: - Times

    /// Looks at the schedules whose times have come.
    func serveSchedules() {
        guard let moment = nextScheduleMoment, moment <= now else { return }
        let present = timeOfDay
        for name in schedules.takeDue(at: present) {
            let decision = schedules.decide(name, at: present) { isUnfinished($0) }
            for skip in decision.skips { tell(of: skip, name) }
            if let state = decision.state { commits.append(.scheduleState(name, state)) }
            switch decision.wish {
            case .start(let time)?: start(name, at: time)
            case .cancel(let job)?: cancel(job, of: name)
            case nil: break
            }
        }
    }

    private func start(_ name: String, at time: Timestamp) {
        guard let record = schedules[name] else { return }
        let errand = ScheduleErrand(schedule: name, purpose: .start(time), addedBy: record.addedBy)
        switch Self.submission(of: record) {
        case .success(var submission):
            submission.key = record.settings.key(at: time)
            perform(ReceivedRequest(.submit(submission)), for: ReplyAddress(errand))
        case .failure(let refusal): answer(errand, .refused(refusal))
        }
    }

    private func cancel(_ job: JobNumber, of name: String) {
        let errand = ScheduleErrand(schedule: name, purpose: .cancellation, addedBy: schedules[name]?.addedBy)
        apply(.cancel([.job(job)], request: answers.expect(for: ReplyAddress(errand))))
    }

    /// Takes the answer to what a schedule has asked for.
    func answer(_ errand: ScheduleErrand, _ reply: Reply) {
        guard case .start(let time) = errand.purpose else { return }
        let name = errand.schedule
        switch reply {
        case .job(let job, _, _):
            guard let state = schedules.noteStart(of: name, at: time, job) else { return }
            commits.append(.scheduleState(name, state))
        case .refused(let refusal) where refusal.code == .storage:
            schedules.notePutOff(name, at: time, present: timeOfDay)
        case .refused(let refusal):
            guard let state = schedules.noteRefusal(of: name, at: time, refusal.message) else { return }
            commits.append(.scheduleState(name, state))
        default: break
        }
    }

    private func tell(of skip: ScheduleSkip, _ name: String) {
        var metadata: Logger.Metadata = [
            "schedule": "\(name.asShown)", "time": "\(skip.time)", "reason": "\(skip.reason)",
        ]
        if let message = skip.message { metadata["message"] = "\(message)" }
        logger.warning("a schedule starts nothing at one of its times", metadata: metadata)
        apply(.scheduleChanged(name, .skipped, by: nil))
    }

    // MARK: - Requests

    /// Adds a schedule at a client's request.
    func addSchedule(_ settings: ScheduleSettings, _ submission: Submission, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        do throws(Refusal) {
            let name = settings.name
            try settings.validated()
            guard let zone = options.timeZones.rules(of: settings.timeZone) else {
                throw .noTimeZone(settings.timeZone)
            }
            let request = try Self.request(of: submission, settings, at: timeOfDay)
            if let known = schedules[name] {
                guard known.settings == settings, known.request == request else { throw .otherSchedule(name) }
                let note = "The schedule \(name.asShown) is there already, with the same settings."
                return commits.append(.reply(.changed(ChangeReport(changed: 0, notes: [note])), client))
            }
            guard schedules.count < ScheduleRecord.maximumCount else { throw .tooManySchedules }
            var state = ScheduleState(decidedUntil: timeOfDay)
            state.last = unfinishedStart(of: settings)
            let record = ScheduleRecord(
                settings: settings,
                addedAt: timeOfDay,
                addedBy: client.requester?.recordName,
                request: request,
                state: state
            )
            schedules.add(record, zone)
            commits.append(.schedule(name, record))
            apply(.scheduleChanged(name, .added, by: client.requester.map { RequesterName($0.recordName) }))
            commits.append(.reply(.changed(ChangeReport(changed: 1)), client))
        } catch {
            send(.refused(error), to: client)
        }
    }

    /// The last start of a removed schedule with the same name, if its job goes on: whoever changes a schedule removes it and adds it
    /// again, and `overlap` is about that job, too.
    private func unfinishedStart(of settings: ScheduleSettings) -> ScheduleState.Start? {
        scheduler.jobs(withKeyPrefix: settings.keyPrefix)
            .compactMap { key, job in
                settings.time(ofKey: key).map { ScheduleState.Start(time: $0, job: job) }
            }
            .max { $0.job < $1.job }
    }

    /// Pauses, resumes or removes a schedule at a client's request.
    func changeSchedule(_ name: String, _ change: ScheduleChange, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        guard schedules[name] != nil else { return send(.refused(.noSuchSchedule(name)), to: client) }
        let effect = schedules.change(name, change, at: timeOfDay)
        if let effect {
            commits.append(effect)
            let requester = client.requester.map { RequesterName($0.recordName) }
            apply(.scheduleChanged(name, ScheduleNews(change), by: requester))
        }
        commits.append(.reply(.changed(ChangeReport(changed: effect == nil ? 0 : 1)), client))
    }

    /// Submits at a client's request what a schedule submits.
    func startSchedule(_ name: String, key: String, for client: ReplyAddress) {
        guard let record = schedules[name] else { return send(.refused(.noSuchSchedule(name)), to: client) }
        switch Self.submission(of: record) {
        case .success(var submission):
            submission.key = key
            perform(ReceivedRequest(.submit(submission)), for: client)
        case .failure(let refusal): send(.refused(refusal), to: client)
        }
    }

    /// The number of next times in the document of a schedule.
    private static let shownTimes = 5

    /// Answers with all schedules.
    func answerSchedules(for client: ReplyAddress) {
        let documents = schedules.names.compactMap { name in
            schedules[name].map { ScheduleDocument($0, next: schedules.times(of: name, 1, after: timeOfDay)) }
        }
        reply(ScheduleListDocument(schedules: documents), for: client)
    }

    /// Answers with a schedule and its next times.
    func answerSchedule(_ name: String, for client: ReplyAddress) {
        guard let record = schedules[name] else { return send(.refused(.noSuchSchedule(name)), to: client) }
        let next = schedules.times(of: name, Self.shownTimes, after: timeOfDay)
        reply(ScheduleDocument(record, next: next), for: client)
    }

    /// The message that submits what a schedule starts, once all rules for submissions hold.
    private static func request(
        of submission: Submission,
        _ settings: ScheduleSettings,
        at present: Timestamp
    ) throws(Refusal) -> [UInt8] {
        try submission.checkAsScheduled()
        var submission = submission
        submission.settings = submission.settings.withoutTraceParent
        submission.settings.tags[ScheduleSettings.tag] = settings.name
        submission.key = settings.key(at: present)
        try submission.validated()
        submission.key = nil
        let request = ClientMessage.request(0, .submit(submission)).encoded()
        guard request.count <= ScheduleRecord.maximumRequestLength else { throw .longSchedule }
        return request
    }

    /// What a schedule submits.
    private static func submission(of record: ScheduleRecord) -> Result<Submission, Refusal> {
        let message = record.request.withUnsafeBytes { try? ClientMessage(decoding: $0) }
        guard case .request(_, .submit(let submission))? = message else {
            return .failure(Refusal(.damaged, "What the schedule submits cannot be read."))
        }
        return .success(submission)
    }
}

extension ReplyAddress {
    /// The address of a schedule, to which nothing is sent.
    init(_ errand: ScheduleErrand) {
        self.init(peer: RoutingID(inProcess: 0), number: 0)
        self.errand = errand
    }
}

extension Refusal {
    fileprivate static func otherSchedule(_ name: String) -> Refusal {
        Refusal(
            .keyConflict,
            "There is another schedule \(name.asShown) already. Remove it first, or give this one another name."
        )
    }

    fileprivate static var tooManySchedules: Refusal {
        Refusal(
            .unavailable,
            "The cluster has \(ScheduleRecord.maximumCount) schedules, and may not have more. Remove some first."
        )
    }

    fileprivate static var longSchedule: Refusal {
        Refusal(
            .invalid,
            "What the schedule submits has more than \(ScheduleRecord.maximumRequestLength >> 20) MiB. Let it submit a command that "
                + "submits the rest."
        )
    }
}
