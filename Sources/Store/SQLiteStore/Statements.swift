@_spi(Baton) import BatonOperations

/// The statements of the store, each declared once, and compiled once at most.
///
/// Each reading statement finds its rows through a key or an index; only the few queues and workers are read as a whole.
///
/// A class, because a copy of so many statements would cost each transaction as much as a row.
final class Statements {
    let raiseEpoch = Statement("UPDATE meta SET value = value + 1 WHERE key = 'epoch'")
    /// Marks the record as open.
    let mark = Statement("UPDATE meta SET value = 1 WHERE key = 'is_open' AND value <> 1")
    /// Marks the record as closed.
    let unmark = Statement("UPDATE meta SET value = 0 WHERE key = 'is_open'")
    /// Writes the clock, and counts a commit with it, for less than two changes of rows would take.
    let writeClock = Statement("UPDATE meta SET value = :clock, commits = commits + 1 WHERE key = 'clock'")
    let countCommit = Statement("UPDATE meta SET commits = commits + 1 WHERE key = 'clock'")
    let raiseCommits = Statement("UPDATE meta SET commits = max(commits, :count) WHERE key = 'clock'")
    let raiseMeta = Statement("UPDATE meta SET value = max(value, :count) WHERE key = :key")
    let meta = Statement("SELECT value FROM meta WHERE key = :key")
    let addToMeta = Statement("UPDATE meta SET value = value + :count WHERE key = :key")
    let writeQueue = Statement(replacing: QueueColumn.self, in: "queues")
    let deleteQueue = Statement("DELETE FROM queues WHERE name = :name")
    let queues = Statement(reading: QueueColumn.self, "FROM queues")
    let writeTotals = Statement(
        writing: TotalColumn.self,
        "INSERT OR REPLACE INTO totals (\(TotalColumn.list), id) VALUES (\(TotalColumn.parameters), 1)"
    )
    let totals = Statement(reading: TotalColumn.self, "FROM totals WHERE id = 1")
    let writeQueueTotals = Statement(replacing: QueueTotalColumn.self, in: "queue_totals")
    let deleteQueueTotals = Statement("DELETE FROM queue_totals WHERE name = :name")
    let queueTotals = Statement(reading: QueueTotalColumn.self, "FROM queue_totals")

    let insertJob = Statement(inserting: NewJobColumn.self, into: "jobs")
    let finishJob = Statement(
        writing: JobEndColumn.self,
        """
        UPDATE jobs SET \(JobEndColumn.assignments(except: .job)) WHERE job = :job AND finished_at IS NULL
        """
    )
    let job = Statement(reading: JobSummaryColumn.self, "FROM jobs WHERE job = :job")
    let jobWithKey = Statement(reading: JobSummaryColumn.self, "FROM jobs WHERE key = :key")
    let jobsBelow = Statement(
        reading: JobSummaryColumn.self,
        "FROM jobs WHERE job < :end ORDER BY job DESC LIMIT :limit"
    )
    /// The number of jobs below a number; each part is counted in an index, which is shorter than the table.
    let jobCount = Statement(
        """
        SELECT (SELECT count(*) FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL AND job < :end)
            + (SELECT count(*) FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL AND job < :end)
        """
    )
    let newestJob = Statement("SELECT max(job) FROM jobs")
    let unfinishedJobs = Statement(
        "SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL ORDER BY job"
    )
    let submission = Statement(reading: SubmissionColumn.self, "FROM jobs WHERE job = :job")
    let endedJob = Statement(
        """
        SELECT EXISTS (
            SELECT 1 FROM operations INDEXED BY operations_with_results WHERE job = :job AND has_result = 1
        ), EXISTS (
            SELECT 1 FROM files WHERE job = :job
        ) FROM jobs WHERE job = :job AND finished_at IS NOT NULL
        """
    )
    let retries = Statement("SELECT job FROM jobs INDEXED BY jobs_by_retry WHERE retry_of = :job ORDER BY job")

