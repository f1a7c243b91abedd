@_spi(Baton) import BatonOperations
@_spi(Baton) package import BatonStore

extension Ledger.Rows {
    /// Reads the rows of a record.
    ///
    /// The rows of attempts and their outputs take a question each: those of other keys than the given ones are not found.
    package init(
        _ store: SQLStore,
        _ state: StoredState,
        expecting keys: Set<Ledger.Key>
    ) throws(StoreError) {
        for job in try store.jobs(before: nil, limit: .max) { try read(job, from: store) }
        for key in keys {
            switch key {
            case .attempts(let operation):
                let attempts = try store.attempts(of: operation)
                if !attempts.isEmpty { rows[key] = .attempts(attempts) }
            case .output(let operation, let attempt):
                let output = try store.output(of: operation, attempt: attempt)
                rows[key] = output.map { .change(.output(operation, $0)) }
            case .usage(let operation, let attempt):
                rows[key] = try store.usages(of: operation)[attempt].map { .usage($0) }
            default: break
            }
        }
        for (name, queue) in state.queues { rows[.queue(name)] = .change(.queue(name, queue)) }
        for hook in state.hooks { rows[.hook(hook.operation)] = .change(.hook(hook)) }
        for (name, worker) in state.workers { rows[.worker(name)] = .change(.worker(name, worker)) }
        for (id, drain) in state.drains { rows[.drain(id)] = .change(.drain(id, drain)) }
        for (id, pause) in state.pauses { rows[.pause(id)] = .change(.pause(id, pause)) }
        for (name, schedule) in state.schedules { rows[.schedule(name)] = .change(.schedule(name, schedule)) }
        for (name, units) in state.limits {
            rows[.limit(name)] = .change(.limit(LimitChange(name, units: UInt32(clamping: units))))
        }
        if state.totals != ClusterTotals() { rows[.totals] = .change(.totals(state.totals)) }
        if let clock = state.clock { rows[.clock] = .change(.clock(clock, at: clock)) }
        events = try store.events(after: 0, limit: .max)
    }

    private mutating func read(_ summary: JobSummary, from store: SQLStore) throws(StoreError) {
        let number = summary.number
        guard let restored = try store.restoredJob(number) else { return }
        rows[.job(number)] = .change(.job(restored.job))
        for record in restored.records { set(record) }
        for (index, dependencies) in restored.dependencies {
            let id = OperationID(job: number, index: index)
            rows[.dependencies(id)] = .change(.dependencies(id, dependencies))
        }
        for (index, commands) in restored.commands {
            let id = OperationID(job: number, index: index)
            rows[.commands(id)] = .change(.commands(id, commands))
        }
        for source in restored.files {
            let change = RecordChange.files(source.operation, attempt: source.attempt, source.files)
            rows[.files(source.operation)] = .change(change)
        }
        for addition in restored.additions { rows[.addition(number, addition.first)] = .addition(addition) }
        if restored.mayMissAttempts { rows[.missingAttempts(number)] = .change(.missingAttempts(number)) }
        guard let end = summary.finishedAt, let counts = summary.counts else { return }
        rows[.end(number)] = .change(
            .jobFinished(number, counts, end, startedAt: summary.startedAt, root: summary.root)
        )
    }
}

extension Ledger {
    /// Checks a record that a process has just opened, or that nobody writes to.
    ///
    /// - Returns: what is wrong.
    package mutating func check(_ store: SQLStore, _ state: StoredState) -> [String] {
        do throws(StoreError) {
            let differences = check(
                try Rows(store, state, expecting: possibleKeys),
                keeping: store.eventHistory
            )
            guard differences.isEmpty else { return Array(differences.prefix(3)) }
            return try wrongAnswers(of: store, state)
        } catch {
            return ["the record could not be read: \(error)"]
        }
    }

    /// What is wrong in the answers that the record finds by other rows than those of the changes: sums, indices and groups.
    private func wrongAnswers(of store: SQLStore, _ state: StoredState) throws(StoreError) -> [String] {
        var wrong: [String] = []
        var ended: [JobNumber: JobCounts] = [:]
        var failed: [JobNumber: [UInt32]] = [:]
        for row in committed.rows.values {
            switch row {
            case .change(.jobFinished(let job, let counts, _, _, _)): ended[job] = counts
            case .change(.operation(let record)) where record.outcome == .failed:
                failed[record.id.job, default: []].append(record.id.index)
            default: break
            }
        }
        var counted = ended.values.reduce(into: JobCounts()) { $0 += $1 }
        // The fact that one of the jobs was cancelled is no number.
        counted.isCancelled = false
        if state.finished != counted {
            wrong.append("the record counts the ends \(state.finished) of finished jobs, whose ends are \(ended)")
        }
        if state.nextEvent != (committed.events.last.map { $0.sequence + $0.count } ?? 1) {
            wrong.append("the next event is \(state.nextEvent)")
        }
        for case .change(.job(let job)) in committed.rows.values {
            let number = job.number
            if state.jobs.contains(where: { $0.job.number == number }) != (ended[number] == nil) {
                wrong.append("job \(number) is not among the unfinished jobs, or is finished")
            }
            if let key = job.submission.key, try store.job(withKey: key)?.number != number {
                wrong.append("job \(number) is not found by its key")
            }
            let tags = job.submission.settings.tags
            // A retry has the tags of its job.
            if !tags.isEmpty,
                try !store.jobs(tagged: tags, before: nil, limit: 99).jobs.contains(where: { $0.number == number })
            {
                wrong.append("job \(number) is not found by its tags")
            }
            if let retried = job.submission.retryOf, try !store.retries(of: retried).contains(number) {
                wrong.append("job \(number) is not among the retries of job \(retried)")
            }
            for (entry, first) in zip(job.submission.entries, job.submission.firsts) {
                guard let name = entry.name else { continue }
                if try store.operations(named: name, in: number) != first..<first + UInt32(entry.count) {
                    wrong.append("operation \(first) of job \(number) is not found by its name")
                }
            }
            let failures = try store.failures(of: number, from: 0, limit: .max)
            if failures != failed[number, default: []].sorted() {
                wrong.append("the failures of job \(number) are \(failures), should be \(failed[number, default: []])")
            } else if try store.failureGroups(of: number).reduce(0, { $0 + $1.count }) != failures.count {
                wrong.append("the groups of the failures of job \(number) have others")
            }
        }
        return Array(wrong.sorted().prefix(3))
    }
}
