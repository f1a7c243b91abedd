@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// The contents of a store, in dictionaries.
struct TestRecord {
    var jobs: [JobNumber: JobRecord] = [:]
    var operations: [OperationID: OperationRecord] = [:]
    /// The earlier attempts of operations, in the order of their ends.
    private(set) var attempts: [OperationID: [AttemptRecord]] = [:]
    var dependencies: [OperationID: [Dependency]] = [:]
    var commands: [OperationID: [[String]]] = [:]
    var finished: [JobNumber: JobCounts] = [:]
    /// The operations that made jobs fail or be cancelled.
    var roots: [JobNumber: OperationID] = [:]
    /// When jobs finished.
    private var jobEnds: [JobNumber: Timestamp] = [:]
    /// The first starts of the finished jobs.
    var jobStarts: [JobNumber: Timestamp] = [:]
    var queues: [String: QueueRecord] = [:]
    /// The totals that the scheduler passed on.
    private(set) var totals = ClusterTotals()
    /// What the totals of the queues and jobs have to be by all other changes.
    private var expectedTotals = ClusterTotals()
    /// The hooks that have not run, oldest first.
    var hooks: [CompletionHook] = []
    /// The hooks whose end a user asked for: a worker may not have started them.
    private(set) var cancelledHooks: Set<OperationID> = []
    /// What was added to jobs after their submission.
    private(set) var additions: [JobNumber: [AddedPart]] = [:]
    /// The workers that have a session.
    private(set) var sessions: [String: WorkerRecord] = [:]
    /// The workers that are to get nothing new.
    private(set) var drains: [WorkerID: DrainRecord] = [:]
    /// The executing operations that are paused.
    private(set) var pauses: [OperationID: PauseRecord] = [:]
    /// The limits that several queues share, with their units.
    private(set) var limits: [String: Int] = [:]
    /// The files of operations, with the attempts that made them.
    private(set) var files: [OperationID: FileSource] = [:]
    /// What was fetched for attempts, by operation and attempt.
    private(set) var fetches: [OperationID: [UInt32: FetchRecord]] = [:]
    /// The jobs whose attempts may be missing.
    private(set) var jobsMissingAttempts: Set<JobNumber> = []
    /// The known incarnations of past and future coordinators of the record, by epoch.
    var incarnations: [UInt32: Incarnation] = [:]
    /// The starts of coordinators, by epoch.
    private(set) var starts: [UInt32: CoordinatorStart] = [:]
    var events = EventLog()
    /// All changes, in order.
    var changes: [RecordChange] = []
    /// The number of changes after each event with changes.
    private(set) var commits: [Int] = []

    /// Commits the changes of one event; the disk gets all or none of them.
    mutating func commit(_ changes: [RecordChange]) {
        guard !changes.isEmpty else { return }
        // A batch has at most the changes of one event, so that its totals list each queue whose operations end in it.
        for case .totals(let later) in changes {
            for name in later.dropped { expectedTotals.queues[name] = nil }
            for name in later.queues.keys where expectedTotals.queues[name] == nil {
                expectedTotals.queues[name] = EndCounts()
            }
        }
        for change in changes { commit(change) }
        self.changes += changes
        commits.append(self.changes.count)
    }

