@_spi(Baton) import BatonOperations

/// The statements of the store, compiled once at most.
///
/// Each reading statement finds its rows through a key or an index; only the few queues and workers are read as a whole.
struct Statements {
    let raiseEpoch: Statement
    /// Mark the record as open, and as closed.
    let mark: Statement
    let unmark: Statement
    let writeClock: Statement
    let meta: Statement
    let addToMeta: Statement
    let writeQueue: Statement
    let deleteQueue: Statement
    let queues: Statement
    let writeTotals: Statement
    let totals: Statement
    let writeQueueTotals: Statement
    let deleteQueueTotals: Statement
    let queueTotals: Statement

    let insertJob: Statement
    let finishJob: Statement
    let job: Statement
    let jobWithKey: Statement
    let jobsBelow: Statement
    let jobCount: Statement
    let newestJob: Statement
    let unfinishedJobs: Statement
    let submission: Statement
    let endedJob: Statement
    let retries: Statement
    let jobExists: Statement
    let insertAddition: Statement
    /// The additions of a job, from an index on.
    let additionsFrom: Statement
    let additionWithKey: Statement
    /// When the addition with an operation came in, or the last one before.
    let additionTime: Statement
    /// Add to a job's operations, and set its queues.
    let extendJob: Statement
    /// Set the queue of a job that has no operations yet.
    let setJobQueue: Statement
    let jobShape: Statement
    let closeJob: Statement
    let insertTag: Statement
    /// The newest job with a tag, below a number.
    let jobTagged: Statement

    let finishedJobs: Statement
    let newestFinishedJob: Statement
    let removedJob: Statement
    let insertRemovedJob: Statement
    let deleteRemovedJob: Statement
    let noteRemovedJob: Statement
    let noteRemovedOperations: Statement
    let deleteJob: Statement
    /// Delete a bounded number of a job's rows, each statement in another table.
    let deleteRows: [Statement]

    let insertTemplate: Statement
    let templates: Statement
    let template: Statement
    let templateType: Statement

    let insertEntry: Statement
    let entriesFrom: Statement
    let entryFirstCovering: Statement
    let entryCount: Statement
    let entryName: Statement
    let jobHasHooks: Statement
    let entryCounts: Statement
    let insertEntryName: Statement
    let entryNamed: Statement
    let namesFrom: Statement
    let entryFirsts: Statement
    let insertItems: Statement
    let items: Statement

    let writeOperation: Statement
    let operationCovering: Statement
    /// The first and the last operation of the covering row, enough for a write.
    let extentCovering: Statement
    let operationsFrom: Statement
    let successesFrom: Statement
    let historiesFrom: Statement
    let operationsWithResults: Statement
    let fates: Statement
    let copyOperationTail: Statement
    let shortenOperation: Statement
    let deleteOperations: Statement
    let advanceOperation: Statement

    let writeDependencies: Statement
    let jobsFinishedSince: Statement
    let endsInQueue: Statement
    let writeCommands: Statement
    let commandsFrom: Statement
    let dependencies: Statement
    let dependenciesFrom: Statement
    let insertHook: Statement
    let deleteHook: Statement
    let hooks: Statement
    let insertWorker: Statement
    let deleteWorker: Statement
    let workers: Statement
    let writeDrain: Statement
    let deleteDrain: Statement
    let drains: Statement
    let writeStart: Statement
    let starts: Statement
    let noteMissingAttempts: Statement
    let insertEvents: Statement
    let deleteEvents: Statement
    let eventsAfter: Statement
    let newestEvent: Statement
    let insertAction: Statement
    let deleteActions: Statement

    let writeAttempt: Statement
    /// Delete the oldest attempts of an operation, all but a number of them.
    let deleteAttempts: Statement
    let attempts: Statement
    let attemptsFrom: Statement

    let groupOfFailure: Statement
    let insertFailure: Statement
    let insertFailureGroup: Statement
    let countFailure: Statement
    let failureGroupOfKind: Statement
    let lastFailureGroup: Statement
    let failureGroups: Statement
    let failuresFrom: Statement
    /// The first operations of a group; a negative limit means all.
    let failuresOfGroup: Statement
    let standardErrorEnd: Statement