    let jobExists = Statement("SELECT 1 FROM jobs WHERE job = :job")
    let insertAddition = Statement(inserting: AdditionColumn.self, into: "additions")
    /// The additions of a job, from an index on.
    let additionsFrom = Statement(
        reading: AdditionColumn.self,
        "FROM additions WHERE job = :job AND first >= :from ORDER BY first"
    )
    /// The rows of a removed job go later than the job.
    let jobOfAddition = Statement(
        "SELECT job FROM additions WHERE key = :key AND EXISTS (SELECT 1 FROM jobs WHERE jobs.job = additions.job) LIMIT 1"
    )
    let additionWithKey = Statement(reading: AdditionColumn.self, "FROM additions WHERE job = :job AND key = :key")
    /// When the addition with an operation came in, or the last one before.
    let additionTime = Statement(
        "SELECT added_at FROM additions WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
    )
    /// Add to a job's operations, and set its queues.
    let extendJob = Statement(
        "UPDATE jobs SET operations = operations + :count, queue_names = :queues WHERE job = :job"
    )
    /// Set the queue of a job that has no operations yet.
    let setJobQueue = Statement("UPDATE jobs SET queue = :queue WHERE job = :job")
    let jobShape = Statement(
        """
        SELECT operations, queue_names, (SELECT coalesce(max(template), -1) + 1 FROM templates WHERE job = :job)
        FROM jobs WHERE job = :job
        """
    )
    let closeJob = Statement("UPDATE jobs SET is_open = 0 WHERE job = :job")
    let insertTag = Statement(inserting: TagColumn.self, into: "job_tags")
    /// The newest job with a tag, below a number.
    let jobTagged = Statement(
        """
        SELECT job FROM job_tags INDEXED BY jobs_by_tag WHERE tag = :tag AND value = :value AND job < :end
        ORDER BY job DESC LIMIT 1
        """
    )

    /// The finished jobs that may be removed; a pending hook needs its operation.
    let finishedJobs = Statement(
        """
        SELECT job, finished_clock, succeeded + failed + cancelled + skipped FROM jobs INDEXED BY finished_jobs
        WHERE finished_clock IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hooks WHERE hooks.job = jobs.job)
        ORDER BY finished_clock, job
        """
    )
    let newestFinishedJob = Statement(
        """
        SELECT job FROM jobs INDEXED BY finished_jobs WHERE finished_clock IS NOT NULL
        ORDER BY finished_clock DESC, job DESC LIMIT 1
        """
    )
    /// Move the shown times of what is not finished, those in a range.
    let moveTimes = [
        Statement(
            """
            UPDATE jobs SET submitted_at = max(submitted_at + :step, :floor)
            WHERE finished_at IS NULL AND submitted_at BETWEEN :from AND :last
            """
        ),
        Statement(
            """
            UPDATE additions SET added_at = max(added_at + :step, :floor)
            WHERE added_at BETWEEN :from AND :last
                AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
            """
        ),
        Statement(
            """
            UPDATE operations SET ready_at = iif(ready_at BETWEEN :from AND :last, max(ready_at + :step, :floor), ready_at),
                started_at = iif(started_at BETWEEN :from AND :last, max(started_at + :step, :floor), started_at)
            WHERE finished_at IS NULL AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
            """
        ),
        Statement("UPDATE drains SET since = max(since + :step, :floor) WHERE since BETWEEN :from AND :last"),
        Statement("UPDATE pauses SET since = max(since + :step, :floor) WHERE since BETWEEN :from AND :last"),
    ]
    /// The newest of these times until a moment.
    let newestTimes = [
        Statement(
            """
            SELECT max(submitted_at) FROM jobs INDEXED BY unfinished_jobs
            WHERE finished_at IS NULL AND submitted_at <= :until
            """
        ),
        Statement(
            """
            SELECT max(added_at) FROM additions WHERE added_at <= :until
                AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
            """
        ),
        Statement(
            """
            SELECT max(max(iif(ready_at <= :until, ready_at, 0), iif(started_at <= :until, started_at, 0))) FROM operations
            WHERE finished_at IS NULL AND job IN (SELECT job FROM jobs INDEXED BY unfinished_jobs WHERE finished_at IS NULL)
            """
        ),
        Statement("SELECT max(since) FROM drains WHERE since <= :until"),
        Statement("SELECT max(since) FROM pauses WHERE since <= :until"),
    ]
    /// How far the time of day was ahead of the record's clock, as far as the unfinished jobs tell.
    let greatestClockOffset = Statement(
        """
        SELECT max(submitted_at - submitted_clock) FROM jobs INDEXED BY unfinished_jobs
        WHERE finished_at IS NULL AND submitted_clock > 0
        """
    )
    let removedJobs = Statement("SELECT job FROM removed_jobs WHERE job > 0 ORDER BY job")
    let insertRemovedJob = Statement("INSERT INTO removed_jobs VALUES (:job)")
    let takeRemovedJob = Statement("DELETE FROM removed_jobs WHERE job = :job RETURNING job")
    let deleteRemovedJob = Statement("DELETE FROM removed_jobs WHERE job = :job")
    let noteRemovedJob = Statement("UPDATE meta SET value = max(value, :job) WHERE key = 'newest_removed_job'")
    let noteRemovedOperations = Statement(
        """
        UPDATE meta SET value = value + (SELECT succeeded + failed + cancelled + skipped FROM jobs WHERE job = :job)
        WHERE key = 'removed_operations'
        """
    )
    let deleteJob = Statement("DELETE FROM jobs WHERE job = :job RETURNING failed")
    let minutesOfFailures = Statement(
        """
        SELECT o.finished_at / 60000000 FROM failures f
        JOIN operations o ON o.job = f.job
            AND o.first = (SELECT max(first) FROM operations WHERE job = f.job AND first <= f.operation)
        WHERE f.job = :job
        """
    )
    /// Delete a bounded number of a job's rows, each statement in another table.
    let deleteRows = Statements.tablesOfJobs.map { table, key in
        Statement(
            """
            DELETE FROM \(table) WHERE job = :job AND \(key) IN (SELECT \(key) FROM \(table) WHERE job = :job LIMIT :limit)
            """
        )
    }

