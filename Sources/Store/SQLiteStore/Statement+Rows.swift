import BatonJSON
package import BatonOperations

/// The form of values in columns; a value not written by Baton is `corrupt`, never a trap.
extension Statement {
    /// A column with the name of an enumeration's case.
    func word<Value: CaseIterable & CustomStringConvertible>(_ column: Int32) throws(SQLiteError) -> Value {
        let text = try text(column)
        guard let value = Value.allCases.first(where: { $0.description == text }) else { throw damaged(column) }
        return value
    }

    /// A column with the name of an enumeration's case, or nil for NULL.
    func optionalWord<Value: CaseIterable & CustomStringConvertible>(_ column: Int32) throws(SQLiteError) -> Value? {
        isNull(column) ? nil : try word(column)
    }

    /// A column with 0 or 1.
    func flag(_ column: Int32) throws(SQLiteError) -> Bool {
        switch try number(column, as: Int64.self) {
        case 0: false
        case 1: true
        default: throw damaged(column)
        }
    }

    /// A column with a moment.
    func time(_ column: Int32) throws(SQLiteError) -> Timestamp {
        let time: Int64 = try number(column)
        guard Timestamp.inRecords.contains(time) else { throw damaged(column) }
        return Timestamp(rawValue: time)
    }

    /// A column with a moment, or NULL.
    func optionalTime(_ column: Int32) throws(SQLiteError) -> Timestamp? {
        isNull(column) ? nil : try time(column)
    }

    /// A column with microseconds, or NULL.
    func optionalDuration(_ column: Int32) throws(SQLiteError) -> Duration? {
        guard let duration = try optional(column, as: Int64.self) else { return nil }
        guard duration >= 0 else { throw damaged(column) }
        return .microseconds(duration)
    }

    /// A column with JSON.
    func json(_ column: Int32) throws(SQLiteError) -> JSONValue {
        guard let value = JSONValue(try text(column)) else { throw damaged(column) }
        return value
    }

    /// A column with a JSON array of strings.
    func strings(_ column: Int32) throws(SQLiteError) -> [String] {
        guard let strings = try json(column).strings else { throw damaged(column) }
        return strings
    }

    // MARK: Operations

    /// Binds a record to the parameters of ``Statements/writeOperation``.
    ///
    /// - Parameter clockOffset: how far the time of day is ahead of the record's clock, in microseconds.
    func bind(_ record: OperationRecord, clockOffset: Int64) {
        bind(1, record.id.job.rawValue)
        bind(2, record.id.index)
        bind(3, record.lastIndex)
        bind(4, text: record.state.description)
        bind(5, text: record.outcome?.description)
        bind(6, record.isCancelled ? 1 : 0)
        bind(7, text: record.reason?.code.rawValue)
        bind(8, text: record.reason?.message)
        bind(9, record.exitStatus.map(Int64.init))
        bind(10, record.signal.map(Int64.init))
        bind(11, record.attempt)
        bind(12, record.losses)
        bind(13, record.token.map { Int64(bitPattern: $0.rawValue) })
        bind(14, text: record.worker)
        bind(15, record.readyAt?.rawValue)
        bind(16, record.startedAt?.rawValue)
        bind(17, record.finishedAt?.rawValue)
        bind(18, record.notBefore.map { $0.rawValue &- clockOffset })
        bind(19, record.hasResult ? 1 : 0)
        bind(20, record.isHeld ? 1 : 0)
        bind(21, record.level.map { Int64($0.priority.rawValue) })
        bind(22, record.level.map { Int64(clamping: $0.order) })
        bind(23, text: record.skippedFor?.root == nil ? nil : record.skippedFor?.description)
        bind(24, record.failures)
    }