    private mutating func commit(_ change: RecordChange) {
        switch change {
        case .job(let job):
            jobs[job.number] = job
        case .addition(let addition):
            add(addition)
        case .jobClosed(let job):
            jobs[job]?.submission.isOpen = false
        case .operation(let record):
            for offset in 0..<record.count {
                var one = record
                one.id = OperationID(job: record.id.job, index: record.id.index + offset)
                one.count = 1
                if record.rootsFollow { one.skippedFor = record.skippedFor?.after(offset) }
                one.rootsFollow = false
                one.priorityChange?.order += UInt64(offset)
                countEnd(of: one)
                operations[one.id] = one
            }
        case .attempt(let id, let attempt):
            attempts[id, default: []].append(attempt)
        case .dependencies(let id, let dependencies):
            self.dependencies[id] = dependencies
        case .commands(let id, let commands):
            self.commands[id] = commands
        case .jobFinished(let job, let counts, let time, let startedAt, let root):
            if finished[job] == nil { expectedTotals.jobs[counts.outcome ?? .failed] += 1 }
            finished[job] = counts
            jobEnds[job] = time
            jobStarts[job] = startedAt
            roots[job] = root
        case .queue(let name, let record):
            queues[name] = record
        case .queueDeleted(let name):
            queues[name] = nil
        case .totals(let later):
            totals.update(to: later)
            totals.dropped = []
        case .hook(let hook):
            if let place = hooks.firstIndex(where: { $0.operation == hook.operation }) {
                hooks[place].isCancelled = hook.isCancelled
            } else {
                hooks.append(hook)
            }
        case .hookDone(let id, let end):
            if end.reason?.code == .cancelled { cancelledHooks.insert(id) }
            hooks.removeAll { $0.operation == id }
        case .worker(let name, let worker):
            sessions[name] = worker
        case .drain(let id, let drain):
            drains[id] = drain
        case .pause(let id, let pause):
            pauses[id] = pause
        case .limit(let change):
            limits[change.name] = change.units.map { Int($0) }
        case .missingAttempts(let job):
            jobsMissingAttempts.insert(job)
        case .event(let event):
            events.take(event)
        case .files(let id, let attempt, let kept):
            files[id] = FileSource(operation: id, attempt: attempt, files: kept, copies: copies(of: id))
        case .fetch(let id, let attempt, let fetch):
            fetches[id, default: [:]][attempt] = fetch
        case .output, .result, .clock, .schedule, .scheduleState:
            break
        }
    }

    /// How many workers are to keep the files of an operation.
    private func copies(of id: OperationID) -> Int {
        guard let submission = jobs[id.job]?.submission else { return 1 }
        var first = 0
        for entry in submission.entries {
            first += entry.count
            if Int(id.index) < first { return submission.templates[entry.template].work.copies }
        }
        return 1
    }

    /// Counts the first record with the end of an operation.
    private mutating func countEnd(of record: OperationRecord) {
        guard let outcome = record.outcome, operations[record.id]?.outcome == nil, let queue = queue(of: record.id)
        else { return }
        if expectedTotals.queues[queue] == nil {
            expectedTotals.others[outcome] += 1
        } else {
            expectedTotals.queues[queue]?[outcome] += 1
        }
    }

    /// What is wrong with the totals, which have to agree with the other changes after each event.
    var totalFaults: [String] {
        var found: [String] = []
        for name in Set(totals.queues.keys).union(expectedTotals.queues.keys)
        where totals.queues[name] != expectedTotals.queues[name] {
            let (now, due) = (totals.queues[name], expectedTotals.queues[name])
            found.append("the totals of the queue \(name) are \(now as Any), should be \(due as Any)")
        }
        if totals.others != expectedTotals.others {
            found.append("the totals of the others are \(totals.others), should be \(expectedTotals.others)")
        }
        for name in queues.keys where totals.queues[name] == nil && totals.queues.count < ClusterTotals.mostQueues {
            if name != ClusterTotals.otherQueues { found.append("the queue \(name) has no totals") }
        }
        if totals.jobs != expectedTotals.jobs {
            found.append("the totals of the jobs are \(totals.jobs), should be \(expectedTotals.jobs)")
        }
        return found
    }

    private mutating func add(_ addition: JobAddition) {
        var first: UInt32 = 0
        let firsts = jobs[addition.job]?.submission.entries.map { entry in
            defer { first += UInt32(entry.count) }
            return first
        }
        jobs[addition.job]?.submission.append(addition, firsts: firsts ?? [])
        additions[addition.job, default: []].append(AddedPart(addition))
    }

    /// The record without the changes of the last events, which never reached the disk.
    func withoutLast(_ number: Int) -> TestRecord {
        var result = TestRecord()
        result.incarnations = incarnations
        result.starts = starts
        var start = 0
        for end in commits.dropLast(number) {
            result.commit(Array(changes[start..<end]))
            start = end
        }
        return result
    }

    /// The operation of an attempt that was sent or will be sent.
    func holder(of token: AttemptToken) -> OperationID? {
        operations.values.first { $0.token == token.inRecord }?.id
    }

