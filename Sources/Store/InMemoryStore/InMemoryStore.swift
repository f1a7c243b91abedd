@_spi(Baton) package import BatonOperations

/// A record with the lifetime of the object: for tests, and for work that need not be kept.
///
/// A closed record may be opened again, and then stands for a restarted coordinator.
package final class InMemoryStore: Store {
    private var epoch: UInt32 = 0
    private var starts: [UInt32: CoordinatorStart] = [:]
    private var queues: [String: QueueRecord] = [:]
    private var totals = ClusterTotals()
    /// The pending hooks, with their places in the order of arrival.
    private var hooks: [OperationID: (place: Int, hook: CompletionHook)] = [:]
    private var nextHook = 0
    private var workers: [String: WorkerRecord] = [:]
    private var drains: [WorkerID: DrainRecord] = [:]
    private var events: [ClusterEvent] = []
    private(set) var jobs: [JobNumber: StoredJob] = [:]
    private var numbersByKey: [String: JobNumber] = [:]
    /// The finished jobs that have to stay.
    private var neededJobs = NeededJobs()
    /// The outcomes of the operations of removed jobs.
    private var removedCounts = JobCounts()
    private var newestRemovedJob: UInt32 = 0
    /// The reading of the record's own clock, and how far the time of day is ahead of the clock.
    private var clock: Timestamp?
    private var clockOffset = Duration.zero

    /// How many events are kept at least, from 1; at most twice as many.
    package let eventHistory: UInt64

    /// Makes an empty record.
    ///
    /// - Parameter eventHistory: how many events are kept at least, from 1; an event about many operations counts as one.
    package init(eventHistory: UInt64 = 1_000_000) {
        // The last event determines the number of the next.
        self.eventHistory = max(1, eventHistory)
    }

    /// Returns an independent record with the same content, like a backup.
    package func copy() -> InMemoryStore {
        let copy = InMemoryStore(eventHistory: eventHistory)
        copy.epoch = epoch
        copy.starts = starts
        copy.queues = queues
        copy.totals = totals
        copy.hooks = hooks
        copy.nextHook = nextHook
        copy.workers = workers
        copy.drains = drains
        copy.events = events
        copy.jobs = jobs
        copy.numbersByKey = numbersByKey
        copy.neededJobs = neededJobs
        copy.removedCounts = removedCounts
        copy.newestRemovedJob = newestRemovedJob
        copy.clock = clock
        copy.clockOffset = clockOffset
        return copy
    }

    /// Raises the epoch and lists the unfinished jobs.
    package func open(as incarnation: Incarnation) throws(StoreError) -> StoredState {
        epoch += 1
        let numbers = jobs.keys.sorted()
        let last = max(numbers.last?.rawValue ?? 0, newestRemovedJob)
        starts[epoch] = CoordinatorStart(incarnation, firstJob: JobNumber(last + 1))
        var state = StoredState(epoch: epoch, nextJob: JobNumber(last + 1), queues: queues, finished: removedCounts)
        for number in numbers {
            guard let job = jobs[number] else { continue }
            if let counts = job.counts {
                state.finished += counts
            } else {
                var restored = job.restored
                restored.job.submittedAt = job.submittedClock
                state.jobs.append(restored)
            }
        }
        for address in state.jobs.existingDependencies {
            state.dependencyEnds[address] = try dependencyEnd(of: address)
        }
        state.totals = totals
        state.hooks = hooks.values.sorted { $0.place < $1.place }.map(\.hook)
        state.workers = workers
        state.drains = drains
        state.starts = starts
        state.nextEvent = (events.last?.last ?? 0) + 1
        state.clock = clock
        neededJobs = NeededJobs(state.jobs)
        return state
    }

    /// Does nothing: nothing waits.
    package func tidyUp() {}

    /// Returns nil: the record has one thread.
    package func makeReader() throws(StoreError) -> sending (any RecordReader)? { nil }

    /// Runs the body: nothing changes meanwhile.
    package func atOneMoment(_ body: () -> Void) { body() }

    /// Applies the changes.
    package func commit(_ changes: [RecordChange]) throws(StoreError) {
        for case .clock(let clock, at: let time) in changes {
            self.clock = clock
            clockOffset = time - clock
        }
        for change in changes {
            switch change {
            case .job(let job):
                var firsts: [UInt32] = []
                var next: UInt32 = 0
                for entry in job.submission.entries {
                    firsts.append(next)
                    next += UInt32(entry.count)
                }
                let submitted = job.submittedAt + (.zero - clockOffset)
                jobs[job.number] = StoredJob(job: job, firsts: firsts, count: next, submittedClock: submitted)
                if let key = job.submission.key { numbersByKey[key] = job.number }
            case .addition(let addition):
                jobs[addition.job]?.append(addition, clockOffset: clockOffset)
            case .jobClosed(let number):
                jobs[number]?.job.submission.isOpen = false
            case .operation(let record):
                var kept = record
                kept.notBefore = record.notBefore.map { $0 + (.zero - clockOffset) }
                jobs[record.id.job]?.records.set(kept)
            case .attempt(let operation, let attempt):
                var attempts = jobs[operation.job]?.attempts[operation.index] ?? []
                attempts.removeAll { $0.attempt == attempt.attempt }
                attempts.insert(attempt, at: attempts.firstIndex { $0.attempt > attempt.attempt } ?? attempts.count)
                jobs[operation.job]?.attempts[operation.index] = attempts.suffix(AttemptRecord.maximumCount)
            case .output(let operation, let output):
                if let usage = output.usage {
                    jobs[operation.job]?.usages[operation.index, default: [:]][output.attempt] = usage
                }
                guard !output.isBlank else { continue }
                var output = output
                output.usage = nil
                jobs[operation.job]?.outputs[operation.index, default: []].removeAll { $0.attempt == output.attempt }
                jobs[operation.job]?.outputs[operation.index, default: []].append(output)
            case .jobFinished(let number, let counts, let time, let startedAt, let root):
                guard jobs[number]?.finishedAt == nil else { continue }
                jobs[number]?.startedAt = startedAt
                jobs[number]?.finishedAt = time
                jobs[number]?.finishedClock = time + (.zero - clockOffset)
                jobs[number]?.counts = counts
                jobs[number]?.root = root
            case .queue(let name, let queue):
                queues[name] = queue
            case .queueDeleted(let name):
                queues[name] = nil
            case .totals(let later):
                totals.update(to: later)
                totals.dropped = []
            case .dependencies(let operation, let dependencies):
                jobs[operation.job]?.dependencies[operation.index] = dependencies
            case .commands(let operation, let commands):
                jobs[operation.job]?.commands[operation.index] = commands
            case .hook(let hook):
                guard hooks[hook.operation] == nil else { continue }
                hooks[hook.operation] = (nextHook, hook)
                nextHook += 1
            case .hookDone(let operation):
                hooks[operation] = nil
            case .worker(let name, let worker):
                workers[name] = worker
            case .drain(let id, let drain):
                drains[id] = drain
            case .missingAttempts(let number):
                jobs[number]?.mayMissAttempts = true
            case .event(let event):
                events.append(event)
                let excess = UInt64(events.count) - min(eventHistory, UInt64(events.count))
                // Removes many at once, so that each removal costs little.
                if excess >= eventHistory { events.removeFirst(Int(excess)) }
            case .clock:
                // Applied first, above.
                break
            }
        }
        neededJobs.note(changes)
    }

    /// Removes one finished job.
    ///
    /// - Complexity: O(jobs · log jobs).
    package func removeFinished(
        beyond retention: Retention,
        except pinned: Set<JobNumber>,
        at now: Timestamp
    ) throws(StoreError) -> Bool {
        let finished = jobs.compactMap { number, job in job.finishedClock.map { (job: number, time: $0) } }
            .sorted { ($0.time, $0.job) < ($1.time, $1.job) }
        let kept = jobs.values.reduce(0) { $0 + ($1.counts?.finished ?? 0) }
        let jobsWithHooks = Set(hooks.keys.map(\.job))
        let found = finished.first { job, time in
            retention.isExceeded(
                byJobOf: time,
                keptOperations: kept,
                isNewest: job == finished.last?.job,
                at: now
            ) && !pinned.contains(job) && !neededJobs.contains(job) && !jobsWithHooks.contains(job)
        }
        guard let number = found?.job else { return false }
        remove(number)
        return true
    }

    /// Removes finished jobs at somebody's request.
    package func remove(_ requested: Set<JobNumber>, except used: Set<JobNumber>) throws(StoreError) -> JobRemoval {
        for number in requested.sorted() {
            guard let job = jobs[number] else { return .missing(number) }
            guard job.finishedAt != nil else { return .unfinished(number) }
            guard !used.contains(number), !neededJobs.contains(number) else { return .needed(number) }
            guard !hooks.keys.contains(where: { $0.job == number }) else { return .hasHooks(number) }
        }
        for number in requested { remove(number) }
        return .removed
    }

    private func remove(_ number: JobNumber) {
        guard let job = jobs.removeValue(forKey: number) else { return }
        if let counts = job.counts { removedCounts += counts }
        newestRemovedJob = max(newestRemovedJob, number.rawValue)
        if let key = job.job.submission.key { numbersByKey[key] = nil }
    }

    /// Returns a job as a whole.
    package func restoredJob(_ number: JobNumber) throws(StoreError) -> RestoredJob? { jobs[number]?.restored }

    /// Returns a job with what a retry needs.
    package func jobToRetry(_ number: JobNumber) throws(StoreError) -> JobToRetry? {
        jobs[number].map { JobToRetry($0.restored) }
    }

    /// Returns a job with the data about its operations; nil for a missing job.
    func storedJob(_ number: JobNumber) -> StoredJob? { jobs[number] }

    /// Lists the events after a number.
    package func events(after number: UInt64, limit: Int) throws(StoreError) -> [ClusterEvent] {
        var low = 0
        var high = events.count
        while low < high {
            let middle = (low + high) / 2
            if events[middle].last <= number { low = middle + 1 } else { high = middle }
        }
        var numbers: UInt64 = 0
        return Array(
            events[low...].prefix { event in
                defer { numbers += event.count }
                return numbers < UInt64(max(0, limit))
            }
        )
    }

    /// Looks a job up by its key.
    package func job(withKey key: String) throws(StoreError) -> JobSummary? {
        numbersByKey[key].flatMap { jobs[$0]?.summary }
    }

    /// Looks a job up by its number.
    package func job(_ number: JobNumber) throws(StoreError) -> JobSummary? {
        jobs[number]?.summary
    }

    /// Lists a page of jobs.
    package func jobs(before: JobNumber?, limit: Int) throws(StoreError) -> [JobSummary] {
        let numbers = jobs.keys.filter { number in before.map { number < $0 } ?? true }.sorted(by: >)
        return numbers.prefix(max(0, limit)).compactMap { jobs[$0]?.summary }
    }

    /// Lists the jobs with some tags.
    package func jobs(
        tagged tags: [String: String],
        before: JobNumber?,
        limit: Int
    ) throws(StoreError) -> TaggedJobs {
        let numbers = jobs.keys.filter { number in before.map { number < $0 } ?? true }.sorted(by: >)
        let tagged = numbers.compactMap { jobs[$0]?.summary }.filter { job in
            !tags.isEmpty && tags.allSatisfy { job.settings.tags[$0.key] == $0.value }
        }
        var found = TaggedJobs()
        found.jobs = Array(tagged.prefix(max(0, limit)))
        found.next = found.jobs.count < tagged.count ? found.jobs.last?.number : nil
        found.steps = found.jobs.count
        return found
    }

    /// A record in memory has no files.
    package func size() throws(StoreError) -> RecordSize? { nil }

    /// Lists the queues of a job.
    package func queues(of job: JobNumber) throws(StoreError) -> [String] { jobs[job]?.job.submission.queueNames ?? [] }

    /// Lists the retries of a job.
    package func retries(of job: JobNumber) throws(StoreError) -> [JobNumber] {
        jobs.values.filter { $0.job.submission.retryOf == job }.map(\.job.number).sorted()
    }

    /// Lists a page of a job's operations.
    package func operations(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [StoredOperation] {
        guard let stored = jobs[job] else { return [] }
        let end = min(UInt64(stored.count), UInt64(index) + UInt64(max(0, limit)))
        guard UInt64(index) < end else { return [] }
        return (index..<UInt32(end)).map { stored.operation(at: $0) }
    }

    /// Counts the operations of a queue that were finished at a moment or later.
    ///
    /// - Complexity: O(operations).
    package func counts(ofQueue queue: String, finishedSince moment: RecordMoment) throws(StoreError) -> JobCounts {
        var counts = JobCounts()
        let earliest = moment.earliestTime(clockOffset: clockOffset)
        for job in jobs.values where job.finishedClock ?? moment.clock >= moment.earliestClock {
            let submission = job.job.submission
            for record in job.records.records {
                guard let end = record.finishedAt, end >= earliest, record.outcome != nil,
                    let entry = job.entry(of: record.id.index),
                    submission.queueNames[submission.entries[entry].queue] == queue
                else { continue }
                counts.add(Int(record.count), of: record)
            }
        }
        return counts
    }

    /// Looks an operation, or an array, up by its name.
    package func operations(named name: String, in job: JobNumber) throws(StoreError) -> Range<UInt32>? {
        guard let stored = jobs[job], let entry = stored.entry(named: name) else { return nil }
        return stored.range(of: entry)
    }

    /// Lists names.
    package func names(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [NamedOperations] {
        guard let stored = jobs[job] else { return [] }
        let entries = stored.job.submission.entries
        let named = entries.indices.lazy.filter { stored.range(of: $0).upperBound > index }.compactMap { entry in
            entries[entry].name.map { NamedOperations(name: $0, operations: stored.range(of: entry)) }
        }
        return Array(named.prefix(max(0, limit)))
    }

    /// Returns the end of a finished operation or job.
    package func dependencyEnd(of address: Address) throws(StoreError) -> DependencyEnd? {
        switch address {
        // No dependency is on a range.
        case .operations: return nil
        case .job(let number):
            guard let job = jobs[number], let ending = job.summary.ending else { return nil }
            return DependencyEnd(ending, hasResult: job.records.records.contains { $0.hasResult })
        case .operation(let id): return jobs[id.job]?.records.record(at: id.index)?.dependencyEnd
        case .named(let job, let name):
            guard let range = try operations(named: name, in: job) else { return nil }
            let records = range.compactMap { jobs[job]?.records.record(at: $0) }
            guard range.count != 1 else { return records.first?.dependencyEnd }
            return DependencyEnd(
                ofArray: range.count,
                Dictionary(records.compactMap(\.dependencyEnd).map { ($0, 1) }, uniquingKeysWith: +)
            )
        }
    }

    /// Lists the earlier attempts of an operation.
    package func attempts(of operation: OperationID) throws(StoreError) -> [AttemptRecord] {
        jobs[operation.job]?.attempts[operation.index] ?? []
    }

    /// Counts the jobs below a number.
    package func jobCount(before: JobNumber) throws(StoreError) -> Int { jobs.keys.count { $0 < before } }

    /// Finds the dependencies with results.
    package func dependenciesWithResults(of operation: OperationID) throws(StoreError) -> [ResultSource] {
        guard let dependent = jobs[operation.job], dependent.entry(of: operation.index) != nil else { return [] }
        let dependencies = dependent.operation(at: operation.index).dependencies
        let wholeJobs = dependencies.compactMap { dependency -> InputNames.Source? in
            guard case .job(let number) = dependency.target, let job = jobs[number] else { return nil }
            let operations = UInt32(job.job.submission.operationCount)
            return operations == 0 ? nil : InputNames.Source(job: number, range: 0...(operations - 1))
        }
        let sources = dependencies.compactMap(inputSource) + wholeJobs
        var names = InputNames(job: operation.job, sources: sources)
        var results: [ResultSource] = []
        var seen: Set<OperationID> = []
        for source in sources {
            guard let target = jobs[source.job] else { continue }
            for index in source.range where target.records.record(at: index)?.hasResult == true {
                let id = OperationID(job: source.job, index: index)
                guard let element = target.element(at: index), seen.insert(id).inserted else { continue }
                results.append(names.name(id, element, of: source))
            }
        }
        return results
    }

    /// Lists the finished dependencies.
    package func finishedDependencies(of operation: OperationID) throws(StoreError) -> [FinishedDependency] {
        guard let dependent = jobs[operation.job], dependent.entry(of: operation.index) != nil else { return [] }
        var finished: [FinishedDependency] = []
        var seen: Set<OperationID> = []
        for dependency in dependent.operation(at: operation.index).dependencies {
            guard let target = jobs[dependency.target.job] else { continue }
            let whole = 0..<UInt32(target.job.submission.operationCount)
            for index in inputSource(dependency).map({ Range($0.range) }) ?? whole {
                let id = OperationID(job: target.job.number, index: index)
                guard let record = target.records.record(at: index), let outcome = record.outcome,
                    let element = target.element(at: index), seen.insert(id).inserted
                else { continue }
                finished.append(
                    FinishedDependency(
                        operation: id,
                        name: element.fullName,
                        type: target.type(at: index),
                        outcome: outcome,
                        hasResult: record.hasResult
                    )
                )
            }
        }
        return finished
    }

    /// Looks an addition up by its key.
    package func addition(to job: JobNumber, withKey key: String) throws(StoreError) -> AddedPart? {
        jobs[job]?.additions.first { $0.key == key }
    }

    /// Finds the queue of an operation.
    package func queue(of operation: OperationID) throws(StoreError) -> QueueMembers? {
        guard let job = jobs[operation.job], let entry = job.entry(of: operation.index) else { return nil }
        let submission = job.job.submission
        return QueueMembers(
            queue: submission.queueNames[submission.entries[entry].queue],
            range: ClosedRange(job.range(of: entry))
        )
    }

    /// Returns the operations and the name that a dependency covers; nil for a dependency on a whole job.
    func inputSource(_ dependency: StoredDependency) -> InputNames.Source? {
        guard let job = jobs[dependency.target.job] else { return nil }
        let range: Range<UInt32>
        switch dependency.target {
        case .job, .operations: return nil
        case .operation(let id): range = id.index..<id.index + max(1, dependency.count)
        case .named(_, let name):
            guard let entry = job.entry(named: name), !job.range(of: entry).isEmpty else { return nil }
            range = job.range(of: entry)
        }
        let element = job.element(at: range.lowerBound)
        let name = range.count == 1 ? element?.fullName : element?.name
        return InputNames.Source(job: dependency.target.job, range: ClosedRange(range), name: name)
    }

    /// Keeps everything for the next ``open()``.
    package func close() {}
}

extension ClusterEvent {
    /// The last number of the event.
    fileprivate var last: UInt64 { sequence + count - 1 }
}
