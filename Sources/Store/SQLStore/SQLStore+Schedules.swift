@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The schedules.
extension SQLStore {
    static func write(
        _ schedule: ScheduleRecord?,
        named name: String,
        _ statements: Statements
    ) throws(SQLError) {
        guard let schedule else {
            statements.cluster.deleteSchedule.bind(.name, text: name)
            return try statements.cluster.deleteSchedule.run()
        }
        let statement = statements.cluster.writeSchedule
        typealias Column = ScheduleColumn
        statement.bind(Column.name, text: name)
        statement.bind(Column.cron, text: schedule.settings.cron.description)
        statement.bind(Column.timeZone, text: schedule.settings.timeZone)
        statement.bind(Column.overlap, text: schedule.settings.overlap.description)
        statement.bind(Column.catchUp, text: schedule.settings.catchUp.description)
        statement.bind(Column.addedAt, schedule.addedAt.inColumn)
        statement.bind(Column.addedBy, text: schedule.addedBy)
        statement.bind(Column.request, bytes: schedule.request)
        statement.bind(Column.decidedUntil, schedule.state.decidedUntil.inColumn)
        try statement.run()
        try write(schedule.state, ofSchedule: name, statements)
    }

    static func write(
        _ state: ScheduleState,
        ofSchedule name: String,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.cluster.writeScheduleState
        typealias Column = ScheduleStateColumn
        statement.bind(Column.isPaused, state.isPaused ? 1 : 0)
        statement.bind(Column.decidedUntil, state.decidedUntil.inColumn)
        statement.bind(Column.lastTime, state.last?.time.inColumn)
        statement.bind(Column.lastJob, state.last.map { Int64($0.job.rawValue) })
        let waiting = JSONValue.array(state.waiting.map { .integer($0.inColumn) })
        statement.bind(Column.waiting, text: state.waiting.isEmpty ? nil : waiting.text)
        statement.bind(Column.skippedTime, state.skip?.time.inColumn)
        statement.bind(Column.skipReason, text: state.skip?.reason.description)
        statement.bind(Column.skipMessage, text: state.skip?.message)
        statement.bind(Column.name, text: name)
        try statement.run()
    }

    static func schedules(_ statements: Statements) throws(SQLError) -> [String: ScheduleRecord] {
        var schedules: [String: ScheduleRecord] = [:]
        try statements.cluster.schedules.forEach { row throws(SQLError) in
            typealias Column = ScheduleColumn
            let name = try row.text(Column.name)
            let text = try row.text(Column.cron)
            guard let cron = try? CronExpression(text) else { throw row.damaged(Column.cron) }
            schedules[name] = ScheduleRecord(
                settings: ScheduleSettings(
                    name: name,
                    cron: cron,
                    timeZone: try row.text(Column.timeZone),
                    overlap: try row.word(Column.overlap),
                    catchUp: try row.word(Column.catchUp)
                ),
                addedAt: try row.time(Column.addedAt),
                addedBy: try row.optionalText(Column.addedBy),
                request: row.optionalBytes(Column.request) ?? [],
                state: ScheduleState(decidedUntil: try row.time(Column.decidedUntil))
            )
            return true
        }
        try statements.cluster.scheduleStates.forEach { row throws(SQLError) in
            let name = try row.text(ScheduleStateColumn.name)
            schedules[name]?.state = try row.scheduleState()
            return true
        }
        return schedules
    }
}

extension Statement {
    /// The state in a row of ``Statements/scheduleStates``.
    fileprivate func scheduleState() throws(SQLError) -> ScheduleState {
        typealias Column = ScheduleStateColumn
        var state = ScheduleState(decidedUntil: try time(Column.decidedUntil))
        state.isPaused = try flag(Column.isPaused)
        if let time = try optionalTime(Column.lastTime) {
            state.last = ScheduleState.Start(time: time, job: JobNumber(try number(Column.lastJob)))
        }
        if !isNull(Column.waiting) {
            guard let times = try json(Column.waiting).integers?.map({ Timestamp(rawValue: $0) }),
                times.allSatisfy({ Timestamp.recordable.contains($0) })
            else { throw damaged(Column.waiting) }
            state.waiting = times
        }
        if let time = try optionalTime(Column.skippedTime) {
            state.skip = ScheduleSkip(
                time: time,
                reason: try word(Column.skipReason),
                message: try optionalText(Column.skipMessage)
            )
        }
        return state
    }
}