    let insertTemplate = Statement(inserting: TemplateColumn.self, into: "templates")
    let templates = Statement(reading: TemplateColumn.self, "FROM templates WHERE job = :job ORDER BY template")
    let templateType = Statement("SELECT type FROM templates WHERE job = :job AND template = :template")
    let template = Statement(reading: TemplateColumn.self, "FROM templates WHERE job = :job AND template = :template")

    let insertEntry = Statement(inserting: EntryColumn.self, into: "entries")
    let entriesFrom = Statement(
        reading: EntryColumn.self,
        "FROM entries WHERE job = :job AND first >= :from ORDER BY first"
    )
    let entryFirstCovering = Statement(
        "SELECT first FROM entries WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
    )
    let entryCovering = Statement(
        "SELECT first, count, template FROM entries WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
    )
    /// The templates of a job that may want several copies of files; a text in a variable may look the same.
    let templatesWithCopies = Statement(
        reading: TemplateColumn.self,
        "FROM templates WHERE job = :job AND instr(settings, '\"copies\"') > 0"
    )
    let jobHasHooks = Statement("SELECT EXISTS (SELECT 1 FROM hooks WHERE job = :job)")
    let entryName = Statement("SELECT name FROM entries WHERE job = :job AND first = :first")
    let entryCount = Statement("SELECT count FROM entries WHERE job = :job AND first = :first")
    let entryCounts = Statement("SELECT first, count FROM entries WHERE job = :job AND first BETWEEN :first AND :last")
    let insertEntryName = Statement("INSERT INTO entry_names VALUES (:job, :name, :first)")
    let entryNamed = Statement(
        """
        SELECT e.first, e.count FROM entry_names n JOIN entries e ON e.job = n.job AND e.first = n.first
        WHERE n.job = :job AND n.name = :name
        """
    )
    /// The entries of a queue, or of all for NULL.
    let entriesOfQueue = Statement(
        """
        SELECT first, count, name FROM entries
        WHERE job = :job AND first < :end AND (:queue IS NULL OR queue = :queue)
            AND first >= coalesce((SELECT max(first) FROM entries WHERE job = :job AND first <= :from), :from)
        ORDER BY first
        """
    )
    let namesFrom = Statement(
        """
        SELECT first, count, name FROM entries
        WHERE job = :job AND name IS NOT NULL
            AND first >= coalesce((SELECT max(first) FROM entries WHERE job = :job AND first <= :from), :from)
        ORDER BY first LIMIT :limit
        """
    )
    let entryFirsts = Statement("SELECT first FROM entries WHERE job = :job ORDER BY first")
    let insertItems = Statement(inserting: ItemColumn.self, into: "array_items")
    let items = Statement(
        reading: ItemColumn.self,
        "FROM array_items WHERE job = :job AND first = :entry AND position BETWEEN :first AND :last ORDER BY position"
    )

