@_spi(Baton) import BatonOperations

/// The statements of the store, compiled once at most.
///
/// Each reading statement finds its rows through a key or an index; only the few queues and workers are read as a whole.
///
/// A class, because a copy of so many statements would cost each transaction as much as a row.
final class Statements {
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

    /// The columns of the second part of a row of operations that is cut in two; the part begins at the parameter `tail`.
    private static let columnsOfTail = OperationColumn.allCases.map { column in
        switch column {
        case .first: ":tail"
        case .levelOrder: "level_order + (:tail - first)"
        default: column.name
        }
    }.joined(separator: ", ")

    /// Makes the statements for the newest version of the tables.
    init(_ database: Database) throws(SQLiteError) {
        raiseEpoch = try database.prepare("UPDATE meta SET value = value + 1 WHERE key = 'epoch'")
        mark = try database.prepare("UPDATE meta SET value = 1 WHERE key = 'is_open' AND value <> 1")
        unmark = try database.prepare("UPDATE meta SET value = 0 WHERE key = 'is_open'")
        writeClock = try database.prepare("UPDATE meta SET value = :clock WHERE key = 'clock'")
        meta = try database.prepare("SELECT value FROM meta WHERE key = :key")
        addToMeta = try database.prepare("UPDATE meta SET value = value + :count WHERE key = :key")
        writeQueue = try database.prepare(
            writing: QueueColumn.self,
            "INSERT OR REPLACE INTO queues (\(QueueColumn.list)) VALUES (\(QueueColumn.parameters))"
        )
        deleteQueue = try database.prepare("DELETE FROM queues WHERE name = :name")
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
        deleteQueueTotals = try database.prepare("DELETE FROM queue_totals WHERE name = :name")
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
            "SELECT \(JobSummaryColumn.list) FROM jobs WHERE job = :job"
        )
        jobWithKey = try database.prepare(
            reading: JobSummaryColumn.self,
            "SELECT \(JobSummaryColumn.list) FROM jobs WHERE key = :key"
        )
        jobsBelow = try database.prepare(
            reading: JobSummaryColumn.self,
            "SELECT \(JobSummaryColumn.list) FROM jobs WHERE job < :end ORDER BY job DESC LIMIT :limit"
        )
        // Each part is counted in an index, which is shorter than the table.
        jobCount = try database.prepare(
            """
            SELECT (SELECT count(*) FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL AND job < :end)
                + (SELECT count(*) FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL AND job < :end)
            """
        )
        newestJob = try database.prepare("SELECT max(job) FROM jobs")
        unfinishedJobs = try database.prepare(
            "SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL ORDER BY job"
        )
        submission = try database.prepare(
            reading: SubmissionColumn.self,
            "SELECT \(SubmissionColumn.list) FROM jobs WHERE job = :job"
        )
        endedJob = try database.prepare(
            """
            SELECT EXISTS (
                SELECT 1 FROM operations INDEXED BY operations_with_results WHERE job = :job AND has_result = 1
            ) FROM jobs WHERE job = :job AND finished_at IS NOT NULL
            """
        )
        retries = try database.prepare(
            "SELECT job FROM jobs INDEXED BY jobs_by_retry WHERE retry_of = :job ORDER BY job"
        )

