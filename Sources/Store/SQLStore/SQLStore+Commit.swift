@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// How many lines of an array one row holds.
    static let itemsPerRow = 256

    /// Stores all changes in one transaction, forced to the disk.
    ///
    /// - Complexity: O(changes), where a job counts with its entries and lines.
    public func commit(_ changes: [RecordChange]) throws(StoreError) {
        guard !changes.isEmpty else { return }
        var isCommitted = false
        // Facts about a job that was rolled back would be wrong for the next job with the same number.
        defer {
            if !isCommitted {
                entryStarts = nil
                for case .job(let job) in changes { jobsOfSingleRows.remove(job.number) }
            }
        }
        try transaction { statements throws(SQLError) in try self.write(changes, statements) }
        isCommitted = true
        if case .clock(let clock, at: let time)? = changes.last,
            case .clock(let first, at: _)? = changes.first(where: \.isClock)
        {
            if let step = shownTimes.step(at: clock, shownAs: time),
                lead?.isOutrun(at: time, after: .microseconds(step.length)) == true
            {
                lead = nil
            }
            shownTimes.note(from: first, to: clock, shownAs: time)
        }
        neededJobs.note(changes)
        histories.note(changes)
        if changes.contains(where: \.isLargeSubmission) { database?.giveBackMemory() }
    }

    /// Writes changes, within a transaction.
    private func write(_ changes: [RecordChange], _ statements: Statements) throws(SQLError) {
        let superseded = SupersededRecords(changes)
        let clock = changes.last(where: \.isClock)
        if case .clock(let clock, at: let time) = clock {
            clockOffset = time.rawValue &- clock.rawValue
            if let step = shownTimes.step(at: clock, shownAs: time) { try move(step, at: time, statements) }
        }
        var failures: [OperationRecord] = []
        var endedJobs: [Int] = []
        var totals: ClusterTotals?
        for (position, change) in changes.enumerated() {
            switch change {
            case .job(let job):
                try Self.insert(job, clockOffset: clockOffset, statements)
                jobsOfSingleRows.insert(job.number)
                nextTally.job = max(nextTally.job, UInt64(job.number.rawValue))
            case .addition(let addition):
                try Self.insert(addition, clockOffset: clockOffset, statements)
                entryStarts = nil
            case .jobClosed(let job):
                statements.jobs.closeJob.bind(.job, job.rawValue)
                try statements.jobs.closeJob.run()
            case .operation(let record):
                if superseded.contains(position) { continue }
                try write(record, statements)
                if record.outcome == .failed { failures.append(record) }
            case .attempt(let operation, let attempt):
                try Self.write(attempt, of: operation, statements)
            case .output(let operation, let output):
                try Self.write(output, of: operation, statements)
            case .result(let operation, let source):
                try Self.copyResult(of: source, to: operation, statements)
            case .files(let operation, let attempt, let files):
                try Self.write(files, ofAttempt: attempt, of: operation, statements)
            case .fetch(let operation, let attempt, let fetch):
                try Self.write(fetch, ofAttempt: attempt, of: operation, statements)
            case .jobFinished(let job, _, _, _, _) where statements.server != nil:
                // Rows that are gathered for a server stay together if no other statement comes between.
                endedJobs.append(position)
                jobsOfSingleRows.remove(job)
            case .jobFinished(let job, let counts, let time, let startedAt, let root):
                try finish(job, counts, startedAt: startedAt, at: time, root: root, statements)
                jobsOfSingleRows.remove(job)
            case .queue(let name, let queue):
                try Self.write(queue, named: name, statements)
            case .queueDeleted(let name):
                for spelling in Name.spellings(of: name) {
                    statements.cluster.deleteQueue.bind(.name, text: spelling)
                    try statements.cluster.deleteQueue.run()
                }
            case .totals(let later):
                // Only the last totals in a commit are written.
                if totals == nil { totals = later } else { totals?.update(to: later) }
            case .dependencies(let operation, let dependencies):
                try write(dependencies, of: operation, statements)
            case .commands(let operation, let commands):
                try Self.write(commands, of: operation, statements)
            case .hook(let hook):
                try Self.insert(hook, statements)
            case .hookDone(let operation, let end):
                try Self.endHook(of: operation, end, statements)
            case .worker(let name, let worker?):
                statements.cluster.insertWorker.bind(WorkerColumn.name, text: name)
                statements.cluster.insertWorker.bind(WorkerColumn.id, Int64(bitPattern: worker.id.rawValue))
                statements.cluster.insertWorker.bind(WorkerColumn.life, Int64(bitPattern: worker.life.rawValue))
                statements.cluster.insertWorker.bind(WorkerColumn.key, worker.keyNumber.map(Int64.init))
                try statements.cluster.insertWorker.run()
            case .worker(let name, nil):
                statements.cluster.deleteWorker.bind(.name, text: name)
                try statements.cluster.deleteWorker.run()
            case .drain(let id, let drain):
                try Self.write(drain, of: id, statements)
            case .pause(let operation, let pause):
                try Self.write(pause, of: operation, statements)
            case .schedule(let name, let schedule):
                try Self.write(schedule, named: name, statements)
            case .scheduleState(let name, let state):
                try Self.write(state, ofSchedule: name, statements)
            case .limit(let change):
                try Self.write(change, statements)
            case .missingAttempts(let job):
                statements.jobs.noteMissingAttempts.bind(.job, job.rawValue)
                try statements.jobs.noteMissingAttempts.run()
            case .event, .clock:
                // Stored together, below.
                break
            }
        }
        for position in endedJobs {
            guard case .jobFinished(let job, let counts, let time, let startedAt, let root) = changes[position] else {
                continue
            }
            try finish(job, counts, startedAt: startedAt, at: time, root: root, statements)
        }
        // The output of an operation may come after its end.
        try Self.noteFailures(failures, statements)
        if let totals { try Self.write(totals, statements) }
        if case .clock(let clock, _) = clock {
            statements.record.writeClock.bind(.clock, clock.inColumn)
            try statements.record.writeClock.run()
            nextTally.commits += 1
        } else {
            try count(statements)
        }
        try insertEvents(of: changes, statements)
    }

    /// The length in pages from which the write-ahead log is copied into the file.
    private static let longLog = 4096

    /// Copies a long write-ahead log into the file.
    ///
    /// - Complexity: O(data committed since the last copy).
    public func tidyUp() {
        // No part of a log that was cut may get into the file.
        guard case .file(let parts) = engine, let database = parts.database, database.logLength >= Self.longLog,
            (try? parts.checkFiles()) != nil
        else { return }
        database.copyLog()
    }

    private static func write(
        _ queue: QueueRecord,
        named name: String,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.cluster.writeQueue
        typealias Column = QueueColumn
        statement.bind(Column.name, text: name)
        statement.bind(Column.maxConcurrent, queue.settings.maxConcurrent.map(Int64.init))
        statement.bind(Column.qualityOfService, text: queue.settings.qualityOfService?.description)
        statement.bind(Column.isSuspended, queue.settings.isSuspended ? 1 : 0)
        statement.bind(Column.total, queue.settings.total.map(Int64.init))
        statement.bind(Column.completed, Int64(clamping: queue.completed))
        statement.bind(Column.rate, text: queue.settings.startRate?.description)
        try statement.run()
    }

    // MARK: Operations

    private func write(_ record: OperationRecord, _ statements: Statements) throws(SQLError) {
        if record.count > 1 { jobsOfSingleRows.remove(record.id.job) }
        if !jobsOfSingleRows.contains(record.id.job) { try Self.makeRoom(for: record, statements) }
        statements.operations.writeOperation.bind(record, clockOffset: clockOffset)
        try statements.operations.writeOperation.run()
    }

    /// Cuts the operations of a record out of other rows.
    ///
    /// Most records meet no row, or replace a row of the same extent.
    private static func makeRoom(for record: OperationRecord, _ statements: Statements) throws(SQLError) {
        let job = record.id.job.rawValue
        let first = record.id.index
        let last = record.lastIndex
        statements.operations.extentCovering.bind((.job, job), (.operation, last))
        let neighbour = try statements.operations.extentCovering.first { row throws(SQLError) in
            (first: try row.number(0, as: UInt32.self), last: try row.number(1, as: UInt32.self))
        }
        if let neighbour, neighbour.last >= first, neighbour != (first, last) {
            try makeRoom(job, first, last, statements)
        }
    }

    /// Cuts a range out of the overlapping rows, so that rows never overlap.
    private static func makeRoom(
        _ job: UInt32,
        _ first: UInt32,
        _ last: UInt32,
        _ statements: Statements
    ) throws(SQLError) {
        if first > 0 {
            statements.operations.extentCovering.bind((.job, job), (.operation, first - 1))
            let before = try statements.operations.extentCovering.first { row throws(SQLError) in
                (first: try row.number(0, as: UInt32.self), last: try row.number(1, as: UInt32.self))
            }
            if let before, before.last >= first {
                if before.last > last {
                    statements.operations.copyOperationTail.bind(
                        (.job, job),
                        (.first, before.first),
                        (.tail, Int64(last) + 1)
                    )
                    try statements.operations.copyOperationTail.run()
                }
                statements.operations.shortenOperation.bind((.job, job), (.first, before.first), (.last, first - 1))
                try statements.operations.shortenOperation.run()
            }
        }
        for statement in [statements.operations.deleteOperations, statements.operations.advanceOperation] {
            statement.bind((.job, job), (.first, first), (.last, last))
            try statement.run()
        }
    }

    /// Adds an attempt, and deletes the attempts of the operation beyond ``AttemptRecord/maximumCount``.
    private static func write(
        _ attempt: AttemptRecord,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        statements.operations.writeAttempt.bind(attempt, of: operation)
        try statements.operations.writeAttempt.run()
        // An operation has at most as many attempts as the last one's number says.
        guard attempt.attempt > AttemptRecord.maximumCount else { return }
        statements.operations.deleteAttempts.bind(operation)
        statements.operations.deleteAttempts.bind(.limit, AttemptRecord.maximumCount)
        try statements.operations.deleteAttempts.run()
    }

    private static func write(
        _ output: AttemptOutput,
        of operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        if let usage = output.usage { try write(usage, ofAttempt: output.attempt, of: operation, statements) }
        guard !output.isBlank else { return }
        let statement = statements.outputs.writeOutput
        typealias Column = OutputColumn
        statement.bind(Column.job, operation.job.rawValue)
        statement.bind(Column.operation, operation.index)
        statement.bind(Column.attempt, output.attempt)
        statement.bind(Column.stdoutLength, Int64(clamping: output.standardOutput.totalLength))
        statement.bind(Column.stdout, bytes: output.standardOutput.bytes)
        statement.bind(Column.stderrLength, Int64(clamping: output.standardError.totalLength))
        statement.bind(Column.stderr, bytes: output.standardError.bytes)
        statement.bind(Column.result, bytes: output.result)
        try statement.run()
    }

    /// Copies the result of an operation's last attempt: the job of the operation may be removed before the copy is used.
    private static func copyResult(
        of source: OperationID,
        to operation: OperationID,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.outputs.copyResult
        statement.bind(operation)
        statement.bind((.fromJob, source.job.rawValue), (.from, source.index))
        try statement.run()
    }

    // MARK: Jobs

    private func finish(
        _ job: JobNumber,
        _ counts: JobCounts,
        startedAt: Timestamp?,
        at time: Timestamp,
        root: OperationID?,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.jobs.finishJob
        typealias Column = JobEndColumn
        statement.bind(Column.job, job.rawValue)
        statement.bind(Column.startedAt, startedAt?.inColumn)
        statement.bind(Column.finishedAt, time.inColumn)
        statement.bind(Column.succeeded, counts.succeeded)
        statement.bind(Column.failed, counts.failed)
        statement.bind(Column.cancelled, counts.cancelled)
        statement.bind(Column.skipped, counts.skipped)
        statement.bind(Column.notNeeded, counts.notNeeded)
        statement.bind(Column.skippedAfterFailure, counts.skippedAfterFailure)
        statement.bind(Column.wasCancelled, counts.isCancelled ? 1 : 0)
        statement.bind(Column.root, text: root?.description)
        statement.bind(Column.finishedClock, time.inColumn(ofClockBehindBy: clockOffset))
        try statement.run()
        // A job finished twice still counts once; a server's statement counts by itself.
        guard statements.server == nil, try statement.changedRows == 1 else { return }
        for outcome in Outcome.allCases where counts[outcome] > 0 {
            statements.record.addToMeta.bind(.key, text: "finished_\(outcome)")
            statements.record.addToMeta.bind(.count, counts[outcome])
            try statements.record.addToMeta.run()
        }
        let skipped = [
            ("finished_not_needed", counts.notNeeded), ("finished_skipped_after_failure", counts.skippedAfterFailure),
        ]
        for (key, count) in skipped where count > 0 {
            statements.record.addToMeta.bind(.key, text: key)
            statements.record.addToMeta.bind(.count, count)
            try statements.record.addToMeta.run()
        }
    }

    private static func insert(
        _ job: JobRecord,
        clockOffset: Int64,
        _ statements: Statements
    ) throws(SQLError) {
        let submission = job.submission
        let number = job.number.rawValue
        let firstQueue = submission.entries.first.map(\.queue) ?? 0
        let statement = statements.jobs.insertJob
        typealias Column = NewJobColumn
        statement.bind(Column.job, number)
        statement.bind(Column.name, text: submission.name)
        statement.bind(Column.key, text: submission.key)
        statement.bind(
            Column.queue,
            text: submission.queueNames.indices.contains(firstQueue)
                ? submission.queueNames[firstQueue] : Submission.defaultQueue
        )
        statement.bind(Column.operations, submission.operationCount)
        statement.bind(Column.submittedAt, job.submittedAt.inColumn)
        statement.bind(Column.queueNames, text: JSONValue.strings(submission.queueNames).text)
        statement.bind(Column.queueChanges, text: JSONValue.array(submission.queueChanges.map(\.json)).text)
        statement.bind(Column.firstOrder, Int64(clamping: job.order))
        statement.bind(Column.retryOf, submission.retryOf.map { Int64($0.rawValue) })
        statement.bind(Column.keyDigest, submission.keyDigest.map { Int64(bitPattern: $0) })
        statement.bind(Column.submittedClock, job.submittedAt.inColumn(ofClockBehindBy: clockOffset))
        statement.bind(Column.submittedBy, text: job.submittedBy)
        statement.bind(Column.settings, text: submission.settings.recordText)
        statement.bind(Column.isOpen, submission.isOpen ? 1 : 0)
        try statement.run()
        try insertTags(of: job, statements)
        guard !job.areRowsStored else { return try endParts(of: job.number, statements) }
        try insert(submission.templates[...], of: job.number, from: 0, statements)
        try insert(submission.entries, of: job.number, EntryPlace(), statements)
    }

    /// Stores some templates of a submission.
    ///
    /// - Parameter base: the number of the job's earlier templates.
    static func insert(
        _ templates: ArraySlice<Template>,
        of job: JobNumber,
        from base: Int,
        _ statements: Statements
    ) throws(SQLError) {
        statements.entries.insertTemplate.bind(TemplateColumn.job, job.rawValue)
        for position in templates.indices {
            statements.entries.insertTemplate.bind(TemplateColumn.template, base + position)
            statements.entries.insertTemplate.bind(templates[position])
            try statements.entries.insertTemplate.run()
        }
    }

    /// Where entries have their place in a job; by default at its beginning.
    struct EntryPlace {
        /// The index of the first operation.
        var first: UInt32 = 0
        /// The position of the first template.
        var template = 0
        /// The positions of the queues in the job; nil if they are those of the submission.
        var queues: [Int]?
        /// The first operations of earlier entries that are targets of dependencies.
        var earlier: [UInt32] = []

        /// The index of the first operation of each entry; nil if there are more operations than an index can count.
        static func firsts(of entries: [Entry], from first: UInt32) -> [UInt32]? {
            var firsts: [UInt32] = []
            firsts.reserveCapacity(entries.count)
            var next = first
            for entry in entries {
                firsts.append(next)
                guard let count = UInt32(exactly: entry.count), count <= UInt32.max - next else { return nil }
                next += count
            }
            return firsts
        }
    }

    /// Stores entries of a job.
    static func insert(
        _ entries: [Entry],
        of job: JobNumber,
        _ place: EntryPlace,
        _ statements: Statements
    ) throws(SQLError) {
        guard let own = EntryPlace.firsts(of: entries, from: place.first) else {
            throw SQLError(.constraint, "job \(job) has more operations than an index can count")
        }
        let firsts = own + place.earlier
        try insert(entries[...], of: job, firsts, place, statements)
        try insertNames(of: entries, NameOrder.positions(of: entries)[...], of: job, firsts, statements)
    }

    /// Stores some entries of a submission, without their names.
    ///
    /// - Parameter firsts: the index of the first operation of each entry of the submission, and of ``EntryPlace/earlier``.
    static func insert(
        _ entries: ArraySlice<Entry>,
        of job: JobNumber,
        _ firsts: [UInt32],
        _ place: EntryPlace,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.entries.insertEntry
        typealias Column = EntryColumn
        statement.bind(Column.job, job.rawValue)
        var dependencies: [UInt8] = []
        for (entry, first) in zip(entries, firsts[entries.startIndex...]) {
            dependencies.removeAll(keepingCapacity: true)
            try DependencyText.write(entry.dependencies, firsts: firsts, to: &dependencies)
            statement.bind(Column.first, first)
            statement.bind(Column.count, entry.count)
            statement.bind(Column.name, text: entry.name)
            statement.bind(Column.template, place.template + entry.template)
            statement.bind(Column.queue, place.queues?[entry.queue] ?? entry.queue)
            let settings = entry.hasDefaultOptions ? nil : OptionText.text(of: Entry.options.settings(of: entry))
            statement.bind(Column.settings, text: settings)
            statement.bind(Column.isCancelled, entry.isCancelled ? 1 : 0)
            dependencies.withUnsafeBufferPointer { statement.bind(Column.dependencies, utf8: $0) }
            statement.bind(Column.arrayFirst, nil)
            statement.bind(Column.arrayStep, nil)
            switch entry.array {
            case .numbers(let start, let step, _):
                statement.bind(Column.array, text: "numbers")
                statement.bind(Column.arrayFirst, start)
                statement.bind(Column.arrayStep, step)
            case .lines(let lines):
                statement.bind(Column.array, text: "lines")
                try insert(lines, nil, of: job, first, statements)
            case .picked(let elements):
                statement.bind(Column.array, text: "picked")
                try insert(elements.map(\.item), elements.map(\.number), of: job, first, statements)
            case nil:
                statement.bind(Column.array, text: nil)
            }
            try statement.run()
        }
    }

    /// Stores some names of a submission's entries.
    ///
    /// - Parameters:
    ///   - positions: the positions of the entries, in the order of the names.
    ///   - firsts: the index of the first operation of each entry.
    static func insertNames(
        of entries: [Entry],
        _ positions: ArraySlice<Int32>,
        of job: JobNumber,
        _ firsts: [UInt32],
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.entries.insertEntryName
        statement.bind(EntryNameColumn.job, job.rawValue)
        for position in positions {
            statement.bind(EntryNameColumn.name, text: entries[Int(position)].name)
            statement.bind(EntryNameColumn.first, firsts[Int(position)])
            try statement.run()
        }
    }

    private static func insert(
        _ lines: [String],
        _ numbers: [Int64]?,
        of job: JobNumber,
        _ first: UInt32,
        _ statements: Statements
    ) throws(SQLError) {
        for position in stride(from: 0, to: lines.count, by: itemsPerRow) {
            let positions = position..<min(position + itemsPerRow, lines.count)
            statements.entries.insertItems.bind(ItemColumn.job, job.rawValue)
            statements.entries.insertItems.bind(ItemColumn.first, first)
            statements.entries.insertItems.bind(ItemColumn.position, position)
            statements.entries.insertItems.bind(ItemColumn.items, text: JSONValue.strings(lines[positions]).text)
            let picked = numbers.map { JSONValue.array($0[positions].map { .integer($0) }).text }
            statements.entries.insertItems.bind(ItemColumn.numbers, text: picked)
            try statements.entries.insertItems.run()
        }
    }
}

extension RecordChange {
    fileprivate var isClock: Bool {
        if case .clock = self { true } else { false }
    }

    /// Whether the change is a submission with so many pages that their memory is better returned than kept.
    fileprivate var isLargeSubmission: Bool {
        if case .job(let job) = self { job.submission.entries.count >= 100_000 } else { false }
    }
}