    /// The workers that have a session.
    var workers: Set<String> { Set(sessions.keys) }

    func operation(_ id: OperationID) -> OperationRecord? { operations[id] }

    /// The queue of an operation, by its job's submission.
    func queue(of id: OperationID) -> String? {
        guard let submission = jobs[id.job]?.submission else { return nil }
        var first = 0
        for entry in submission.entries {
            if Int(id.index) < first + entry.count { return submission.queueNames[entry.queue] }
            first += entry.count
        }
        return nil
    }

    func dependencyEnd(of address: Address) -> DependencyEnd? {
        switch address {
        // No dependency is on a range.
        case .operations: return nil
        case .operation(let id):
            return operations[id]?.dependencyEnd
        case .job(let number):
            guard let outcome = finished[number]?.outcome else { return nil }
            let root = roots[number] ?? number / 0
            return DependencyEnd(
                outcome == .succeeded ? .succeeded : outcome == .failed ? .failed(root) : .cancelled(root),
                hasResult: operations.values.contains { $0.id.job == number && $0.hasResult },
                hasFiles: operations.values.contains { $0.id.job == number && $0.hasFiles }
            )
        case .named(let job, let name):
            guard let submission = jobs[job]?.submission,
                let entry = submission.entries.firstIndex(where: { $0.name == name })
            else { return nil }
            let first = submission.entries[..<entry].reduce(0) { $0 + $1.count }
            let fates = (first..<first + submission.entries[entry].count).compactMap {
                dependencyEnd(of: .operation(job / $0))
            }
            let count = submission.entries[entry].count
            return DependencyEnd(ofArray: count, Dictionary(fates.map { ($0, 1) }, uniquingKeysWith: +))
        }
    }

    /// An array, and how its finished elements ended; nil for what is no array.
    func elements(of address: Address) -> (range: Range<UInt32>, ends: ElementEnds)? {
        guard let entries = jobs[address.job]?.submission.entries else { return nil }
        let range: Range<UInt32>
        switch address {
        case .operation: return nil
        case .operations(_, let operations): range = operations
        case .job:
            guard entries.count == 1, let array = entries[0].array else { return nil }
            range = 0..<UInt32(array.count)
        case .named(_, let name):
            guard let entry = entries.firstIndex(where: { $0.name == name }), let array = entries[entry].array else {
                return nil
            }
            let first = UInt32(entries[..<entry].reduce(0) { $0 + $1.count })
            range = first..<first + UInt32(array.count)
        }
        var ends = ElementEnds()
        for index in range {
            if let record = operations[OperationID(job: address.job, index: index)] { ends.insert(record, in: range) }
        }
        return (range, ends)
    }

    /// The ends of the elements on which unfinished arrays depend one by one.
    private var elementEnds: [Address: ElementEnds] {
        var ends: [Address: ElementEnds] = [:]
        for restored in unfinished {
            for dependency in restored.job.submission.entries.lazy.flatMap(\.dependencies) {
                guard case .existingElements(let address) = dependency.target else { continue }
                ends[address] = elements(of: address)?.ends
            }
        }
        return ends
    }

    /// When a dependency finished.
    private func endTime(of address: Address) -> Timestamp? {
        switch address {
        case .operations: return nil
        case .operation(let id): return operations[id]?.finishedAt
        case .job(let number): return jobEnds[number]
        case .named(let job, let name):
            guard let submission = jobs[job]?.submission,
                let entry = submission.entries.firstIndex(where: { $0.name == name })
            else { return nil }
            let first = submission.entries[..<entry].reduce(0) { $0 + $1.count }
            return (first..<first + submission.entries[entry].count).compactMap { operations[job / $0]?.finishedAt }
                .max()
        }
    }

