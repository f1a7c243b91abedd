@_spi(Baton) import BatonOperations

extension InMemoryStore {
    /// A job and the records of its operations.
    struct StoredJob {
        var job: JobRecord
        var firsts: [UInt32]
        /// The number of operations.
        var count: UInt32
        var records = RecordMap()
        var dependencies: [UInt32: [Dependency]] = [:]
        var commands: [UInt32: [[String]]] = [:]
        /// The earlier attempts of each operation, oldest first.
        var attempts: [UInt32: [AttemptRecord]] = [:]
        var outputs: [UInt32: [AttemptOutput]] = [:]
        /// What the attempts of each operation used, by the number of the attempt.
        var usages: [UInt32: [UInt32: AttemptUsage]] = [:]
        /// When the first attempt was started; nil until the job is finished.
        var startedAt: Timestamp?
        var finishedAt: Timestamp?
        /// The additions, with their times by the record's own clock.
        var additions: [AddedPart] = []
        /// The times of the additions.
        var additionTimes: [Timestamp] = []
        /// When the job was submitted and finished, by the record's own clock.
        var submittedClock: Timestamp
        var finishedClock: Timestamp?
        var counts: JobCounts?
        var root: OperationID?
        var mayMissAttempts = false
    }
}

extension InMemoryStore.StoredJob {
    /// The job with all records of its operations.
    var restored: RestoredJob {
        RestoredJob(
            job: job,
            records: records.records,
            dependencies: dependencies,
            commands: commands,
            additions: additions,
            mayMissAttempts: mayMissAttempts
        )
    }

    /// The summary of the job, for lists.
    var summary: JobSummary {
        let submission = job.submission
        var summary = JobSummary(
            number: job.number,
            name: submission.name,
            queue: submission.entries.first.map { submission.queueNames[$0.queue] } ?? Submission.defaultQueue,
            operations: submission.operationCount,
            submittedAt: job.submittedAt,
            finishedAt: finishedAt,
            counts: counts
        )
        summary.startedAt = startedAt
        summary.root = root
        summary.retryOf = submission.retryOf
        summary.keyDigest = submission.keyDigest
        summary.key = submission.key
        summary.submittedBy = job.submittedBy
        summary.settings = submission.settings
        summary.isOpen = submission.isOpen
        return summary
    }

    /// Returns the entry of an operation.
    func entry(of index: UInt32) -> Int? {
        guard index < count else { return nil }
        var low = 0
        var high = firsts.count
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle] <= index { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// Returns the entry with a name.
    func entry(named name: String) -> Int? {
        job.submission.entries.firstIndex { $0.name == name }
    }

    /// Returns the operations of an entry.
    func range(of entry: Int) -> Range<UInt32> {
        firsts[entry]..<firsts[entry] + UInt32(job.submission.entries[entry].count)
    }

    /// Returns the type of an operation as submitted; nil for other work.
    func type(at index: UInt32) -> String? {
        entry(of: index).flatMap { entry in
            job.submission.templates[job.submission.entries[entry].template].work.kind.type
        }
    }

    /// Returns the parts of the name of an operation's result.
    func element(at index: UInt32) -> InputNames.Element? {
        entry(of: index).map { position in
            let entry = job.submission.entries[position]
            return InputNames.Element(
                name: entry.name,
                number: entry.array?.number(at: Int(index - firsts[position]))
            )
        }
    }

    /// Returns an operation; the index must be valid.
    func operation(at index: UInt32) -> StoredOperation {
        let position = entry(of: index) ?? 0
        let entry = job.submission.entries[position]
        let template = job.submission.templates[entry.template]
        var untouched = OperationRecord(id: OperationID(job: job.number, index: index))
        untouched.isHeld = entry.isHeld
        let record = records.record(at: index) ?? untouched
        let element = Int(index - firsts[position])
        var listed = entry
        listed.dependencies = []
        listed.array = nil
        return StoredOperation(
            record: record,
            entry: listed,
            queue: job.submission.queueNames[entry.queue],
            template: commands[index].map { template.running($0) } ?? template,
            dependencies: dependencies[index]?.map(stored) ?? entry.dependencies.map(stored),
            arrayNumber: entry.array?.number(at: element),
            arrayItem: entry.array?.item(at: element),
            submittedAt: additions.lastIndex { $0.first <= index }.map { additionTimes[$0] } ?? job.submittedAt
        )
    }

    /// Adds operations behind those of the job.
    mutating func append(_ addition: JobAddition, clockOffset: Duration) {
        job.submission.append(addition, firsts: firsts)
        for entry in addition.submission.entries {
            firsts.append(count)
            count += UInt32(entry.count)
        }
        var part = AddedPart(addition)
        part.addedAt = addition.addedAt + (.zero - clockOffset)
        additions.append(part)
        additionTimes.append(addition.addedAt)
    }

    func stored(_ dependency: Dependency) -> StoredDependency {
        switch dependency.target {
        case .entry(let position):
            StoredDependency(
                target: .operation(OperationID(job: job.number, index: firsts[position])),
                count: UInt32(job.submission.entries[position].count),
                condition: dependency.condition
            )
        case .existing(.job(let number)):
            StoredDependency(target: .job(number), count: 0, condition: dependency.condition)
        case .existing(let address):
            StoredDependency(target: address, count: 1, condition: dependency.condition)
        }
    }
}