    /// Returns the record in the current row, with the columns of `operations` except the job.
    func operationRecord(of job: JobNumber) throws(SQLiteError) -> OperationRecord {
        let first: UInt32 = try number(0)
        let last: UInt32 = try number(1)
        guard last >= first, last - first < UInt32.max else { throw damaged(1) }
        let isOne = last == first
        var record = OperationRecord(
            id: OperationID(job: job, index: first),
            count: last - first + 1,
            state: try word(2)
        )
        record.outcome = try optionalWord(3)
        guard (record.outcome != nil) == (record.state == .finished) else { throw damaged(3) }
        record.isCancelled = try flag(4)
        if let code = try optionalText(5) {
            guard let code = Reason.Code(rawValue: code) else { throw damaged(5) }
            record.reason = Reason(code, try text(6))
        }
        record.exitStatus = try optional(7)
        record.signal = try optional(8)
        record.attempt = try number(9)
        record.losses = try number(10)
        record.token = try optional(11, as: Int64.self).map { RecordToken(rawValue: UInt64(bitPattern: $0)) }
        record.worker = try optionalText(12)
        record.readyAt = try optionalTime(13)
        record.startedAt = try optionalTime(14)
        record.finishedAt = try optionalTime(15)
        record.notBefore = try optionalTime(16)
        record.hasResult = try flag(17)
        // In a block of several operations, none has started.
        guard isOne || !record.hasResult else { throw damaged(17) }
        record.isHeld = try flag(18)
        if let level: Int8 = try optional(19) {
            guard let priority = Priority(rawValue: level) else { throw damaged(19) }
            let order: UInt64 = try number(20)
            guard order < UInt64(1) << 56 else { throw damaged(20) }
            record.level = OperationRecord.Level(priority: priority, order: order)
        }
        if record.outcome == .skipped { record.skippedFor = try skippedFor(reason: 5, root: 21) }
        record.failures = try number(22)
        guard record.failures <= record.attempt else { throw damaged(22) }
        return record
    }

    /// Returns why an operation was skipped, by its reason and its root; nil if unknown.
    func skippedFor(reason: Int32, root: Int32) throws(SQLiteError) -> Ending? {
        guard let text = try optionalText(root) else {
            return try optionalText(reason) == Reason.Code.notNeeded.rawValue ? .notNeeded : nil
        }
        guard let ending = Ending(text), ending.root != nil else { throw damaged(root) }
        return ending
    }

    // MARK: Jobs

    /// Returns the job in the current row of a statement that lists jobs.
    func jobSummary() throws(SQLiteError) -> JobSummary {
        let number = JobNumber(try number(0))
        do {
            return try summary(ofJob: number)
        } catch {
            guard error.code == .corrupt else { throw error }
            throw .damaged("of job \(number), \(error.message)")
        }
    }

    private func summary(ofJob job: JobNumber) throws(SQLiteError) -> JobSummary {
        var summary = JobSummary(
            number: job,
            name: try optionalText(1),
            queue: try text(2),
            operations: try number(3),
            submittedAt: try time(4),
            finishedAt: try optionalTime(5)
        )
        if summary.finishedAt != nil {
            var counts = JobCounts()
            counts.succeeded = try number(6)
            counts.failed = try number(7)
            counts.cancelled = try number(8)
            counts.skipped = try number(9)
            counts.notNeeded = try number(10)
            counts.skippedAfterFailure = try number(11)
            guard counts.notNeeded >= 0, counts.skippedAfterFailure >= 0,
                counts.notNeeded <= counts.skipped - min(counts.skipped, counts.skippedAfterFailure)
            else { throw damaged(10) }
            guard counts.finished == summary.operations else {
                throw .damaged(
                    "there are \(summary.operations) operations, and the ends of \(counts.finished) were counted"
                )
            }
            summary.counts = counts
            if let text = try optionalText(12) {
                guard case .operation(let root)? = Address(text) else { throw damaged(12) }
                summary.root = root
            }
        }
        summary.retryOf = try optional(13, as: UInt32.self).map { JobNumber($0) }
        summary.keyDigest = try optional(14, as: Int64.self).map { UInt64(bitPattern: $0) }
        return summary
    }

    // MARK: Templates

    /// Binds a template to the parameters of ``Statements/insertTemplate``, from the third on.
    func bind(_ template: Template) {
        bind(3, nil)
        bind(14, text: template.work.kind.type)
        bind(15, nil)
        switch template.work.kind {
        case .commands(let commands): bind(3, commands: commands)
        case .noOperation: break
        case .typed(_, let argument): bind(15, textOrBytes: argument)
        }
        bind(4, text: JSONValue.object(template.work.environment.mapValues { .string($0) }).text)
        bind(5, text: template.work.directory)
        bind(6, text: template.work.standardInput)
        bind(7, template.work.timeout?.microseconds)
        switch template.work.gracePeriod {
        case .after(let duration): bind(8, duration.microseconds)
        case .forever: bind(8, nil)
        }
        bind(9, template.retries)
        bind(10, template.retryDelay.microseconds)
        bind(11, text: template.qualityOfService?.description)
        bind(12, text: template.onFinish.map { JSONValue.strings($0).text })
        bind(13, text: template.restart.description)
    }

