@_spi(Baton) package import BatonOperations
@_spi(Baton) import BatonStore

/// What the record has to know: the last row of each key, by the changes that were committed.
///
/// A commit is a transaction. So after any end of the process, or of its host, the record has the rows of the last commit that
/// succeeded, or those of a later one whose success nobody was told.
package struct Ledger {
    /// What a row is about.
    package enum Key: Hashable {
        case job(JobNumber), end(JobNumber), missingAttempts(JobNumber), addition(JobNumber, UInt32)
        case operation(OperationID), attempts(OperationID), dependencies(OperationID), commands(OperationID)
        case hook(OperationID), output(OperationID, UInt32), usage(OperationID, UInt32)
        case files(OperationID)
        case queue(String), totals, worker(String), drain(WorkerID), pause(OperationID), schedule(String), clock, limit(
            String
        )
    }

    /// What a row says: a change that makes it, or the part of changes that questions answer with.
    package enum Row: Hashable {
        case change(RecordChange)
        case attempts([AttemptRecord])
        case addition(AddedPart)
        case usage(AttemptUsage)
    }

    /// The rows after some commit.
    package struct Rows {
        package var rows: [Key: Row] = [:]
        /// All events, also those that the record no longer keeps.
        package var events: [ClusterEvent] = []
        /// How far the time of day is ahead of the record's clock.
        var clockOffset = Duration.zero
        /// The first reading of the record's clock in the present run of the coordinator; nil before the first commit.
        var beginning: Timestamp?
    }

    package private(set) var committed = Rows()
    /// The batches that are not known to be committed, oldest first.
    private var pending: [[RecordChange]] = []
    /// How many pending batches each transaction since then had, whose success is unknown.
    private var attempted: Set<Int> = []

    /// Begins with an empty record.
    package init() {}

    /// Notes a batch that is to be committed.
    package mutating func begin(_ changes: [RecordChange]) { pending.append(changes) }

    /// Notes a transaction of all pending batches.
    ///
    /// - Parameter count: the number of batches that were committed; 0 for a failure.
    package mutating func noteTransaction(of count: Int) {
        guard count > 0 else {
            if !pending.isEmpty { attempted.insert(pending.count) }
            // A transaction ends where the host's clock was set.
            for place in pending.indices.dropFirst()
            where pending[place].last?.clockOffset != pending[place - 1].last?.clockOffset {
                attempted.insert(place)
            }
            return
        }
        for batch in pending[..<count] { committed.apply(batch) }
        pending.removeFirst(count)
        attempted = []
    }

    /// The keys of the rows that a record may have after the transactions so far, also those whose success is unknown.
    package var possibleKeys: Set<Key> {
        var latest = committed
        for batch in pending.prefix(attempted.max() ?? 0) { latest.apply(batch) }
        return Set(committed.rows.keys).union(latest.rows.keys)
    }

    /// Compares the record with the rows; what is not committed is lost from now on.
    ///
    /// - Returns: the differences; empty for a record that is as after one of the transactions.
    package mutating func check(_ found: Rows, keeping eventHistory: UInt64) -> [String] {
        var differences: [String] = []
        for count in [0] + attempted.sorted() {
            var expected = committed
            for batch in pending[..<count] { expected.apply(batch) }
            let different = expected.differences(from: found, keeping: eventHistory)
            if different.isEmpty {
                committed = expected
                differences = []
                break
            }
            if count == 0 { differences = different }
        }
        pending = []
        attempted = []
        committed.beginning = nil
        return differences
    }
}

