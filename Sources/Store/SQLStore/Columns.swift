/// A row of the table `operations`.
enum OperationColumn: Int, RowColumn {
    case job, first, last, state, outcome, isCancelled, reason, message, exitStatus, signal, attempt, losses, token,
        worker
    case readyAt, startedAt, finishedAt, notBefore, hasResult, isHeld, level, levelOrder, root, failures, hasFiles
}

/// The part of a row of the table `operations` that a history needs of a succeeded operation.
enum SuccessColumn: Int, RowColumn {
    case first, last, outcome, exitStatus, attempt, worker, readyAt, startedAt, finishedAt
}

/// The part of a row of the table `operations` that a history needs of any operation: first the columns of ``SuccessColumn``.
enum HistoryColumn: Int, RowColumn {
    case first, last, outcome, exitStatus, attempt, worker, readyAt, startedAt, finishedAt
    case state, reason, signal, root
}

/// The part of a row of the table `operations` that a retry needs.
enum FateColumn: Int, RowColumn {
    case first, last, outcome, hasResult, reason, root, hasFiles
}

/// A row of the table `attempts`.
enum AttemptColumn: Int, RowColumn {
    case job, operation, attempt, worker, startedAt, endedAt, reason, message, exitStatus, signal, wasStopped, token
    case memory, timeoutUs
}

/// A row of the table `failure_groups`.
enum FailureGroupColumn: Int, RowColumn {
    case job, number, reason, exitStatus, signal, line, operations
}

/// A row of the table `failures`.
enum FailureColumn: Int, RowColumn {
    case job, operation, number
}

/// A new row of the table `jobs`.
enum NewJobColumn: Int, RowColumn {
    case job, name, key, queue, operations, submittedAt, queueNames, queueChanges, firstOrder, retryOf, keyDigest
    case submittedClock, submittedBy, settings, isOpen
}

/// The columns of `jobs` about the end of a job; the job itself is the key.
enum JobEndColumn: Int, RowColumn {
    case startedAt, finishedAt, succeeded, failed, cancelled, skipped, notNeeded, skippedAfterFailure, root
    case wasCancelled, finishedClock, job
}

/// The columns of `jobs` for a summary.
enum JobSummaryColumn: Int, RowColumn {
    case job, name, queue, operations, submittedAt, startedAt, finishedAt, succeeded, failed, cancelled, skipped,
        notNeeded
    case skippedAfterFailure, wasCancelled, root, retryOf, keyDigest, key, submittedBy, settings, isOpen
}

/// The columns of `jobs` for the submission.
enum SubmissionColumn: Int, RowColumn {
    case name, key, submittedClock, queueNames, queueChanges, firstOrder, operations, submittedAt, finishedAt, retryOf
    case keyDigest, mayMissAttempts, submittedBy, settings, isOpen
}

/// A row of the table `additions`.
enum AdditionColumn: Int, RowColumn {
    case job, first, operations, firstOrder, key, keyDigest, addedAt, addedClock, addedBy
}

/// A row of the table `job_tags`.
enum TagColumn: Int, RowColumn {
    case job, tag, value
}

/// A row of the table `templates`.
enum TemplateColumn: Int, RowColumn {
    case job, template, commands, type, argument, settings
}

/// A row of the table `entries`.
enum EntryColumn: Int, RowColumn {
    case job, first, count, name, template, queue, settings, isCancelled, dependencies, array, arrayFirst, arrayStep
}

/// A row of the table `entry_names`.
enum EntryNameColumn: Int, RowColumn {
    case job, name, first
}

/// A row of the table `array_items`.
enum ItemColumn: Int, RowColumn {
    case job, first, position, items, numbers
}

/// A row of the table `queues`.
enum QueueColumn: Int, RowColumn {
    case name, maxConcurrent, qualityOfService, isSuspended, total, completed, rate
}

/// The row of the table `totals`, whose key is 1.
enum TotalColumn: Int, RowColumn {
    case attemptsStarted, attemptsSucceeded, attemptsFailed, attemptsCancelled, attemptsLost, attemptsGivenBack
    case attemptsStopped, jobsSucceeded, jobsFailed, jobsCancelled
    case othersSucceeded, othersFailed, othersCancelled, othersSkipped, id
}

/// A row of the table `queue_totals`.
enum QueueTotalColumn: Int, RowColumn {
    case name, succeeded, failed, cancelled, skipped
}

/// A row of the table `actions`.
enum ActionColumn: Int, RowColumn {
    case event, time, action, subject, requestedBy
}

/// A row of the table `outputs`.
enum OutputColumn: Int, RowColumn {
    case job, operation, attempt, stdoutLength, stdout, stderrLength, stderr, result
}

/// A row of the table `files`.
enum FileColumn: Int, RowColumn {
    case job, operation, path, attempt, size, mode, digest
}

/// A row of the table `fetches`.
enum FetchColumn: Int, RowColumn {
    case job, operation, attempt, sentAt, arrivedAt, files, bytes
}

/// A row of the table `usages`.
enum UsageColumn: Int, RowColumn {
    case job, operation, attempt, processorUs, peakMemory
}

/// A row of the table `hooks`, without its number.
enum HookColumn: Int, RowColumn {
    case job, operation, attempt, outcome, worker, isCancelled
}

/// A row of the table `hook_ends`.
enum HookEndColumn: Int, RowColumn {
    case job, operation, worker, startedAt, endedAt, reason, message, exitStatus, signal, stderr
}

/// A row of the table `workers`.
enum WorkerColumn: Int, RowColumn {
    case name, id, life, key
}

/// A row of the table `drains`.
enum DrainColumn: Int, RowColumn {
    case id, name, requestedBy, since
}

/// A row of the table `pauses`.
enum PauseColumn: Int, RowColumn {
    case job, operation, requestedBy, since
}

/// What a user has set in a row of the table `schedules`, with the first moment.
enum ScheduleColumn: Int, RowColumn {
    case name, cron, timeZone, overlap, catchUp, addedAt, addedBy, request, decidedUntil
}

/// How far the schedule of a row of the table `schedules` has come.
enum ScheduleStateColumn: Int, RowColumn {
    case isPaused, decidedUntil, lastTime, lastJob, waiting, skippedTime, skipReason, skipMessage, name
}

/// A row of the table `shared_limits`.
enum SharedLimitColumn: Int, RowColumn {
    case name, units
}

/// A row of the table `starts`.
enum StartColumn: Int, RowColumn {
    case epoch, incarnation, firstJob
}