        jobExists = try database.prepare("SELECT 1 FROM jobs WHERE job = :job")
        insertAddition = try database.prepare(
            writing: AdditionColumn.self,
            "INSERT INTO additions (\(AdditionColumn.list)) VALUES (\(AdditionColumn.parameters))"
        )
        additionsFrom = try database.prepare(
            reading: AdditionColumn.self,
            "SELECT \(AdditionColumn.list) FROM additions WHERE job = :job AND first >= :from ORDER BY first"
        )
        additionWithKey = try database.prepare(
            reading: AdditionColumn.self,
            "SELECT \(AdditionColumn.list) FROM additions WHERE job = :job AND key = :key"
        )
        additionTime = try database.prepare(
            "SELECT added_at FROM additions WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        extendJob = try database.prepare(
            "UPDATE jobs SET operations = operations + :count, queue_names = :queues WHERE job = :job"
        )
        setJobQueue = try database.prepare("UPDATE jobs SET queue = :queue WHERE job = :job")
        jobShape = try database.prepare(
            """
            SELECT operations, queue_names, (SELECT coalesce(max(template), -1) + 1 FROM templates WHERE job = :job)
            FROM jobs WHERE job = :job
            """
        )
        closeJob = try database.prepare("UPDATE jobs SET is_open = 0 WHERE job = :job")
        insertTag = try database.prepare(
            writing: TagColumn.self,
            "INSERT INTO job_tags (\(TagColumn.list)) VALUES (\(TagColumn.parameters))"
        )
        jobTagged = try database.prepare(
            """
            SELECT job FROM job_tags INDEXED BY jobs_by_tag WHERE tag = :tag AND value = :value AND job < :end
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
        insertRemovedJob = try database.prepare("INSERT INTO removed_jobs VALUES (:job)")
        deleteRemovedJob = try database.prepare("DELETE FROM removed_jobs WHERE job = :job")
        noteRemovedJob = try database.prepare(
            "UPDATE meta SET value = max(value, :job) WHERE key = 'newest_removed_job'"
        )
        noteRemovedOperations = try database.prepare(
            """
            UPDATE meta SET value = value + (SELECT succeeded + failed + cancelled + skipped FROM jobs WHERE job = :job)
            WHERE key = 'removed_operations'
            """
        )
        deleteJob = try database.prepare("DELETE FROM jobs WHERE job = :job")
        deleteRows = try Self.tablesOfJobs.map { (table: String, key: String) throws(SQLiteError) in
            try database.prepare(
                """
                DELETE FROM \(table) WHERE job = :job AND \(key) IN (SELECT \(key) FROM \(table) WHERE job = :job LIMIT :limit)
                """
            )
        }

        insertTemplate = try database.prepare(
            writing: TemplateColumn.self,
            "INSERT INTO templates (\(TemplateColumn.list)) VALUES (\(TemplateColumn.parameters))"
        )
        templates = try database.prepare(
            reading: TemplateColumn.self,
            "SELECT \(TemplateColumn.list) FROM templates WHERE job = :job ORDER BY template"
        )
        templateType = try database.prepare("SELECT type FROM templates WHERE job = :job AND template = :template")
        template = try database.prepare(
            reading: TemplateColumn.self,
            "SELECT \(TemplateColumn.list) FROM templates WHERE job = :job AND template = :template"
        )

        insertEntry = try database.prepare(
            writing: EntryColumn.self,
            "INSERT INTO entries (\(EntryColumn.list)) VALUES (\(EntryColumn.parameters))"
        )
        entriesFrom = try database.prepare(
            reading: EntryColumn.self,
            "SELECT \(EntryColumn.list) FROM entries WHERE job = :job AND first >= :from ORDER BY first"
        )
        entryFirstCovering = try database.prepare(
            "SELECT first FROM entries WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        jobHasHooks = try database.prepare("SELECT EXISTS (SELECT 1 FROM hooks WHERE job = :job)")
        entryName = try database.prepare("SELECT name FROM entries WHERE job = :job AND first = :first")
        entryCount = try database.prepare("SELECT count FROM entries WHERE job = :job AND first = :first")
        entryCounts = try database.prepare(
            "SELECT first, count FROM entries WHERE job = :job AND first BETWEEN :first AND :last"
        )
        insertEntryName = try database.prepare("INSERT INTO entry_names VALUES (:job, :name, :first)")
        entryNamed = try database.prepare(
            """
            SELECT e.first, e.count FROM entry_names n JOIN entries e ON e.job = n.job AND e.first = n.first
            WHERE n.job = :job AND n.name = :name
            """
        )
        namesFrom = try database.prepare(
            """
            SELECT first, count, name FROM entries
            WHERE job = :job AND name IS NOT NULL
                AND first >= coalesce((SELECT max(first) FROM entries WHERE job = :job AND first <= :from), :from)
            ORDER BY first LIMIT :limit
            """
        )
        entryFirsts = try database.prepare("SELECT first FROM entries WHERE job = :job ORDER BY first")
        insertItems = try database.prepare(
            writing: ItemColumn.self,
            "INSERT INTO array_items (\(ItemColumn.list)) VALUES (\(ItemColumn.parameters))"
        )
        items = try database.prepare(
            reading: ItemColumn.self,
            """
            SELECT \(ItemColumn.list) FROM array_items
            WHERE job = :job AND first = :entry AND position BETWEEN :first AND :last ORDER BY position
            """
        )

        writeOperation = try database.prepare(
            writing: OperationColumn.self,
            "INSERT OR REPLACE INTO operations (\(OperationColumn.list)) VALUES (\(OperationColumn.parameters))"
        )
        operationCovering = try database.prepare(
            reading: OperationColumn.self,
            """
            SELECT \(OperationColumn.list) FROM operations WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1
            """
        )
        extentCovering = try database.prepare(
            "SELECT first, last FROM operations WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        operationsFrom = try database.prepare(
            reading: OperationColumn.self,
            "SELECT \(OperationColumn.list) FROM operations WHERE job = :job AND first >= :from ORDER BY first"
        )
        successesFrom = try database.prepare(
            reading: SuccessColumn.self,
            "SELECT \(SuccessColumn.list) FROM operations WHERE job = :job AND first >= :from AND first < :end ORDER BY first"
        )
        historiesFrom = try database.prepare(
            reading: HistoryColumn.self,
            "SELECT \(HistoryColumn.list) FROM operations WHERE job = :job AND first >= :from AND first < :end ORDER BY first"
        )
        fates = try database.prepare(
            reading: FateColumn.self,
            "SELECT \(FateColumn.list) FROM operations WHERE job = :job ORDER BY first"
        )
        operationsWithResults = try database.prepare(
            """
            SELECT first FROM operations INDEXED BY operations_with_results
            WHERE job = :job AND first BETWEEN :first AND :last AND has_result = 1 ORDER BY first
            """
        )
        copyOperationTail = try database.prepare(
            """
            INSERT INTO operations (\(OperationColumn.list))
            SELECT \(Self.columnsOfTail) FROM operations WHERE job = :job AND first = :first
            """
        )
        shortenOperation = try database.prepare(
            "UPDATE operations SET last = :last WHERE job = :job AND first = :first"
        )
        deleteOperations = try database.prepare(
            "DELETE FROM operations WHERE job = :job AND first BETWEEN :first AND :last AND last <= :last"
        )
        advanceOperation = try database.prepare(
            """
            UPDATE operations SET first = :last + 1, level_order = level_order + (:last + 1 - first)
            WHERE job = :job AND first BETWEEN :first AND :last
            """
        )

        writeDependencies = try database.prepare(
            "INSERT OR REPLACE INTO operation_dependencies VALUES (:job, :operation, :dependencies)"
        )
        dependencies = try database.prepare(
            "SELECT dependencies FROM operation_dependencies WHERE job = :job AND operation = :operation"
        )
        dependenciesFrom = try database.prepare(
            """
            SELECT operation, dependencies FROM operation_dependencies
            WHERE job = :job AND operation >= :from ORDER BY operation
            """
        )
        jobsFinishedSince = try database.prepare("SELECT job FROM jobs WHERE finished_clock >= :since")
        endsInQueue = try database.prepare(
            """
            SELECT o.outcome, o.last - o.first + 1, o.reason, o.root FROM operations o
            JOIN entries e ON e.job = o.job
                AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
            JOIN jobs j ON j.job = o.job
            WHERE o.job = :job AND o.finished_at >= :since AND json_extract(j.queue_names, '$[' || e.queue || ']') = :queue
            """
        )
        writeCommands = try database.prepare(
            "INSERT OR REPLACE INTO operation_commands VALUES (:job, :operation, :commands)"
        )
        commandsFrom = try database.prepare(
            """
            SELECT operation, commands FROM operation_commands
            WHERE job = :job AND operation >= :from ORDER BY operation
            """
        )
        insertHook = try database.prepare(
            writing: HookColumn.self,
            "INSERT OR IGNORE INTO hooks (\(HookColumn.list)) VALUES (\(HookColumn.parameters))"
        )
        deleteHook = try database.prepare("DELETE FROM hooks WHERE job = :job AND operation = :operation")
        hooks = try database.prepare(reading: HookColumn.self, "SELECT \(HookColumn.list) FROM hooks ORDER BY number")
        insertWorker = try database.prepare(
            writing: WorkerColumn.self,
            "INSERT OR REPLACE INTO workers (\(WorkerColumn.list)) VALUES (\(WorkerColumn.parameters))"
        )
        deleteWorker = try database.prepare("DELETE FROM workers WHERE name = :name")
        workers = try database.prepare(reading: WorkerColumn.self, "SELECT \(WorkerColumn.list) FROM workers")
        writeDrain = try database.prepare(
            writing: DrainColumn.self,
            "INSERT OR REPLACE INTO drains (\(DrainColumn.list)) VALUES (\(DrainColumn.parameters))"
        )
        deleteDrain = try database.prepare("DELETE FROM drains WHERE id = :id")
        drains = try database.prepare(reading: DrainColumn.self, "SELECT \(DrainColumn.list) FROM drains")
        noteMissingAttempts = try database.prepare("UPDATE jobs SET may_miss_attempts = 1 WHERE job = :job")
        writeStart = try database.prepare(
            writing: StartColumn.self,
            "INSERT OR REPLACE INTO starts (\(StartColumn.list)) VALUES (\(StartColumn.parameters))"
        )
        starts = try database.prepare(reading: StartColumn.self, "SELECT \(StartColumn.list) FROM starts")
        insertEvents = try database.prepare(
            """
            INSERT INTO events SELECT :last, :first, :count + coalesce((SELECT max(total) FROM events), 0), :data
            WHERE :first > coalesce((SELECT max(last) FROM events), 0)
            """
        )
        deleteEvents = try database.prepare(
            "DELETE FROM events WHERE total <= (SELECT max(total) FROM events) - :limit"
        )
        eventsAfter = try database.prepare("SELECT first, last, data FROM events WHERE last > :event ORDER BY last")
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
            DELETE FROM attempts WHERE job = :job AND operation = :operation AND attempt <= (
                SELECT attempt FROM attempts WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1 OFFSET :limit
            )
            """
        )
        attempts = try database.prepare(
            reading: AttemptColumn.self,
            "SELECT \(AttemptColumn.list) FROM attempts WHERE job = :job AND operation = :operation ORDER BY attempt"
        )
        attemptsFrom = try database.prepare(
            reading: AttemptColumn.self,
            """
            SELECT \(AttemptColumn.list) FROM attempts
            WHERE job = :job AND operation >= :from AND operation < :end ORDER BY operation, attempt
            """
        )

