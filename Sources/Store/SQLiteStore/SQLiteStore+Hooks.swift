@_spi(Baton) import BatonOperations

/// The pending completion hooks (CM9): their rows hold only data that cannot be looked up.
extension SQLiteStore {
    /// How many neighbouring operations are looked up at once.
    private static let hooksPerPage = 256

    private struct HookRow {
        var operation: OperationID
        var attempt: UInt32
        var outcome: Outcome
        var worker: String?
    }

    /// Stores a pending hook; a hook stored twice still runs once.
    static func insert(_ hook: CompletionHook, _ statements: Statements) throws(SQLiteError) {
        let statement = statements.insertHook
        statement.bind(HookColumn.job, hook.operation.job.rawValue)
        statement.bind(HookColumn.operation, hook.operation.index)
        statement.bind(HookColumn.attempt, hook.attempt)
        statement.bind(HookColumn.outcome, text: hook.outcome.description)
        statement.bind(HookColumn.worker, text: hook.worker)
        try statement.run()
    }

    /// Deletes an operation's hook after its run.
    static func deleteHook(of operation: OperationID, _ statements: Statements) throws(SQLiteError) {
        statements.deleteHook.bind(operation)
        try statements.deleteHook.run()
    }

    /// Returns all pending hooks, oldest first.
    ///
    /// - Complexity: O(hooks · log hooks): all elements of a large array may have been cancelled at once, so neighbours are
    ///   looked up together.
    static func hooks(_ statements: Statements) throws(SQLiteError) -> [CompletionHook] {
        var rows: [HookRow] = []
        try statements.hooks.forEach { row throws(SQLiteError) in
            let operation = OperationID(
                job: JobNumber(try row.number(HookColumn.job)),
                index: try row.number(HookColumn.operation)
            )
            rows.append(
                HookRow(
                    operation: operation,
                    attempt: try row.number(HookColumn.attempt),
                    outcome: try row.word(HookColumn.outcome),
                    worker: try row.optionalText(HookColumn.worker)
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
        return hooks.compactMap { $0 }
    }

    /// The hook of a finished job.
    private static func jobHook(_ row: HookRow, _ statements: Statements) throws(SQLiteError) -> CompletionHook {
        let job = row.operation.job
        statements.job.bind(.job, job.rawValue)
        let summary = try statements.job.first { row throws(SQLiteError) in try row.jobSummary() }
        guard let summary, let hooks = summary.settings.hooks, let counts = summary.counts,
            let hook = CompletionHook.hooks(hooks, of: job, name: summary.name, queue: summary.queue, counts)
                .first(where: { $0.operation == row.operation })
        else { throw .damaged("the hook of job \(job) has no command, or its job is not finished") }
        return hook
    }

    private static func hook(_ row: HookRow, of operation: StoredOperation) throws(SQLiteError) -> CompletionHook {
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