    let writeOperation = Statement(replacing: OperationColumn.self, in: "operations")
    let operationCovering = Statement(
        reading: OperationColumn.self,
        "FROM operations WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
    )
    /// The first and the last operation of the covering row, enough for a write.
    let extentCovering = Statement(
        "SELECT first, last FROM operations WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
    )
    let operationsFrom = Statement(
        reading: OperationColumn.self,
        "FROM operations WHERE job = :job AND first >= :from ORDER BY first"
    )
    /// The finished operations that meet conditions; NULL stands for no condition.
    let finishedMeeting = Statement(
        """
        SELECT first, last FROM operations
        WHERE job = :job AND first < :end AND state = 'finished'
            AND first >= coalesce((SELECT max(first) FROM operations WHERE job = :job AND first <= :from), :from)
            AND (:outcomes IS NULL OR instr(:outcomes, outcome) > 0)
            AND (:worker IS NULL OR worker = :worker)
            AND (:since IS NULL OR started_at >= :since OR finished_at >= :since)
        ORDER BY first
        """
    )
    let successesFrom = Statement(
        reading: SuccessColumn.self,
        "FROM operations WHERE job = :job AND first >= :from AND first < :end ORDER BY first"
    )
    let historiesFrom = Statement(
        reading: HistoryColumn.self,
        "FROM operations WHERE job = :job AND first >= :from AND first < :end ORDER BY first"
    )
    let fates = Statement(reading: FateColumn.self, "FROM operations WHERE job = :job ORDER BY first")
    let operationsWithResults = Statement(
        """
        SELECT first FROM operations INDEXED BY operations_with_results
        WHERE job = :job AND first BETWEEN :first AND :last AND has_result = 1 ORDER BY first
        """
    )
    let operationsWithFiles = Statement(
        """
        SELECT DISTINCT operation FROM files
        WHERE job = :job AND operation BETWEEN :first AND :last ORDER BY operation
        """
    )
    let copyOperationTail = Statement(
        """
        INSERT INTO operations (\(OperationColumn.list))
        SELECT \(Statements.columnsOfTail) FROM operations WHERE job = :job AND first = :first
        """
    )
    let shortenOperation = Statement("UPDATE operations SET last = :last WHERE job = :job AND first = :first")
    let deleteOperations = Statement(
        "DELETE FROM operations WHERE job = :job AND first BETWEEN :first AND :last AND last <= :last"
    )
    let advanceOperation = Statement(
        """
        UPDATE operations SET first = :last + 1, level_order = level_order + (:last + 1 - first)
        WHERE job = :job AND first BETWEEN :first AND :last
        """
    )

