@_spi(Baton) public import BatonOperations

/// The pending completion hooks (CM9): their rows hold only data that cannot be looked up.
@_spi(Baton) extension SQLStore {
    /// How many neighbouring operations are looked up at once.
    private static let hooksPerPage = 256

    private struct HookRow {
        var operation: OperationID
        var attempt: UInt32
        var outcome: Outcome
        var worker: String?
        var isCancelled: Bool
    }

    /// Stores a pending hook, or that its cancellation was asked for; a hook stored twice still runs once.
    static func insert(_ hook: CompletionHook, _ statements: Statements) throws(SQLError) {
        let statement = statements.hooks.insertHook
        statement.bind(HookColumn.job, hook.operation.job.rawValue)
        statement.bind(HookColumn.operation, hook.operation.index)
        statement.bind(HookColumn.attempt, hook.attempt)
        statement.bind(HookColumn.outcome, text: hook.outcome.description)
        statement.bind(HookColumn.worker, text: hook.worker)
        statement.bind(HookColumn.isCancelled, hook.isCancelled ? 1 : 0)
        try statement.run()
    }

    /// Replaces an operation's hook by its end.
    static func endHook(
        of operation: OperationID,
        _ end: HookRecord,
        _ statements: Statements
    ) throws(SQLError) {
        statements.hooks.deleteHook.bind(operation)
        try statements.hooks.deleteHook.run()
        let statement = statements.hooks.insertHookEnd
        typealias Column = HookEndColumn
        statement.bind(Column.job, operation.job.rawValue)
        statement.bind(Column.operation, operation.index)
        statement.bind(Column.worker, text: end.worker)
        statement.bind(Column.startedAt, end.startedAt?.inColumn)
        statement.bind(Column.endedAt, end.endedAt.inColumn)
        statement.bind(Column.reason, text: end.reason?.code.rawValue)
        statement.bind(Column.message, text: end.reason?.message)
        statement.bind(Column.exitStatus, end.exitStatus.map(Int64.init))
        statement.bind(Column.signal, end.signal.map(Int64.init))
        statement.bind(Column.stderr, text: end.standardError)
        try statement.run()
    }

    /// Reads what the record knows of a hook.
    ///
    /// - Complexity: O(log hooks).
    public func hook(of operation: OperationID) throws(StoreError) -> StoredHook? {
        try with { statements throws(SQLError) in
            guard try Self.exists(operation.job, statements) else { return nil }
            statements.hooks.isHookPending.bind(operation)
            if try statements.hooks.isHookPending.first({ _ in true }) != nil { return .pending }
            statements.hooks.hookEnd.bind(operation)
            return try statements.hooks.hookEnd.first { row throws(SQLError) in .ended(try row.hookRecord()) }
        }
    }

    /// Returns all pending hooks, oldest first.
    ///
    /// - Complexity: O(hooks · log hooks): all elements of a large array may have been cancelled at once, so neighbours are
    ///   looked up together.
    static func hooks(_ statements: Statements) throws(SQLError) -> [CompletionHook] {
        var rows: [HookRow] = []
        try statements.hooks.hooks.forEach { row throws(SQLError) in
            let operation = OperationID(
                job: JobNumber(try row.number(HookColumn.job)),
                index: try row.number(HookColumn.operation)
            )
            rows.append(
                HookRow(
                    operation: operation,
                    attempt: try row.number(HookColumn.attempt),
                    outcome: try row.word(HookColumn.outcome),
                    worker: try row.optionalText(HookColumn.worker),
                    isCancelled: try row.flag(HookColumn.isCancelled)
                )
            )
            return true
        }
        let byOperation = rows.indices.sorted { rows[$0].operation < rows[$1].operation }
        var hooks = [CompletionHook?](repeating: nil, count: rows.count)
        var start = 0
        while start < byOperation.count {
            let first = rows[byOperation[start]].operation
            if first.hookMoment != nil {
                hooks[byOperation[start]] = try jobHook(rows[byOperation[start]], statements)
                start += 1
                continue
            }
            var end = start + 1
            while end < byOperation.count, end - start < hooksPerPage {
                let next = rows[byOperation[end]].operation
                guard next.job == first.job, UInt64(next.index) == UInt64(first.index) + UInt64(end - start) else {
                    break
                }
                end += 1
            }
            let page = try operations(of: first.job, from: first.index, limit: end - start, statements)
            guard page.count == end - start else { throw .damaged("the operation \(first) that has a hook is missing") }
            for (position, operation) in zip(byOperation[start..<end], page) {
                hooks[position] = try hook(rows[position], of: operation)
            }
            start = end
        }
        for position in rows.indices { hooks[position]?.isCancelled = rows[position].isCancelled }
        return hooks.compactMap { $0 }
    }

    /// The hook of a finished job.
    private static func jobHook(_ row: HookRow, _ statements: Statements) throws(SQLError) -> CompletionHook {
        let job = row.operation.job
        statements.jobs.job.bind(.job, job.rawValue)
        let summary = try statements.jobs.job.first { row throws(SQLError) in try row.jobSummary() }
        guard let summary, let hooks = summary.settings.hooks, let counts = summary.counts,
            let hook = CompletionHook.hooks(hooks, of: job, name: summary.name, queue: summary.queue, counts)
                .first(where: { $0.operation == row.operation })
        else { throw .damaged("the hook of job \(job) has no command, or its job is not finished") }
        return hook
    }

    private static func hook(_ row: HookRow, of operation: StoredOperation) throws(SQLError) -> CompletionHook {
        guard let command = operation.template.onFinish else {
            throw .damaged("the hook of operation \(row.operation) has no command")
        }
        return CompletionHook(
            operation: row.operation,
            attempt: row.attempt,
            outcome: row.outcome,
            worker: row.worker,
            name: operation.entry.name,
            queue: operation.queue,
            work: operation.template.work.completionHook(command),
            arrayNumber: operation.arrayNumber,
            arrayItem: operation.arrayItem
        )
    }
}

extension Statement {
    /// Reads a row of ended hooks.
    fileprivate func hookRecord() throws(SQLError) -> HookRecord {
        typealias Column = HookEndColumn
        let word = try optionalText(Column.reason)
        let code = word.flatMap { Reason.Code(rawValue: $0) }
        guard code != nil || word == nil else { throw damaged(Column.reason) }
        var record = HookRecord(
            worker: try optionalText(Column.worker),
            startedAt: try optionalTime(Column.startedAt),
            endedAt: try time(Column.endedAt),
            reason: nil
        )
        if let code { record.reason = Reason(code, try text(Column.message)) }
        record.exitStatus = try optional(Column.exitStatus)
        record.signal = try optional(Column.signal)
        record.standardError = try text(Column.stderr)
        return record
    }
}