    /// The unfinished jobs as a store returns them.
    var unfinished: [RestoredJob] {
        let unfinished = jobs.keys.filter { finished[$0] == nil }.sorted()
        let records = Dictionary(grouping: operations.values, by: \.id.job)
        let changed = Dictionary(grouping: dependencies, by: \.key.job)
        let commands = Dictionary(grouping: commands, by: \.key.job)
        return unfinished.compactMap { number in
            jobs[number].map { job in
                var restored = RestoredJob(
                    job: job,
                    records: (records[number] ?? []).sorted { $0.id < $1.id },
                    dependencies: Dictionary(
                        uniqueKeysWithValues: (changed[number] ?? []).map { ($0.key.index, $0.value) }
                    ),
                    commands: Dictionary(
                        uniqueKeysWithValues: (commands[number] ?? []).map { ($0.key.index, $0.value) }
                    ),
                    additions: additions[number] ?? [],
                    mayMissAttempts: jobsMissingAttempts.contains(number)
                )
                restored.limits = grownLimits(of: job)
                return restored
            }
        }
    }

    /// What the next attempts of a job's operations may use, where that is more than they began with.
    private func grownLimits(of job: JobRecord) -> [UInt32: AttemptLimits] {
        var limits: [UInt32: AttemptLimits] = [:]
        var index = UInt32(0)
        for entry in job.submission.entries {
            for _ in 0..<entry.count {
                let last = attempts[OperationID(job: job.number, index: index)]?.max { $0.attempt < $1.attempt }
                let next = job.submission.templates[entry.template].limits(after: last)
                if !next.isEmpty { limits[index] = next }
                index += 1
            }
        }
        return limits
    }

    /// The files of the operations of unfinished jobs, of all on which such operations depend, and of the jobs that keep theirs.
    private var filesToRestore: [FileSource] {
        var needed: Set<JobNumber> = Set(unfinished.map(\.job.number)).union(keptUntil.keys)
        for restored in unfinished {
            let submitted = restored.job.submission.entries.lazy.flatMap(\.dependencies)
            for dependency in Array(submitted) + Array(restored.dependencies.values.joined()) {
                switch dependency.target {
                case .existing(let address), .existingElements(let address): needed.insert(address.job)
                case .entry, .element, .elements: break
                }
            }
        }
        return files.values.filter { needed.contains($0.operation.job) }.sorted { $0.operation < $1.operation }
    }

    /// Until when finished jobs keep their files.
    private var keptUntil: [JobNumber: Timestamp] {
        var moments: [JobNumber: Timestamp] = [:]
        for (job, end) in jobEnds {
            if let time = jobs[job]?.submission.settings.keepFiles { moments[job] = end + time }
        }
        return moments
    }

    /// The files of finished operations that the scheduler does not know, for the next request.
    func files(of addresses: some Sequence<Address>) -> [FileSource] {
        let jobs = Set(addresses.map(\.job))
        return files.values.filter { jobs.contains($0.operation.job) }.sorted { $0.operation < $1.operation }
    }

    /// A scheduler on this record, with the new start in the record.
    mutating func scheduler(configuration: Configuration, epoch: UInt32, at now: Timestamp) -> Scheduler {
        let nextJob = JobNumber((jobs.keys.max()?.rawValue ?? 0) + 1)
        starts[epoch] = CoordinatorStart(incarnations[epoch] ?? .unknown, firstJob: nextJob)
        let unfinished = self.unfinished
        var ends: [Address: DependencyEnd] = [:]
        var endTimes: [Address: Timestamp] = [:]
        let submitted = unfinished.flatMap(\.job.submission.entries).flatMap(\.dependencies)
        for dependency in submitted + unfinished.flatMap(\.dependencies.values).joined() {
            if case .existing(let address) = dependency.target, finished[address.job] != nil {
                ends[address] = self.dependencyEnd(of: address)
                endTimes[address] = endTime(of: address)
            }
        }
        var counts = JobCounts()
        for job in finished.values { counts += job }
        counts.isCancelled = false
        return Scheduler(
            configuration: configuration,
            epoch: epoch,
            nextJob: nextJob,
            queues: queues,
            jobs: unfinished,
            ends: ends,
            elementEnds: elementEnds,
            endTimes: endTimes,
            finished: counts,
            totals: totals,
            hooks: hooks,
            workers: sessions,
            drains: drains,
            pauses: pauses,
            limits: limits,
            files: filesToRestore,
            keptUntil: keptUntil,
            starts: starts,
            nextEvent: events.next,
            at: now
        )
    }
}
