@_spi(Baton) import BatonOperations

/// The states of operations in rows.
extension Statement {
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
}

extension OperationRecord {
    /// The end of a root in its column that is only that of the first operation: see ``rootsFollow``.
    fileprivate static let followingRoots = "+"

    /// The root in its column; nil without one.
    fileprivate var rootInColumn: String? {
        guard let skippedFor, skippedFor.root != nil else { return nil }
        return skippedFor.description + (rootsFollow && count > 1 ? Self.followingRoots : "")
    }
}