    let writeDependencies = Statement(
        "INSERT OR REPLACE INTO operation_dependencies VALUES (:job, :operation, :dependencies)"
    )
    let dependencies = Statement(
        "SELECT dependencies FROM operation_dependencies WHERE job = :job AND operation = :operation"
    )
    let dependenciesFrom = Statement(
        """
        SELECT operation, dependencies FROM operation_dependencies
        WHERE job = :job AND operation >= :from ORDER BY operation
        """
    )
    let jobsFinishedSince = Statement("SELECT job FROM jobs WHERE finished_clock >= :since")
    let endsBySecond = Statement(
        """
        SELECT finished_at / 1000000, outcome, last - first + 1 FROM operations
        WHERE job = :job AND finished_at >= :since AND outcome IN ('succeeded', 'failed')
        """
    )
    let startsBySecond = Statement(
        "SELECT started_at / 1000000 FROM operations WHERE job = :job AND started_at >= :since"
    )
    let endsInQueue = Statement(
        """
        SELECT o.outcome, o.last - o.first + 1, o.reason, o.root FROM operations o
        JOIN entries e ON e.job = o.job
            AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
        JOIN jobs j ON j.job = o.job
        WHERE o.job = :job AND o.finished_at >= :since AND json_extract(j.queue_names, '$[' || e.queue || ']') = :queue
        """
    )
    let writeCommands = Statement("INSERT OR REPLACE INTO operation_commands VALUES (:job, :operation, :commands)")
    let commandsFrom = Statement(
        """
        SELECT operation, commands FROM operation_commands
        WHERE job = :job AND operation >= :from ORDER BY operation
        """
    )
    let insertHook = Statement(
        writing: HookColumn.self,
        """
        INSERT INTO hooks (\(HookColumn.list)) VALUES (\(HookColumn.parameters))
        ON CONFLICT (job, operation) DO UPDATE SET is_cancelled = excluded.is_cancelled
        """
    )
    let deleteHook = Statement("DELETE FROM hooks WHERE job = :job AND operation = :operation")
    let hooks = Statement(reading: HookColumn.self, "FROM hooks ORDER BY number")
    let isHookPending = Statement("SELECT 1 FROM hooks WHERE job = :job AND operation = :operation")
    let insertHookEnd = Statement(replacing: HookEndColumn.self, in: "hook_ends")
    let hookEnd = Statement(
        reading: HookEndColumn.self,
        "FROM hook_ends WHERE job = :job AND operation = :operation"
    )
    let insertWorker = Statement(replacing: WorkerColumn.self, in: "workers")
    let deleteWorker = Statement("DELETE FROM workers WHERE name = :name")
    let workers = Statement(reading: WorkerColumn.self, "FROM workers")
    let writeDrain = Statement(replacing: DrainColumn.self, in: "drains")
    let deleteDrain = Statement("DELETE FROM drains WHERE id = :id")
    let drains = Statement(reading: DrainColumn.self, "FROM drains")
    let writePause = Statement(replacing: PauseColumn.self, in: "pauses")
    let deletePause = Statement("DELETE FROM pauses WHERE job = :job AND operation = :operation")
    let pauses = Statement(reading: PauseColumn.self, "FROM pauses")
    let writeSchedule = Statement(replacing: ScheduleColumn.self, in: "schedules")
    let writeScheduleState = Statement(
        writing: ScheduleStateColumn.self,
        "UPDATE schedules SET \(ScheduleStateColumn.assignments(except: .name)) WHERE name = :name"
    )
    let deleteSchedule = Statement("DELETE FROM schedules WHERE name = :name")
    let schedules = Statement(reading: ScheduleColumn.self, "FROM schedules")
    let scheduleStates = Statement(reading: ScheduleStateColumn.self, "FROM schedules")
    let writeSharedLimit = Statement(replacing: SharedLimitColumn.self, in: "shared_limits")
    let deleteSharedLimit = Statement("DELETE FROM shared_limits WHERE name = :name")
    let sharedLimits = Statement(reading: SharedLimitColumn.self, "FROM shared_limits")
    let noteMissingAttempts = Statement("UPDATE jobs SET may_miss_attempts = 1 WHERE job = :job")
    let writeStart = Statement(replacing: StartColumn.self, in: "starts")
    let starts = Statement(reading: StartColumn.self, "FROM starts")
    let insertEvents = makeInsertEvents()
    let deleteEvents = Statement("DELETE FROM events WHERE total <= (SELECT max(total) FROM events) - :limit")
    let eventsAfter = Statement("SELECT first, last, data FROM events WHERE last > :event ORDER BY last")
    let newestEvent = Statement("SELECT max(last) FROM events")
    let insertAction = Statement(inserting: ActionColumn.self, into: "actions")
    let deleteActions = Statement(
        "DELETE FROM actions WHERE event < (SELECT first FROM events WHERE last = (SELECT min(last) FROM events))"
    )

    let writeAttempt = Statement(replacing: AttemptColumn.self, in: "attempts")
    /// Delete the oldest attempts of an operation, all but a number of them.
    let deleteAttempts = Statement(
        """
        DELETE FROM attempts WHERE job = :job AND operation = :operation AND attempt <= (
            SELECT attempt FROM attempts WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1 OFFSET :limit
        )
        """
    )
    let attempts = Statement(
        reading: AttemptColumn.self,
        "FROM attempts WHERE job = :job AND operation = :operation ORDER BY attempt"
    )
    let attemptsFrom = Statement(
        reading: AttemptColumn.self,
        "FROM attempts WHERE job = :job AND operation >= :from AND operation < :end ORDER BY operation, attempt"
    )