    let writeOutput: Statement
    let output: Statement
    let lastOutput: Statement
    let outputsFrom: Statement
    let result: Statement

    let writeUsage: Statement
    let usages: Statement
    let usageOfJob: Statement
    let runTimes: Statement
    let earlierRunTimes: Statement
    let lastFinished: Statement

    /// The tables with rows of finished jobs, and the column that distinguishes the rows of one job.
    private static let tablesOfJobs = [
        (table: "outputs", key: "rowid"), (table: "attempts", key: "operation"), (table: "usages", key: "operation"),
        (table: "operations", key: "first"),
        (table: "operation_dependencies", key: "operation"), (table: "operation_commands", key: "operation"),
        (table: "failures", key: "operation"), (table: "failure_groups", key: "number"),
        (table: "job_tags", key: "tag"), (table: "additions", key: "first"),
        (table: "array_items", key: "rowid"), (table: "entry_names", key: "name"),
        (table: "entries", key: "first"), (table: "templates", key: "template"),
    ]

    /// The columns of the second part of a row of operations that is cut in two; the part begins at the third parameter.
    private static let columnsOfTail = OperationColumn.allCases.map { column in
        switch column {
        case .first: "?3"
        case .levelOrder: "level_order + (?3 - first)"
        default: column.name
        }
    }.joined(separator: ", ")