    /// Binds programs with their arguments.
    func bind(_ parameter: Int32, commands: [[String]]) {
        bind(parameter, text: JSONValue.array(commands.map { .strings($0) }).text)
    }

    /// The programs with their arguments in a column.
    func commands(_ column: Int32) throws(SQLiteError) -> [[String]] {
        guard case .array(let elements) = try json(column) else { throw damaged(column) }
        var commands: [[String]] = []
        for element in elements {
            guard let command = element.strings, !command.isEmpty else { throw damaged(column) }
            commands.append(command)
        }
        guard !commands.isEmpty else { throw damaged(column) }
        return commands
    }

    /// The template in the current row.
    func template() throws(SQLiteError) -> Template {
        var kind = Work.Kind.noOperation
        if !isNull(0) {
            kind = .commands(try commands(0))
        } else if let type = try optionalText(11) {
            kind = .typed(type: type, argument: optionalBytes(12) ?? [])
        }
        guard case .object(let variables) = try json(1) else { throw damaged(1) }
        var environment: [String: String] = [:]
        for (variable, value) in variables {
            guard case .string(let text) = value else { throw damaged(1) }
            environment[variable] = text
        }
        let grace = try optionalDuration(5)
        let onFinish = isNull(9) ? nil : try strings(9)
        guard onFinish?.isEmpty != true else { throw damaged(9) }
        return Template(
            work: Work(
                kind,
                environment: environment,
                directory: try optionalText(2),
                standardInput: try optionalText(3),
                timeout: try optionalDuration(4),
                gracePeriod: grace.map { .after($0) } ?? .forever
            ),
            retries: try number(6),
            retryDelay: try optionalDuration(7) ?? .zero,
            restart: try word(10),
            qualityOfService: try optionalWord(8),
            onFinish: onFinish
        )
    }

    // MARK: Queues

    /// The settings in the current row, from the second column on.
    func queueRecord() throws(SQLiteError) -> QueueRecord {
        let limit: Int? = try optional(1)
        guard limit.map({ (0...Int(Int32.max)).contains($0) }) ?? true else { throw damaged(1) }
        let total: Int? = try optional(4)
        guard total.map({ (0...Int(Int32.max)).contains($0) }) ?? true else { throw damaged(4) }
        let settings = QueueSettings(
            maxConcurrent: limit,
            qualityOfService: try optionalWord(2),
            isSuspended: try flag(3),
            total: total
        )
        return QueueRecord(settings: settings, completed: try number(5))
    }

    // MARK: Outputs

    /// Returns the output and the result of an attempt, from the current row.
    func attemptOutput() throws(SQLiteError) -> AttemptOutput {
        AttemptOutput(
            attempt: try number(0),
            standardOutput: OutputTail(totalLength: try number(1), bytes: optionalBytes(2) ?? []),
            standardError: OutputTail(totalLength: try number(3), bytes: optionalBytes(4) ?? []),
            result: optionalBytes(5)
        )
    }
}

extension Timestamp {
    /// The moments allowed in a record: the years from 1 to 9999.
    fileprivate static let inRecords: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000
}

extension OperationRecord {
    /// The index of the last operation of the record.
    package var lastIndex: UInt32 {
        let (last, overflow) = id.index.addingReportingOverflow(max(count, 1) - 1)
        return overflow ? .max : last
    }

    /// Returns the record of one of the operations.
    package func single(at index: UInt32) -> OperationRecord {
        var record = OperationRecord(id: OperationID(job: id.job, index: index), state: state)
        record.outcome = outcome
        record.isCancelled = isCancelled
        record.reason = reason
        record.exitStatus = exitStatus
        record.signal = signal
        record.attempt = attempt
        record.losses = losses
        record.failures = failures
        record.token = token
        record.worker = worker
        record.readyAt = readyAt
        record.startedAt = startedAt
        record.finishedAt = finishedAt
        record.notBefore = notBefore
        record.hasResult = hasResult
        record.isHeld = isHeld
        record.skippedFor = skippedFor
        if let level {
            let offset = UInt64(index - min(id.index, index))
            record.level = Level(priority: level.priority, order: level.order + offset)
        }
        return record
    }
}