    let groupOfFailure = Statement("SELECT 1 FROM failures WHERE job = :job AND operation = :operation")
    let insertFailure = Statement("INSERT INTO failures VALUES (:job, :operation, :number)")
    let insertFailureGroup = Statement(inserting: FailureGroupColumn.self, into: "failure_groups")
    let countFailure = Statement(
        "UPDATE failure_groups SET operations = operations + 1 WHERE job = :job AND number = :number"
    )
    let failureGroupOfKind = Statement(
        """
        SELECT number FROM failure_groups INDEXED BY failure_groups_by_line
        WHERE job = :job AND line = :line AND reason = :reason AND exit_status IS :exit_status AND signal IS :signal
        """
    )
    let lastFailureGroup = Statement("SELECT number FROM failure_groups WHERE job = :job ORDER BY number DESC LIMIT 1")
    let failureGroups = Statement(
        reading: FailureGroupColumn.self,
        "FROM failure_groups WHERE job = :job ORDER BY number"
    )
    let failuresFrom = Statement(
        "SELECT operation FROM failures WHERE job = :job AND operation >= :from ORDER BY operation LIMIT :limit"
    )
    /// The first operations of a group; a negative limit means all.
    let failuresOfGroup = Statement(
        """
        SELECT operation FROM failures INDEXED BY failures_by_group
        WHERE job = :job AND number = :number ORDER BY operation LIMIT :limit
        """
    )
    let standardErrorEnd = Statement(
        """
        SELECT substr(stderr, -\(FailureKind.mostBytes)) FROM outputs
        WHERE job = :job AND operation = :operation AND attempt = :attempt
        """
    )