        groupOfFailure = try database.prepare("SELECT 1 FROM failures WHERE job = :job AND operation = :operation")
        insertFailure = try database.prepare("INSERT INTO failures VALUES (:job, :operation, :number)")
        insertFailureGroup = try database.prepare(
            writing: FailureGroupColumn.self,
            "INSERT INTO failure_groups (\(FailureGroupColumn.list)) VALUES (\(FailureGroupColumn.parameters))"
        )
        countFailure = try database.prepare(
            "UPDATE failure_groups SET operations = operations + 1 WHERE job = :job AND number = :number"
        )
        failureGroupOfKind = try database.prepare(
            """
            SELECT number FROM failure_groups INDEXED BY failure_groups_by_line
            WHERE job = :job AND line = :line AND reason = :reason AND exit_status IS :exit_status AND signal IS :signal
            """
        )
        lastFailureGroup = try database.prepare(
            "SELECT number FROM failure_groups WHERE job = :job ORDER BY number DESC LIMIT 1"
        )
        failureGroups = try database.prepare(
            reading: FailureGroupColumn.self,
            "SELECT \(FailureGroupColumn.list) FROM failure_groups WHERE job = :job ORDER BY number"
        )
        failuresFrom = try database.prepare(
            "SELECT operation FROM failures WHERE job = :job AND operation >= :from ORDER BY operation LIMIT :limit"
        )
        failuresOfGroup = try database.prepare(
            """
            SELECT operation FROM failures INDEXED BY failures_by_group
            WHERE job = :job AND number = :number ORDER BY operation LIMIT :limit
            """
        )
        standardErrorEnd = try database.prepare(
            """
            SELECT substr(stderr, -\(FailureKind.mostBytes)) FROM outputs
            WHERE job = :job AND operation = :operation AND attempt = :attempt
            """
        )