    /// Makes the statements for the newest version of the tables.
    init(_ database: Database) throws(SQLiteError) {
        raiseEpoch = try database.prepare("UPDATE meta SET value = value + 1 WHERE key = 'epoch'")
        mark = try database.prepare("UPDATE meta SET value = 1 WHERE key = 'is_open' AND value <> 1")
        unmark = try database.prepare("UPDATE meta SET value = 0 WHERE key = 'is_open'")
        writeClock = try database.prepare("UPDATE meta SET value = ?1 WHERE key = 'clock'")
        meta = try database.prepare("SELECT value FROM meta WHERE key = ?1")
        addToMeta = try database.prepare("UPDATE meta SET value = value + ?2 WHERE key = ?1")
        writeQueue = try database.prepare(
            writing: QueueColumn.self,
            "INSERT OR REPLACE INTO queues (\(QueueColumn.list)) VALUES (\(QueueColumn.parameters))"
        )
        deleteQueue = try database.prepare("DELETE FROM queues WHERE name = ?1")
        queues = try database.prepare(reading: QueueColumn.self, "SELECT \(QueueColumn.list) FROM queues")
        writeTotals = try database.prepare(
            writing: TotalColumn.self,
            "INSERT OR REPLACE INTO totals (\(TotalColumn.list), id) VALUES (\(TotalColumn.parameters), 1)"
        )
        totals = try database.prepare(reading: TotalColumn.self, "SELECT \(TotalColumn.list) FROM totals WHERE id = 1")
        writeQueueTotals = try database.prepare(
            writing: QueueTotalColumn.self,
            "INSERT OR REPLACE INTO queue_totals (\(QueueTotalColumn.list)) VALUES (\(QueueTotalColumn.parameters))"
        )
        deleteQueueTotals = try database.prepare("DELETE FROM queue_totals WHERE name = ?1")
        queueTotals = try database.prepare(
            reading: QueueTotalColumn.self,
            "SELECT \(QueueTotalColumn.list) FROM queue_totals"
        )

        insertJob = try database.prepare(
            writing: NewJobColumn.self,
            "INSERT INTO jobs (\(NewJobColumn.list)) VALUES (\(NewJobColumn.parameters))"
        )
        finishJob = try database.prepare(
            writing: JobEndColumn.self,
            """
            UPDATE jobs SET \(JobEndColumn.assignments(except: .job)) WHERE job = :job AND finished_at IS NULL
            """
        )
        job = try database.prepare(
            reading: JobSummaryColumn.self,
            "SELECT \(JobSummaryColumn.list) FROM jobs WHERE job = ?1"
        )
        jobWithKey = try database.prepare(
            reading: JobSummaryColumn.self,
            "SELECT \(JobSummaryColumn.list) FROM jobs WHERE key = ?1"
        )
        jobsBelow = try database.prepare(
            reading: JobSummaryColumn.self,
            "SELECT \(JobSummaryColumn.list) FROM jobs WHERE job < ?1 ORDER BY job DESC LIMIT ?2"
        )
        // Each part is counted in an index, which is shorter than the table.
        jobCount = try database.prepare(
            """
            SELECT (SELECT count(*) FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL AND job < ?1)
                + (SELECT count(*) FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL AND job < ?1)
            """
        )
        newestJob = try database.prepare("SELECT max(job) FROM jobs")
        unfinishedJobs = try database.prepare(
            "SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL ORDER BY job"
        )
        submission = try database.prepare(
            reading: SubmissionColumn.self,
            "SELECT \(SubmissionColumn.list) FROM jobs WHERE job = ?1"
        )
        endedJob = try database.prepare(
            """
            SELECT EXISTS (
                SELECT 1 FROM operations INDEXED BY operations_with_results WHERE job = ?1 AND has_result = 1
            ) FROM jobs WHERE job = ?1 AND finished_at IS NOT NULL
            """
        )
        retries = try database.prepare(
            "SELECT job FROM jobs INDEXED BY jobs_by_retry WHERE retry_of = ?1 ORDER BY job"
        )

        jobExists = try database.prepare("SELECT 1 FROM jobs WHERE job = ?1")
        insertAddition = try database.prepare(
            writing: AdditionColumn.self,
            "INSERT INTO additions (\(AdditionColumn.list)) VALUES (\(AdditionColumn.parameters))"
        )
        additionsFrom = try database.prepare(
            reading: AdditionColumn.self,
            "SELECT \(AdditionColumn.list) FROM additions WHERE job = ?1 AND first >= ?2 ORDER BY first"
        )
        additionWithKey = try database.prepare(
            reading: AdditionColumn.self,
            "SELECT \(AdditionColumn.list) FROM additions WHERE job = ?1 AND key = ?2"
        )
        additionTime = try database.prepare(
            "SELECT added_at FROM additions WHERE job = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        extendJob = try database.prepare(
            "UPDATE jobs SET operations = operations + ?2, queue_names = ?3 WHERE job = ?1"
        )
        setJobQueue = try database.prepare("UPDATE jobs SET queue = ?2 WHERE job = ?1")
        jobShape = try database.prepare(
            """
            SELECT operations, queue_names, (SELECT coalesce(max(template), -1) + 1 FROM templates WHERE job = ?1)
            FROM jobs WHERE job = ?1
            """
        )
        closeJob = try database.prepare("UPDATE jobs SET is_open = 0 WHERE job = ?1")
        insertTag = try database.prepare(
            writing: TagColumn.self,
            "INSERT INTO job_tags (\(TagColumn.list)) VALUES (\(TagColumn.parameters))"
        )
        jobTagged = try database.prepare(
            """
            SELECT job FROM job_tags INDEXED BY jobs_by_tag WHERE tag = ?1 AND value = ?2 AND job < ?3
            ORDER BY job DESC LIMIT 1
            """
        )

        // A pending hook needs its operation.
        finishedJobs = try database.prepare(
            """
            SELECT job, finished_clock, succeeded + failed + cancelled + skipped FROM jobs INDEXED BY finished_jobs
            WHERE finished_clock IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hooks WHERE hooks.job = jobs.job)
            ORDER BY finished_clock, job
            """
        )
        newestFinishedJob = try database.prepare(
            """
            SELECT job FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL
            ORDER BY finished_clock DESC, job DESC LIMIT 1
            """
        )
        removedJob = try database.prepare("SELECT job FROM removed_jobs WHERE job > 0 ORDER BY job LIMIT 1")
        insertRemovedJob = try database.prepare("INSERT INTO removed_jobs VALUES (?1)")
        deleteRemovedJob = try database.prepare("DELETE FROM removed_jobs WHERE job = ?1")
        noteRemovedJob = try database.prepare(
            "UPDATE meta SET value = max(value, ?1) WHERE key = 'newest_removed_job'"
        )
        noteRemovedOperations = try database.prepare(
            """
            UPDATE meta SET value = value + (SELECT succeeded + failed + cancelled + skipped FROM jobs WHERE job = ?1)
            WHERE key = 'removed_operations'
            """
        )
        deleteJob = try database.prepare("DELETE FROM jobs WHERE job = ?1")
        deleteRows = try Self.tablesOfJobs.map { (table: String, key: String) throws(SQLiteError) in
            try database.prepare(
                """
                DELETE FROM \(table) WHERE job = ?1 AND \(key) IN (SELECT \(key) FROM \(table) WHERE job = ?1 LIMIT ?2)
                """
            )
        }

        insertTemplate = try database.prepare(
            writing: TemplateColumn.self,
            "INSERT INTO templates (\(TemplateColumn.list)) VALUES (\(TemplateColumn.parameters))"
        )
        templates = try database.prepare(
            reading: TemplateColumn.self,
            "SELECT \(TemplateColumn.list) FROM templates WHERE job = ?1 ORDER BY template"
        )
        templateType = try database.prepare("SELECT type FROM templates WHERE job = ?1 AND template = ?2")
        template = try database.prepare(
            reading: TemplateColumn.self,
            "SELECT \(TemplateColumn.list) FROM templates WHERE job = ?1 AND template = ?2"
        )

        insertEntry = try database.prepare(
            writing: EntryColumn.self,
            "INSERT INTO entries (\(EntryColumn.list)) VALUES (\(EntryColumn.parameters))"
        )
        entriesFrom = try database.prepare(
            reading: EntryColumn.self,
            "SELECT \(EntryColumn.list) FROM entries WHERE job = ?1 AND first >= ?2 ORDER BY first"
        )
        entryFirstCovering = try database.prepare(
            "SELECT first FROM entries WHERE job = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        jobHasHooks = try database.prepare("SELECT EXISTS (SELECT 1 FROM hooks WHERE job = ?1)")
        entryName = try database.prepare("SELECT name FROM entries WHERE job = ?1 AND first = ?2")
        entryCount = try database.prepare("SELECT count FROM entries WHERE job = ?1 AND first = ?2")
        entryCounts = try database.prepare(
            "SELECT first, count FROM entries WHERE job = ?1 AND first BETWEEN ?2 AND ?3"
        )
        insertEntryName = try database.prepare("INSERT INTO entry_names VALUES (?1, ?2, ?3)")
        entryNamed = try database.prepare(
            """
            SELECT e.first, e.count FROM entry_names n JOIN entries e ON e.job = n.job AND e.first = n.first
            WHERE n.job = ?1 AND n.name = ?2
            """
        )
        namesFrom = try database.prepare(
            """
            SELECT first, count, name FROM entries
            WHERE job = ?1 AND name IS NOT NULL
                AND first >= coalesce((SELECT max(first) FROM entries WHERE job = ?1 AND first <= ?2), ?2)
            ORDER BY first LIMIT ?3
            """
        )
        entryFirsts = try database.prepare("SELECT first FROM entries WHERE job = ?1 ORDER BY first")
        insertItems = try database.prepare(
            writing: ItemColumn.self,
            "INSERT INTO array_items (\(ItemColumn.list)) VALUES (\(ItemColumn.parameters))"
        )
        items = try database.prepare(
            reading: ItemColumn.self,
            """
            SELECT \(ItemColumn.list) FROM array_items
            WHERE job = ?1 AND first = ?2 AND position BETWEEN ?3 AND ?4 ORDER BY position
            """
        )

        writeOperation = try database.prepare(
            writing: OperationColumn.self,
            "INSERT OR REPLACE INTO operations (\(OperationColumn.list)) VALUES (\(OperationColumn.parameters))"
        )
        operationCovering = try database.prepare(
            reading: OperationColumn.self,
            """
            SELECT \(OperationColumn.list) FROM operations WHERE job = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1
            """
        )
        extentCovering = try database.prepare(
            "SELECT first, last FROM operations WHERE job = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        operationsFrom = try database.prepare(
            reading: OperationColumn.self,
            "SELECT \(OperationColumn.list) FROM operations WHERE job = ?1 AND first >= ?2 ORDER BY first"
        )
        successesFrom = try database.prepare(
            reading: SuccessColumn.self,
            "SELECT \(SuccessColumn.list) FROM operations WHERE job = ?1 AND first >= ?2 AND first < ?3 ORDER BY first"
        )
        historiesFrom = try database.prepare(
            reading: HistoryColumn.self,
            "SELECT \(HistoryColumn.list) FROM operations WHERE job = ?1 AND first >= ?2 AND first < ?3 ORDER BY first"
        )
        fates = try database.prepare(
            reading: FateColumn.self,
            "SELECT \(FateColumn.list) FROM operations WHERE job = ?1 ORDER BY first"
        )
        operationsWithResults = try database.prepare(
            """
            SELECT first FROM operations INDEXED BY operations_with_results
            WHERE job = ?1 AND first BETWEEN ?2 AND ?3 AND has_result = 1 ORDER BY first
            """
        )
        copyOperationTail = try database.prepare(
            """
            INSERT INTO operations (\(OperationColumn.list))
            SELECT \(Self.columnsOfTail) FROM operations WHERE job = ?1 AND first = ?2
            """
        )
        shortenOperation = try database.prepare("UPDATE operations SET last = ?3 WHERE job = ?1 AND first = ?2")
        deleteOperations = try database.prepare(
            "DELETE FROM operations WHERE job = ?1 AND first BETWEEN ?2 AND ?3 AND last <= ?3"
        )
        advanceOperation = try database.prepare(
            """
            UPDATE operations SET first = ?3 + 1, level_order = level_order + (?3 + 1 - first)
            WHERE job = ?1 AND first BETWEEN ?2 AND ?3
            """
        )

        writeDependencies = try database.prepare("INSERT OR REPLACE INTO operation_dependencies VALUES (?1, ?2, ?3)")
        dependencies = try database.prepare(
            "SELECT dependencies FROM operation_dependencies WHERE job = ?1 AND operation = ?2"
        )
        dependenciesFrom = try database.prepare(
            """
            SELECT operation, dependencies FROM operation_dependencies
            WHERE job = ?1 AND operation >= ?2 ORDER BY operation
            """
        )
        jobsFinishedSince = try database.prepare("SELECT job FROM jobs WHERE finished_clock >= ?1")
        endsInQueue = try database.prepare(
            """
            SELECT o.outcome, o.last - o.first + 1, o.reason, o.root FROM operations o
            JOIN entries e ON e.job = o.job
                AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
            JOIN jobs j ON j.job = o.job
            WHERE o.job = ?1 AND o.finished_at >= ?2 AND json_extract(j.queue_names, '$[' || e.queue || ']') = ?3
            """
        )
        writeCommands = try database.prepare("INSERT OR REPLACE INTO operation_commands VALUES (?1, ?2, ?3)")
        commandsFrom = try database.prepare(
            """
            SELECT operation, commands FROM operation_commands
            WHERE job = ?1 AND operation >= ?2 ORDER BY operation
            """
        )
        insertHook = try database.prepare(
            writing: HookColumn.self,
            "INSERT OR IGNORE INTO hooks (\(HookColumn.list)) VALUES (\(HookColumn.parameters))"
        )
        deleteHook = try database.prepare("DELETE FROM hooks WHERE job = ?1 AND operation = ?2")
        hooks = try database.prepare(reading: HookColumn.self, "SELECT \(HookColumn.list) FROM hooks ORDER BY number")
        insertWorker = try database.prepare(
            writing: WorkerColumn.self,
            "INSERT OR REPLACE INTO workers (\(WorkerColumn.list)) VALUES (\(WorkerColumn.parameters))"
        )
        deleteWorker = try database.prepare("DELETE FROM workers WHERE name = ?1")
        workers = try database.prepare(reading: WorkerColumn.self, "SELECT \(WorkerColumn.list) FROM workers")
        writeDrain = try database.prepare(
            writing: DrainColumn.self,
            "INSERT OR REPLACE INTO drains (\(DrainColumn.list)) VALUES (\(DrainColumn.parameters))"
        )
        deleteDrain = try database.prepare("DELETE FROM drains WHERE id = ?1")
        drains = try database.prepare(reading: DrainColumn.self, "SELECT \(DrainColumn.list) FROM drains")
        noteMissingAttempts = try database.prepare("UPDATE jobs SET may_miss_attempts = 1 WHERE job = ?1")
        writeStart = try database.prepare(
            writing: StartColumn.self,
            "INSERT OR REPLACE INTO starts (\(StartColumn.list)) VALUES (\(StartColumn.parameters))"
        )
        starts = try database.prepare(reading: StartColumn.self, "SELECT \(StartColumn.list) FROM starts")
        insertEvents = try database.prepare(
            """
            INSERT INTO events SELECT ?1, ?2, ?3 + coalesce((SELECT max(total) FROM events), 0), ?4
            WHERE ?2 > coalesce((SELECT max(last) FROM events), 0)
            """
        )
        deleteEvents = try database.prepare(
            "DELETE FROM events WHERE total <= (SELECT max(total) FROM events) - ?1"
        )
        eventsAfter = try database.prepare("SELECT first, last, data FROM events WHERE last > ?1 ORDER BY last")
        newestEvent = try database.prepare("SELECT max(last) FROM events")
        insertAction = try database.prepare(
            writing: ActionColumn.self,
            "INSERT INTO actions (\(ActionColumn.list)) VALUES (\(ActionColumn.parameters))"
        )
        deleteActions = try database.prepare(
            "DELETE FROM actions WHERE event < (SELECT first FROM events WHERE last = (SELECT min(last) FROM events))"
        )

        writeAttempt = try database.prepare(
            writing: AttemptColumn.self,
            "INSERT OR REPLACE INTO attempts (\(AttemptColumn.list)) VALUES (\(AttemptColumn.parameters))"
        )
        deleteAttempts = try database.prepare(
            """
            DELETE FROM attempts WHERE job = ?1 AND operation = ?2 AND attempt <= (
                SELECT attempt FROM attempts WHERE job = ?1 AND operation = ?2 ORDER BY attempt DESC LIMIT 1 OFFSET ?3
            )
            """
        )
        attempts = try database.prepare(
            reading: AttemptColumn.self,
            "SELECT \(AttemptColumn.list) FROM attempts WHERE job = ?1 AND operation = ?2 ORDER BY attempt"
        )
        attemptsFrom = try database.prepare(
            reading: AttemptColumn.self,
            """
            SELECT \(AttemptColumn.list) FROM attempts
            WHERE job = ?1 AND operation >= ?2 AND operation < ?3 ORDER BY operation, attempt
            """
        )

        groupOfFailure = try database.prepare("SELECT 1 FROM failures WHERE job = ?1 AND operation = ?2")
        insertFailure = try database.prepare("INSERT INTO failures VALUES (?1, ?2, ?3)")
        insertFailureGroup = try database.prepare(
            writing: FailureGroupColumn.self,
            "INSERT INTO failure_groups (\(FailureGroupColumn.list)) VALUES (\(FailureGroupColumn.parameters))"
        )
        countFailure = try database.prepare(
            "UPDATE failure_groups SET operations = operations + 1 WHERE job = ?1 AND number = ?2"
        )
        failureGroupOfKind = try database.prepare(
            """
            SELECT number FROM failure_groups INDEXED BY failure_groups_by_line
            WHERE job = ?1 AND line = ?2 AND reason = ?3 AND exit_status IS ?4 AND signal IS ?5
            """
        )
        lastFailureGroup = try database.prepare(
            "SELECT number FROM failure_groups WHERE job = ?1 ORDER BY number DESC LIMIT 1"
        )
        failureGroups = try database.prepare(
            reading: FailureGroupColumn.self,
            "SELECT \(FailureGroupColumn.list) FROM failure_groups WHERE job = ?1 ORDER BY number"
        )
        failuresFrom = try database.prepare(
            "SELECT operation FROM failures WHERE job = ?1 AND operation >= ?2 ORDER BY operation LIMIT ?3"
        )
        failuresOfGroup = try database.prepare(
            """
            SELECT operation FROM failures INDEXED BY failures_by_group
            WHERE job = ?1 AND number = ?2 ORDER BY operation LIMIT ?3
            """
        )
        standardErrorEnd = try database.prepare(
            """
            SELECT substr(stderr, -\(FailureKind.mostBytes)) FROM outputs
            WHERE job = ?1 AND operation = ?2 AND attempt = ?3
            """
        )

        writeOutput = try database.prepare(
            writing: OutputColumn.self,
            "INSERT OR REPLACE INTO outputs (\(OutputColumn.list)) VALUES (\(OutputColumn.parameters))"
        )
        output = try database.prepare(
            reading: OutputColumn.self,
            "SELECT \(OutputColumn.list) FROM outputs WHERE job = ?1 AND operation = ?2 AND attempt = ?3"
        )
        lastOutput = try database.prepare(
            reading: OutputColumn.self,
            """
            SELECT \(OutputColumn.list) FROM outputs WHERE job = ?1 AND operation = ?2 ORDER BY attempt DESC LIMIT 1
            """
        )
        // Results, which may be large, are not read.
        outputsFrom = try database.prepare(
            """
            SELECT operation, attempt, stdout_length, iif(?6, stdout, NULL), stderr_length, iif(?7, stderr, NULL)
            FROM outputs AS o
            WHERE job = ?1 AND operation >= ?2 AND operation < ?3 AND (operation > ?2 OR attempt > ?4)
                AND (?5 IS NULL OR attempt = ?5)
                AND (NOT ?8 OR NOT EXISTS (
                    SELECT 1 FROM outputs WHERE job = ?1 AND operation = o.operation AND attempt > o.attempt
                        AND (?6 AND stdout_length > 0 OR ?7 AND stderr_length > 0)))
                AND (?6 AND stdout_length > 0 OR ?7 AND stderr_length > 0)
            ORDER BY job, operation, attempt
            """
        )
        result = try database.prepare(
            "SELECT result FROM outputs WHERE job = ?1 AND operation = ?2 AND attempt = ?3"
        )

        writeUsage = try database.prepare(
            writing: UsageColumn.self,
            "INSERT OR REPLACE INTO usages (\(UsageColumn.list)) VALUES (\(UsageColumn.parameters))"
        )
        usages = try database.prepare(
            reading: UsageColumn.self,
            "SELECT \(UsageColumn.list) FROM usages WHERE job = ?1 AND operation = ?2"
        )
        // The column beside max() is that of the row with the maximum; total() cannot overflow.
        usageOfJob = try database.prepare(
            "SELECT count(*), CAST(total(processor_us) AS INTEGER), max(peak_memory), operation FROM usages WHERE job = ?1"
        )
        runTimes = try database.prepare(
            """
            SELECT first, worker, ready_at, started_at, finished_at FROM operations
            WHERE job = ?1 AND started_at IS NOT NULL AND finished_at IS NOT NULL
            """
        )
        earlierRunTimes = try database.prepare("SELECT worker, started_at, ended_at FROM attempts WHERE job = ?1")
        lastFinished = try database.prepare(
            """
            SELECT first, started_at, max(finished_at) FROM operations
            WHERE job = ?1 AND first BETWEEN ?2 AND ?3 AND last >= ?4 AND finished_at <= ?6
                AND (?5 = 0 OR started_at IS NOT NULL)
            """
        )
    }
}