    let writeOutput = Statement(replacing: OutputColumn.self, in: "outputs")
    /// Copies the result of an operation, found as by ``result``, to one that has not made any attempt.
    let copyResult = Statement(
        """
        INSERT OR REPLACE INTO outputs (job, operation, attempt, stdout_length, stdout, stderr_length, stderr, result)
        SELECT :job, :operation, 0, 0, x'', 0, x'', r.result
        FROM operations AS o JOIN outputs AS r ON r.job = o.job AND r.operation = o.first AND r.attempt <= o.attempt
        WHERE o.job = :from_job AND o.first = :from AND r.result IS NOT NULL
        ORDER BY r.attempt DESC LIMIT 1
        """
    )
    let output = Statement(
        reading: OutputColumn.self,
        "FROM outputs WHERE job = :job AND operation = :operation AND attempt = :attempt"
    )
    let lastOutput = Statement(
        reading: OutputColumn.self,
        "FROM outputs WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1"
    )
    /// The outputs of operations in a range, without results, which may be large.
    let outputsFrom = Statement(
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
    /// The attempts that were lost with their workers and made again, and that have no row of output.
    ///
    /// An attempt without a reported start is left out, because no output of it is known.
    let lostOutputs = Statement(
        """
        SELECT operation, attempt FROM attempts AS a
        WHERE job = :job AND operation >= :from AND operation < :end
            AND reason = '\(Reason.Code.lost.rawValue)' AND NOT was_stopped AND started_at IS NOT NULL
            AND NOT EXISTS (
                SELECT 1 FROM outputs WHERE job = :job AND operation = a.operation AND attempt = a.attempt
                    AND (stdout_length > 0 OR stderr_length > 0))
        ORDER BY operation, attempt
        """
    )
    /// The last attempts of failed operations that were lost with their workers: of those that a stop of the worker ended, the usage
    /// is known, and the output, if there was any, has a row.
    let lostLastOutputs = Statement(
        """
        SELECT f.operation, o.attempt
        FROM failures AS f CROSS JOIN operations AS o ON o.job = f.job AND o.first = f.operation
        WHERE f.job = :job AND f.operation >= :from AND f.operation < :end
            AND o.reason = '\(Reason.Code.lost.rawValue)' AND o.attempt > 0
            AND NOT EXISTS (
                SELECT 1 FROM outputs WHERE job = :job AND operation = f.operation AND attempt = o.attempt
                    AND (stdout_length > 0 OR stderr_length > 0))
            AND NOT EXISTS (
                SELECT 1 FROM usages WHERE job = :job AND operation = f.operation AND attempt = o.attempt)
        ORDER BY f.operation
        """
    )
    /// The result of the last attempt up to one that left any: an attempt that only makes lost files again need not leave one.
    let result = Statement(
        """
        SELECT result FROM outputs
        WHERE job = :job AND operation = :operation AND attempt <= :attempt AND result IS NOT NULL
        ORDER BY attempt DESC LIMIT 1
        """
    )

    let writeFile = Statement(replacing: FileColumn.self, in: "files")
    let deleteFiles = Statement("DELETE FROM files WHERE job = :job AND operation = :operation")
    /// The files of some operations of a job, from a place in their order on; a negative limit means all.
    let files = Statement(
        reading: FileColumn.self,
        """
        FROM files WHERE job = :job AND operation BETWEEN :first AND :last
        ORDER BY operation, path LIMIT :limit OFFSET :from
        """
    )
    let file = Statement(
        reading: FileColumn.self,
        "FROM files WHERE job = :job AND operation = :operation AND path = :name"
    )
    /// How many files some operations of a job have, and how long they are together; total() cannot overflow.
    let sizeOfFiles = Statement(
        """
        SELECT count(*), CAST(total(size) AS INTEGER) FROM files WHERE job = :job AND operation BETWEEN :first AND :last
        """
    )
    /// How many files the attempts of some operations have left, and how long they are together.
    let sizesOfFiles = Statement(
        """
        SELECT operation, attempt, count(*), CAST(total(size) AS INTEGER) FROM files
        WHERE job = :job AND operation >= :from AND operation < :end GROUP BY operation, attempt ORDER BY operation, attempt
        """
    )
    let writeFetch = Statement(replacing: FetchColumn.self, in: "fetches")
    /// Delete the oldest fetches of an operation, all but a number of them.
    let deleteFetches = Statement(
        """
        DELETE FROM fetches WHERE job = :job AND operation = :operation AND attempt <= (
            SELECT attempt FROM fetches WHERE job = :job AND operation = :operation ORDER BY attempt DESC LIMIT 1 OFFSET :limit
        )
        """
    )
    let fetchesFrom = Statement(
        reading: FetchColumn.self,
        "FROM fetches WHERE job = :job AND operation >= :from AND operation < :end ORDER BY operation, attempt"
    )
    /// The finished jobs that may keep their files for a time after their end.
    let jobsKeepingFiles = Statement(
        """
        SELECT job, finished_clock, settings FROM jobs INDEXED BY jobs_keeping_files
        WHERE instr(settings, '"keepFiles"') > 0 AND finished_clock IS NOT NULL ORDER BY job
        """
    )

    let writeUsage = Statement(replacing: UsageColumn.self, in: "usages")
    let usages = Statement(reading: UsageColumn.self, "FROM usages WHERE job = :job AND operation = :operation")
    /// The usage of a job.
    ///
    /// The column beside max() is that of the row with the maximum; total() cannot overflow.
    let usageOfJob = Statement(
        "SELECT count(*), CAST(total(processor_us) AS INTEGER), max(peak_memory), operation FROM usages WHERE job = :job"
    )
    let runTimes = Statement(
        """
        SELECT first, worker, ready_at, started_at, finished_at FROM operations
        WHERE job = :job AND started_at IS NOT NULL AND finished_at IS NOT NULL
        """
    )
    let earlierRunTimes = Statement("SELECT worker, started_at, ended_at FROM attempts WHERE job = :job")
    let lastFinished = Statement(
        """
        SELECT first, started_at, max(finished_at) FROM operations
        WHERE job = :job AND first BETWEEN :from AND :last AND last >= :first AND finished_at <= :until
            AND (:has_run = 0 OR started_at IS NOT NULL)
        """
    )

    /// Inserts a row of events behind all others.
    static func makeInsertEvents() -> Statement {
        Statement(
            """
            INSERT INTO events SELECT :last, :first, :count + coalesce((SELECT max(total) FROM events), 0), :data
            WHERE :first > coalesce((SELECT max(last) FROM events), 0)
            """
        )
    }

    /// The tables with rows of finished jobs, and the column that distinguishes the rows of one job.
    private static let tablesOfJobs = [
        (table: "outputs", key: "rowid"), (table: "attempts", key: "operation"), (table: "usages", key: "operation"),
        (table: "files", key: "operation"), (table: "fetches", key: "operation"),
        (table: "operations", key: "first"), (table: "hook_ends", key: "operation"),
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
    ///
    /// - Throws: `statement` if the tables are others.
    init(_ database: Database) throws(SQLiteError) {
        for statement in all { try statement.attach(to: database) }
    }

    /// Every statement: each property is one, or a list of them.
    var all: [Statement] {
        Mirror(reflecting: self).children.flatMap { child in
            (child.value as? Statement).map { [$0] } ?? child.value as? [Statement] ?? []
        }
    }
}
