@_spi(Baton) import BatonJSON
@_spi(Baton) package import BatonOperations

/// The form of values in columns; a value not written by Baton is `corrupt`, never a trap.
extension Statement {
    /// A column with the name of an enumeration's case.
    func word<Value: CaseIterable & CustomStringConvertible>(_ column: Int32) throws(SQLError) -> Value {
        let text = try text(column)
        guard let value = Value.allCases.first(where: { $0.description == text }) else { throw damaged(column) }
        return value
    }

    /// A column with the name of an enumeration's case, or nil for NULL.
    func optionalWord<Value: CaseIterable & CustomStringConvertible>(_ column: Int32) throws(SQLError) -> Value? {
        guard let text = try optionalText(column) else { return nil }
        guard let value = Value.allCases.first(where: { $0.description == text }) else { throw damaged(column) }
        return value
    }

    /// Whether a column is a text in ASCII; costs less than ``optionalText(_:)``.
    func hasText(_ text: StaticString, in column: some RowColumn) -> Bool {
        withBytes(column) { bytes in
            bytes.count == text.utf8CodeUnitCount
                && bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
    }

    /// A column with 0 or 1.
    func flag(_ column: Int32) throws(SQLError) -> Bool {
        switch try number(column, as: Int64.self) {
        case 0: false
        case 1: true
        default: throw damaged(column)
        }
    }

    /// A column with a moment.
    func time(_ column: Int32) throws(SQLError) -> Timestamp {
        let time = Timestamp(rawValue: try number(column))
        guard Timestamp.recordable.contains(time) else { throw damaged(column) }
        return time
    }

    /// A column with a moment, or NULL.
    func optionalTime(_ column: Int32) throws(SQLError) -> Timestamp? {
        guard let time = try optional(column, as: Int64.self).map({ Timestamp(rawValue: $0) }) else { return nil }
        guard Timestamp.recordable.contains(time) else { throw damaged(column) }
        return time
    }

    /// A column with JSON.
    func json(_ column: Int32) throws(SQLError) -> JSONValue {
        guard let value = JSONValue(try text(column)) else { throw damaged(column) }
        return value
    }

    /// A column with a JSON array of strings.
    func strings(_ column: Int32) throws(SQLError) -> [String] {
        guard let strings = try json(column).strings else { throw damaged(column) }
        return strings
    }

    // MARK: Operations

    /// Binds a record to the parameters of ``Statements/writeOperation``.
    ///
    /// - Parameter clockOffset: how far the time of day is ahead of the record's clock, in microseconds.
    func bind(_ record: OperationRecord, clockOffset: Int64) {
        typealias Column = OperationColumn
        bind(Column.job, record.id.job.rawValue)
        bind(Column.first, record.id.index)
        bind(Column.last, record.lastIndex)
        bind(Column.state, text: record.state.description)
        bind(Column.outcome, text: record.outcome?.description)
        bind(Column.isCancelled, record.isCancelled ? 1 : 0)
        bind(Column.reason, text: record.reason?.code.rawValue)
        bind(Column.message, text: record.reason?.message)
        bind(Column.exitStatus, record.exitStatus.map(Int64.init))
        bind(Column.signal, record.signal.map(Int64.init))
        bind(Column.attempt, record.attempt)
        bind(Column.losses, record.losses)
        bind(Column.token, record.token.map { Int64(bitPattern: $0.rawValue) })
        bind(Column.worker, text: record.worker)
        bind(Column.readyAt, record.readyAt?.inColumn)
        bind(Column.startedAt, record.startedAt?.inColumn)
        bind(Column.finishedAt, record.finishedAt?.inColumn)
        bind(Column.notBefore, record.notBefore?.inColumn(ofClockBehindBy: clockOffset))
        bind(Column.hasResult, record.hasResult ? 1 : 0)
        bind(Column.isHeld, record.isHeld ? 1 : 0)
        bind(Column.level, record.priorityChange.map { Int64($0.priority.rawValue) })
        bind(Column.levelOrder, record.priorityChange.map { Int64(clamping: $0.order) })
        bind(Column.root, text: record.rootInColumn)
        bind(Column.failures, record.failures)
        bind(Column.hasFiles, record.hasFiles ? 1 : 0)
    }

    /// Returns the operations of the current row, and their fate.
    func operationFate() throws(SQLError) -> (ClosedRange<UInt32>, OperationFate) {
        typealias Column = FateColumn
        let first: UInt32 = try number(Column.first)
        let last: UInt32 = try number(Column.last)
        guard last >= first else { throw damaged(Column.last) }
        let outcome: Outcome? = try optionalWord(Column.outcome)
        let skippedFor =
            outcome == .skipped ? try skippedFor(reason: Column.reason.number, root: Column.root.number) : nil
        var fate = OperationFate(outcome: outcome, hasResult: try flag(Column.hasResult), skippedFor: skippedFor)
        fate.hasFiles = try flag(Column.hasFiles)
        return (first...last, fate)
    }

    /// Returns the record in the current row of a statement with ``OperationColumn``.
    func operationRecord(of job: JobNumber) throws(SQLError) -> OperationRecord {
        typealias Column = OperationColumn
        let first: UInt32 = try number(Column.first)
        let last: UInt32 = try number(Column.last)
        guard last >= first, last - first < UInt32.max else { throw damaged(Column.last) }
        let isOne = last == first
        var record = OperationRecord(
            id: OperationID(job: job, index: first),
            count: last - first + 1,
            state: try word(Column.state)
        )
        record.outcome = try optionalWord(Column.outcome)
        guard (record.outcome != nil) == (record.state == .finished) else { throw damaged(Column.outcome) }
        record.isCancelled = try flag(Column.isCancelled)
        if let code = try optionalText(Column.reason) {
            guard let code = Reason.Code(rawValue: code) else { throw damaged(Column.reason) }
            record.reason = Reason(code, try text(Column.message))
        }
        record.exitStatus = try optional(Column.exitStatus)
        record.signal = try optional(Column.signal)
        record.attempt = try number(Column.attempt)
        record.losses = try number(Column.losses)
        record.token = try optional(Column.token, as: Int64.self).map { RecordToken(rawValue: UInt64(bitPattern: $0)) }
        record.worker = try optionalText(Column.worker)
        record.readyAt = try optionalTime(Column.readyAt)
        record.startedAt = try optionalTime(Column.startedAt)
        record.finishedAt = try optionalTime(Column.finishedAt)
        record.notBefore = try optionalTime(Column.notBefore)
        record.hasResult = try flag(Column.hasResult)
        // In a block of several operations, none has started.
        guard isOne || !record.hasResult else { throw damaged(Column.hasResult) }
        record.hasFiles = try flag(Column.hasFiles)
        guard isOne || !record.hasFiles else { throw damaged(Column.hasFiles) }
        record.isHeld = try flag(Column.isHeld)
        if let value: Int8 = try optional(Column.level) {
            guard let priority = Priority(rawValue: value) else { throw damaged(Column.level) }
            let order: UInt64 = try number(Column.levelOrder)
            guard order < UInt64(1) << 56 else { throw damaged(Column.levelOrder) }
            record.priorityChange = OperationRecord.PriorityChange(priority: priority, order: order)
        }
        if record.outcome == .skipped {
            record.skippedFor = try skippedFor(reason: Column.reason.number, root: Column.root.number)
            record.rootsFollow = try optionalText(Column.root)?.hasSuffix(OperationRecord.followingRoots) ?? false
        }
        record.failures = try number(Column.failures)
        guard record.failures <= record.attempt else { throw damaged(Column.failures) }
        return record
    }

    /// Returns the state of operations in the current row of a statement with ``HistoryColumn``.
    func operationHistory() throws(SQLError) -> OperationHistory {
        typealias Column = HistoryColumn
        var history = try lastAttempt(state: try word(Column.state))
        history.outcome = try optionalWord(Column.outcome)
        guard (history.outcome != nil) == (history.state == .finished) else { throw damaged(Column.outcome) }
        if let code = try optionalText(Column.reason) {
            guard let code = Reason.Code(rawValue: code) else { throw damaged(Column.reason) }
            history.reason = code
        }
        history.signal = try optional(Column.signal)
        if history.outcome == .skipped {
            let ending = try skippedFor(reason: Column.reason.number, root: Column.root.number)
            history.isSkippedAfterFailure = ending?.isFailure == true
        }
        return history
    }

    /// Returns the state of operations in the current row of a statement with ``SuccessColumn``; nil unless they have succeeded.
    ///
    /// Costs half as much as ``operationHistory()``: most rows of a long history are of this kind.
    func successHistory() throws(SQLError) -> OperationHistory? {
        guard hasText("succeeded", in: SuccessColumn.outcome) else { return nil }
        var history = try lastAttempt(state: .finished)
        history.outcome = .succeeded
        return history
    }

    /// Reads the columns of ``SuccessColumn``, apart from the outcome.
    private func lastAttempt(state: OperationState) throws(SQLError) -> OperationHistory {
        typealias Column = SuccessColumn
        let first: UInt32 = try number(Column.first)
        let last: UInt32 = try number(Column.last)
        guard last >= first, last - first < UInt32.max else { throw damaged(Column.last) }
        var history = OperationHistory(first: first, count: last - first + 1, state: state)
        history.exitStatus = try optional(Column.exitStatus)
        history.attempt = try number(Column.attempt)
        history.worker = try optionalText(Column.worker)
        history.readyAt = try optionalTime(Column.readyAt)
        history.startedAt = try optionalTime(Column.startedAt)
        history.finishedAt = try optionalTime(Column.finishedAt)
        return history
    }

    /// Returns why an operation was skipped, by its reason and its root; nil if unknown.
    func skippedFor(reason: Int32, root: Int32) throws(SQLError) -> Ending? {
        guard let text = try optionalText(root) else {
            return try optionalText(reason) == Reason.Code.notNeeded.rawValue ? .notNeeded : nil
        }
        let first = text.hasSuffix(OperationRecord.followingRoots) ? String(text.dropLast()) : text
        guard let ending = Ending(first), ending.root != nil else { throw damaged(root) }
        return ending
    }

    // MARK: Jobs

    /// Returns the job in the current row of a statement that lists jobs.
    func jobSummary() throws(SQLError) -> JobSummary {
        let number = JobNumber(try number(JobSummaryColumn.job))
        do {
            return try summary(ofJob: number)
        } catch {
            guard error.code == .corrupt else { throw error }
            throw .damaged("of job \(number), \(error.message)")
        }
    }

    private func summary(ofJob job: JobNumber) throws(SQLError) -> JobSummary {
        typealias Column = JobSummaryColumn
        var summary = JobSummary(
            number: job,
            name: try optionalText(Column.name),
            queue: try text(Column.queue),
            operations: try number(Column.operations),
            submittedAt: try time(Column.submittedAt),
            finishedAt: try optionalTime(Column.finishedAt)
        )
        summary.startedAt = try optionalTime(Column.startedAt)
        if summary.finishedAt != nil {
            var counts = JobCounts()
            counts.succeeded = try number(Column.succeeded)
            counts.failed = try number(Column.failed)
            counts.cancelled = try number(Column.cancelled)
            counts.skipped = try number(Column.skipped)
            counts.notNeeded = try number(Column.notNeeded)
            counts.skippedAfterFailure = try number(Column.skippedAfterFailure)
            counts.isCancelled = try flag(Column.wasCancelled)
            guard counts.notNeeded >= 0, counts.skippedAfterFailure >= 0,
                counts.notNeeded <= counts.skipped - min(counts.skipped, counts.skippedAfterFailure)
            else { throw damaged(Column.notNeeded) }
            guard counts.finished == summary.operations else {
                throw .damaged(
                    "there are \(summary.operations) operations, and the ends of \(counts.finished) were counted"
                )
            }
            summary.counts = counts
            if let text = try optionalText(Column.root) {
                guard case .operation(let root)? = Address(text) else { throw damaged(Column.root) }
                summary.root = root
            }
        }
        summary.retryOf = try optional(Column.retryOf, as: UInt32.self).map { JobNumber($0) }
        summary.keyDigest = try optional(Column.keyDigest, as: Int64.self).map { UInt64(bitPattern: $0) }
        summary.key = try optionalText(Column.key)
        summary.submittedBy = try optionalText(Column.submittedBy)
        summary.settings = try jobSettings(Column.settings)
        summary.isOpen = try flag(Column.isOpen)
        return summary
    }

    /// What a submission says about its job; NULL says nothing.
    func jobSettings(_ column: some RowColumn) throws(SQLError) -> JobSettings {
        guard let text = try optionalText(column) else { return JobSettings() }
        guard let settings = JobSettings(recordText: text) else { throw damaged(column) }
        return settings
    }

    // MARK: Templates

    /// Binds a template to the parameters of ``Statements/insertTemplate``, except for the job and the template's position.
    func bind(_ template: Template) {
        typealias Column = TemplateColumn
        bind(Column.commands, nil)
        bind(Column.type, text: template.work.kind.type)
        bind(Column.argument, nil)
        switch template.work.kind {
        case .commands(let commands): bind(Column.commands, commands: commands)
        case .noOperation: break
        case .typed(_, let argument): bind(Column.argument, textOrBytes: argument)
        }
        let settings = Template.options.settings(of: template) + Work.options.settings(of: template.work)
        bind(Column.settings, text: OptionText.text(of: settings))
    }

    /// Binds programs with their arguments.
    func bind(_ parameter: Int32, commands: [[String]]) {
        bind(parameter, text: JSONValue.array(commands.map { .strings($0) }).text)
    }

    /// The programs with their arguments in a column.
    func commands(_ column: Int32) throws(SQLError) -> [[String]] {
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
    func template() throws(SQLError) -> Template {
        typealias Column = TemplateColumn
        var kind = Work.Kind.noOperation
        if !isNull(Column.commands) {
            kind = .commands(try commands(Column.commands))
        } else if let type = try optionalText(Column.type) {
            kind = .typed(type: type, argument: optionalBytes(Column.argument) ?? [])
        }
        var template = Template(work: Work(kind))
        if let settings = try optionalText(Column.settings) { try OptionText.read(settings, into: &template) }
        return template
    }

    // MARK: Queues

    /// The settings in the current row.
    func queueRecord() throws(SQLError) -> QueueRecord {
        typealias Column = QueueColumn
        let limit: Int? = try optional(Column.maxConcurrent)
        guard limit.map({ (0...Int(Int32.max)).contains($0) }) ?? true else { throw damaged(Column.maxConcurrent) }
        let total: Int? = try optional(Column.total)
        guard total.map({ (0...Int(Int32.max)).contains($0) }) ?? true else { throw damaged(Column.total) }
        let rate = try optionalText(Column.rate)
        let startRate = rate.flatMap { StartRate($0) }
        guard rate == nil || startRate != nil else { throw damaged(Column.rate) }
        let settings = QueueSettings(
            maxConcurrent: limit,
            qualityOfService: try optionalWord(Column.qualityOfService),
            isSuspended: try flag(Column.isSuspended),
            total: total,
            startRate: startRate
        )
        return QueueRecord(settings: settings, completed: try number(Column.completed))
    }

    // MARK: Attempts

    /// Binds an attempt to the parameters of ``Statements/writeAttempt``.
    func bind(_ attempt: AttemptRecord, of operation: OperationID) {
        typealias Column = AttemptColumn
        bind(Column.job, operation.job.rawValue)
        bind(Column.operation, operation.index)
        bind(Column.attempt, attempt.attempt)
        bind(Column.worker, text: attempt.worker)
        bind(Column.startedAt, attempt.startedAt?.inColumn)
        bind(Column.endedAt, attempt.endedAt.inColumn)
        bind(Column.reason, text: attempt.reason.code.rawValue)
        bind(Column.message, text: attempt.reason.message)
        bind(Column.exitStatus, attempt.exitStatus.map(Int64.init))
        bind(Column.signal, attempt.signal.map(Int64.init))
        bind(Column.wasStopped, attempt.wasStopped ? 1 : 0)
        bind(Column.token, attempt.token.map { Int64(bitPattern: $0.rawValue) })
        bind(Column.memory, attempt.limits.memory)
        bind(Column.timeoutUs, attempt.limits.timeout?.microseconds)
    }

    /// Returns the attempt in the current row of a statement with ``AttemptColumn``.
    func attemptRecord() throws(SQLError) -> AttemptRecord {
        typealias Column = AttemptColumn
        guard let code = Reason.Code(rawValue: try text(Column.reason)) else { throw damaged(Column.reason) }
        var attempt = AttemptRecord(
            attempt: try number(Column.attempt),
            worker: try optionalText(Column.worker),
            startedAt: try optionalTime(Column.startedAt),
            endedAt: try time(Column.endedAt),
            reason: Reason(code, try text(Column.message))
        )
        guard attempt.attempt > 0 else { throw damaged(Column.attempt) }
        attempt.exitStatus = try optional(Column.exitStatus)
        attempt.signal = try optional(Column.signal)
        attempt.wasStopped = try flag(Column.wasStopped)
        attempt.token = try optional(Column.token, as: Int64.self).map { RecordToken(rawValue: UInt64(bitPattern: $0)) }
        attempt.limits.memory = try optional(Column.memory)
        guard (1...ByteSize.maximum).contains(attempt.limits.memory ?? 1) else { throw damaged(Column.memory) }
        attempt.limits.timeout = try optional(Column.timeoutUs, as: Int64.self).map { .microseconds($0) }
        guard attempt.limits.timeout.map({ $0 > .zero && $0 <= .longestAllowed }) ?? true else {
            throw damaged(Column.timeoutUs)
        }
        return attempt
    }

    // MARK: Outputs

    /// Returns the output and the result of an attempt, from the current row.
    func attemptOutput() throws(SQLError) -> AttemptOutput {
        typealias Column = OutputColumn
        return AttemptOutput(
            attempt: try number(Column.attempt),
            standardOutput: OutputTail(
                totalLength: try number(Column.stdoutLength),
                bytes: optionalBytes(Column.stdout) ?? []
            ),
            standardError: OutputTail(
                totalLength: try number(Column.stderrLength),
                bytes: optionalBytes(Column.stderr) ?? []
            ),
            result: optionalBytes(Column.result)
        )
    }
}

extension Timestamp {
    /// The number in a column: that of the nearest moment that can be read back.
    ///
    /// A clock may be wrong by thousands of years, and a delay may end after the last moment that a record can hold.
    var inColumn: Int64 { nearestRecordable.rawValue }

    /// The number in a column of the record's own clock.
    ///
    /// - Parameter offset: how far the time of day is ahead of the record's clock, in microseconds.
    func inColumn(ofClockBehindBy offset: Int64) -> Int64 { Timestamp(rawValue: rawValue &- offset).inColumn }
}

extension OperationRecord {
    /// The end of a root in its column that is only that of the first operation: see ``rootsFollow``.
    fileprivate static let followingRoots = "+"

    /// The root in its column; nil without one.
    fileprivate var rootInColumn: String? {
        guard let skippedFor, skippedFor.root != nil else { return nil }
        return skippedFor.description + (rootsFollow && count > 1 ? Self.followingRoots : "")
    }

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
        record.hasFiles = hasFiles
        record.isHeld = isHeld
        record.skippedFor = rootsFollow ? skippedFor?.after(index - min(id.index, index)) : skippedFor
        if let priorityChange {
            let offset = UInt64(index - min(id.index, index))
            record.priorityChange = PriorityChange(
                priority: priorityChange.priority,
                order: priorityChange.order + offset
            )
        }
        return record
    }
}