        writeOutput = try database.prepare(
            writing: OutputColumn.self,
            "INSERT OR REPLACE INTO outputs (\(OutputColumn.list)) VALUES (\(OutputColumn.parameters))"
        )
        output = try database.prepare(
            reading: OutputColumn.self,
            "SELECT \(OutputColumn.list) FROM outputs WHERE job = :job AND operation = :operation AND attempt = :attempt"
        )
        lastOutput = try database.prepare(
            reading: OutputColumn.self,
            """
            SELECT \(OutputColumn.list) FROM outputs WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1
            """
        )
        // Results, which may be large, are not read.
        outputsFrom = try database.prepare(
            """
            SELECT operation, attempt,
                stdout_length, iif(:wants_stdout, stdout, NULL), stderr_length, iif(:wants_stderr, stderr, NULL)
            FROM outputs AS o
            WHERE job = :job AND operation >= :from AND operation < :end AND (operation > :from OR attempt > :after_attempt)
                AND (:attempt IS NULL OR attempt = :attempt)
                AND (NOT :is_last_only OR NOT EXISTS (
                    SELECT 1 FROM outputs WHERE job = :job AND operation = o.operation AND attempt > o.attempt
                        AND (:wants_stdout AND stdout_length > 0 OR :wants_stderr AND stderr_length > 0)))
                AND (:wants_stdout AND stdout_length > 0 OR :wants_stderr AND stderr_length > 0)
            ORDER BY job, operation, attempt
            """
        )
        result = try database.prepare(
            "SELECT result FROM outputs WHERE job = :job AND operation = :operation AND attempt = :attempt"
        )