extension Ledger.Rows {
    /// Carries out the changes of a batch.
    mutating func apply(_ changes: [RecordChange]) {
        for case .clock(let clock, at: let time) in changes {
            if let beginning { moveTimes(since: beginning, until: clock, by: time - clock - clockOffset) }
            beginning = beginning ?? clock
            clockOffset = time - clock
            rows[.clock] = .change(.clock(clock, at: clock))
        }
        for change in changes {
            switch change {
            case .job(var job):
                job.submittedAt = job.submittedAt + (.zero - clockOffset)
                // The rows that came in parts are those of a job that came as a whole.
                job.areRowsStored = false
                rows[.job(job.number)] = .change(.job(job))
            case .addition(let addition):
                update(addition.job) { $0.submission.append(addition, firsts: $0.submission.firsts) }
                var part = AddedPart(addition)
                part.addedAt = part.addedAt + (.zero - clockOffset)
                rows[.addition(addition.job, addition.first)] = .addition(part)
            case .jobClosed(let number):
                update(number) { $0.submission.isOpen = false }
            case .operation(var record):
                record.notBefore = record.notBefore.map { $0 + (.zero - clockOffset) }
                set(record)
            case .attempt(let operation, let attempt):
                var attempts: [AttemptRecord] = []
                if case .attempts(let earlier)? = rows[.attempts(operation)] { attempts = earlier }
                attempts.removeAll { $0.attempt == attempt.attempt }
                attempts.insert(attempt, at: attempts.firstIndex { $0.attempt > attempt.attempt } ?? attempts.count)
                rows[.attempts(operation)] = .attempts(attempts.suffix(AttemptRecord.maximumCount))
            case .output(let operation, var output):
                if let usage = output.usage { rows[.usage(operation, output.attempt)] = .usage(usage) }
                output.usage = nil
                if !output.isBlank {
                    rows[.output(operation, output.attempt)] = .change(.output(operation, output))
                }
            case .result(let operation, let source):
                if case .change(.operation(let record))? = rows[.operation(source)],
                    let result = self.result(of: source, upTo: record.attempt)
                {
                    let copy = AttemptOutput(
                        attempt: 0,
                        standardOutput: OutputTail(),
                        standardError: OutputTail(),
                        result: result
                    )
                    rows[.output(operation, 0)] = .change(.output(operation, copy))
                }
            case .files(let operation, let attempt, let files):
                let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
                let row = Ledger.Row.change(.files(operation, attempt: attempt, sorted))
                rows[.files(operation)] = sorted.isEmpty ? nil : row
            case .jobFinished(let job, _, _, _, _):
                if rows[.end(job)] == nil { rows[.end(job)] = .change(change) }
            case .queue(let name, _): rows[.queue(name)] = .change(change)
            case .queueDeleted(let name): rows[.queue(name)] = nil
            case .totals(let later):
                var totals = ClusterTotals()
                if case .change(.totals(let earlier))? = rows[.totals] { totals = earlier }
                totals.update(to: later)
                totals.dropped = []
                // Totals of nothing and no row are the same.
                rows[.totals] = totals == ClusterTotals() ? nil : .change(.totals(totals))
            case .dependencies(let operation, _): rows[.dependencies(operation)] = .change(change)
            case .commands(let operation, _): rows[.commands(operation)] = .change(change)
            case .hook(let hook):
                var stored = hook
                if case .change(.hook(let earlier))? = rows[.hook(hook.operation)] { stored = earlier }
                stored.isCancelled = hook.isCancelled
                rows[.hook(hook.operation)] = .change(.hook(stored))
            case .hookDone(let operation, _): rows[.hook(operation)] = nil
            case .worker(let name, let worker): rows[.worker(name)] = worker.map { _ in .change(change) }
            case .drain(let id, let drain): rows[.drain(id)] = drain.map { _ in .change(change) }
            case .pause(let id, let pause): rows[.pause(id)] = pause.map { _ in .change(change) }
            case .schedule(let name, let schedule): rows[.schedule(name)] = schedule.map { _ in .change(change) }
            case .scheduleState(let name, let state):
                if case .change(.schedule(_, var schedule?))? = rows[.schedule(name)] {
                    schedule.state = state
                    rows[.schedule(name)] = .change(.schedule(name, schedule))
                }
            case .limit(let limit): rows[.limit(limit.name)] = limit.units.map { _ in .change(change) }
            case .missingAttempts(let job): rows[.missingAttempts(job)] = .change(change)
            case .event(let event): events.append(event)
            // Only histories tell of fetches, which the tests of the record look at.
            case .fetch, .clock: break
            }
        }
    }

    /// The result of the last attempt up to a number that left one.
    private func result(of operation: OperationID, upTo attempt: UInt32) -> [UInt8]? {
        for attempt in stride(from: Int64(attempt), through: 0, by: -1) {
            if case .change(.output(_, let output))? = rows[.output(operation, UInt32(attempt))],
                let result = output.result
            {
                return result
            }
        }
        return nil
    }

    /// Moves what is shown of unfinished operations, of drains and of pauses when the host's clock was set.
    ///
    /// - Parameters:
    ///   - beginning: the beginning of the present run, by the record's clock.
    ///   - end: the present moment, by the record's clock.
    ///   - step: how much later times are shown.
    private mutating func moveTimes(since beginning: Timestamp, until end: Timestamp, by step: Duration) {
        guard step != .zero else { return }
        let (first, last) = (beginning + clockOffset, end + clockOffset)
        func moved(_ time: Timestamp?) -> Timestamp? {
            time.map { first <= $0 && $0 <= last ? $0 + step : $0 }
        }
        for (key, row) in rows {
            switch row {
            case .change(.operation(var record)) where record.finishedAt == nil:
                record.readyAt = moved(record.readyAt)
                record.startedAt = moved(record.startedAt)
                rows[key] = .change(.operation(record))
            case .change(.drain(let id, var drain?)):
                drain.since = moved(drain.since) ?? drain.since
                rows[key] = .change(.drain(id, drain))
            case .change(.pause(let id, var pause?)):
                pause.since = moved(pause.since) ?? pause.since
                rows[key] = .change(.pause(id, pause))
            default: break
            }
        }
    }

    /// Sets the rows of the operations of a record.
    mutating func set(_ record: OperationRecord) {
        for index in record.id.index...record.lastIndex {
            let single = record.single(at: index)
            rows[.operation(single.id)] = .change(.operation(single))
        }
    }

    private mutating func update(_ number: JobNumber, _ body: (inout JobRecord) -> Void) {
        guard case .change(.job(var job))? = rows[.job(number)] else { return }
        body(&job)
        rows[.job(number)] = .change(.job(job))
    }

    /// The rows that the other ones have otherwise, and the events.
    func differences(from found: Ledger.Rows, keeping eventHistory: UInt64) -> [String] {
        var differences: [String] = []
        for (key, row) in rows where found.rows[key] != row {
            let other = found.rows[key].map { "\($0)" } ?? "nothing"
            differences.append("the record says of \(key): \(other), should be \(row)")
        }
        for key in found.rows.keys where rows[key] == nil {
            differences.append("the record knows \(key), which nobody committed")
        }
        if !found.events.elementsEqual(events.suffix(found.events.count))
            || found.events.count < min(Int(eventHistory), events.count)
        {
            differences.append("the record has \(found.events.count) of the last events, or others")
        }
        return differences.sorted()
    }
}

extension Submission {
    /// The index of the first operation of each entry.
    var firsts: [UInt32] {
        var next: UInt32 = 0
        return entries.map { entry in
            defer { next += UInt32(entry.count) }
            return next
        }
    }
}
