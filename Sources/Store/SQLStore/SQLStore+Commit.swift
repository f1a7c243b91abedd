@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
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