        writeUsage = try database.prepare(
            writing: UsageColumn.self,
            "INSERT OR REPLACE INTO usages (\(UsageColumn.list)) VALUES (\(UsageColumn.parameters))"
        )
        usages = try database.prepare(
            reading: UsageColumn.self,
            "SELECT \(UsageColumn.list) FROM usages WHERE job = :job AND operation = :operation"
        )
        // The column beside max() is that of the row with the maximum; total() cannot overflow.
        usageOfJob = try database.prepare(
            "SELECT count(*), CAST(total(processor_us) AS INTEGER), max(peak_memory), operation FROM usages WHERE job = :job"
        )
        runTimes = try database.prepare(
            """
            SELECT first, worker, ready_at, started_at, finished_at FROM operations
            WHERE job = :job AND started_at IS NOT NULL AND finished_at IS NOT NULL
            """
        )
        earlierRunTimes = try database.prepare("SELECT worker, started_at, ended_at FROM attempts WHERE job = :job")
        lastFinished = try database.prepare(
            """
            SELECT first, started_at, max(finished_at) FROM operations
            WHERE job = :job AND first BETWEEN :from AND :last AND last >= :first AND finished_at <= :until
                AND (:has_run = 0 OR started_at IS NOT NULL)
            """
        )
    }
}
