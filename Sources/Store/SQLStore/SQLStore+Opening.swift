@_spi(Baton) public import BatonOperations

@_spi(Baton) extension SQLStore {
    /// Raises the epoch on disk and reads the unfinished jobs.
    ///
    /// - Throws: ``StoreError`` `elsewhere` for a record that was moved to another place.
    /// - Complexity: O(the unfinished jobs with all their entries and records); finished jobs cost nothing.
    public func open(as incarnation: Incarnation) throws(StoreError) -> StoredState {
        let place = try with { statements throws(SQLError) in try RecordMove.place(in: engine, statements) }
        if let place { throw .moved(path, to: place) }
        var isNewlyMarked = false
        let (epoch, nextJob) = try transaction { statements throws(SQLError) in
            var step: Int64 = 1
            switch engine {
            case .file:
                try statements.record.mark.run()
                isNewlyMarked = try statements.record.mark.changedRows == 1
            case .server(let session):
                step = session.epochStep
            }
            statements.record.raiseEpoch.bind(.step, step)
            try statements.record.raiseEpoch.run()
            let epoch = try Self.meta("epoch", statements)
            // A token has 24 bits for the epoch.
            guard (1..<1 << 24).contains(epoch) else { throw .damaged("its epoch is \(epoch)") }
            let nextJob = try Self.nextJob(statements)
            statements.record.writeStart.bind(StartColumn.epoch, epoch)
            statements.record.writeStart.bind(StartColumn.incarnation, Int64(bitPattern: incarnation.rawValue))
            statements.record.writeStart.bind(StartColumn.firstJob, nextJob.rawValue)
            try statements.record.writeStart.run()
            try self.count(statements)
            self.nextTally.epoch = UInt64(epoch)
            return (UInt32(epoch), nextJob)
        }
        if case .file(let parts) = engine { parts.isMarked = true }
        // A program that opens the file by another name does not find the log, and must find the mark.
        if isNewlyMarked { database?.emptyLog() }
        let state = try readState(epoch: epoch, nextJob: nextJob)
        neededJobs = NeededJobs(state.jobs)
        for job in state.jobs where job.records.allSatisfy({ $0.count == 1 }) {
            jobsOfSingleRows.insert(job.job.number)
        }
        return state
    }

    /// Reads what a coordinator starts with, and changes nothing.
    ///
    /// - Throws: `unreadable` for a value that no version of Baton wrote.
    /// - Complexity: O(the unfinished jobs with all their entries and records).
    func readState(epoch: UInt32, nextJob: JobNumber) throws(StoreError) -> StoredState {
        try with { statements throws(SQLError) in
            var state = StoredState(epoch: epoch, nextJob: nextJob)
            try statements.cluster.queues.forEach { row throws(SQLError) in
                state.queues[try row.text(QueueColumn.name)] = try row.queueRecord()
                return true
            }
            state.finished = try Self.finishedCounts(statements)
            var unfinished: [JobNumber] = []
            try statements.jobs.unfinishedJobs.forEach { row throws(SQLError) in
                unfinished.append(JobNumber(try row.number(0)))
                return true
            }
            // The index of a damaged record may name a job twice, or one that the table has elsewhere.
            let numbers = Set(unfinished)
            guard numbers.count == unfinished.count, unfinished.allSatisfy({ $0 < nextJob }) else {
                throw .damaged("an unfinished job is twice in it, or above its newest job")
            }
            let blocks = try self.blocks(of: unfinished, RestoredBlocks.tablesOfUnfinished)
            for number in unfinished {
                var acceptedAt: [Timestamp] = []
                let source = try blocks?.statements(holding: number) ?? statements
                guard let restored = try Self.restoredJob(number, isUnfinished: true, &acceptedAt, source) else {
                    throw .damaged("job \(number) is gone")
                }
                state.jobs.append(restored)
                state.acceptedAt[number] = acceptedAt
            }
            let found = state.jobs.existingDependencies
            let targets = blocks == nil ? Array(found) : found.sorted { $0.job < $1.job }
            let blocksOfEnds =
                blocks == nil ? nil : try self.blocks(of: targets.map(\.job), RestoredBlocks.tablesOfEnds)
            for address in targets {
                let source = try blocksOfEnds?.statements(holding: address.job) ?? statements
                if case .operations(let job, let range) = address {
                    let (ends, time) = try Self.elementEnds(of: job, in: range, source)
                    state.elementEnds[address] = ends
                    state.dependencyTimes[address] = time
                }
                if let finish = try Self.finish(of: address, source) {
                    state.dependencyEnds[address] = finish.end
                    state.dependencyTimes[address] = finish.time
                }
                if state.dependencyEnds[address] != nil || numbers.contains(address.job) { continue }
                guard try Self.exists(address.job, source) else {
                    throw .damaged("an unfinished operation depends on \(address), which is gone")
                }
            }
            state.totals = try Self.totals(statements)
            state.hooks = try Self.hooks(statements)
            state.workers = try Self.workers(statements)
            state.drains = try Self.drains(statements)
            state.pauses = try Self.pauses(statements)
            state.schedules = try Self.schedules(statements)
            state.limits = try Self.sharedLimits(statements)
            state.starts = try Self.starts(statements)
            state.firstOrderedJob = JobNumber(UInt32(clamping: try Self.meta("first_ordered_job", statements)))
            let newestEvent = try statements.events.newestEvent.first { row throws(SQLError) in
                try row.optional(0, as: UInt64.self)
            }
            state.nextEvent = ((newestEvent ?? 0) ?? 0) + 1
            guard state.nextEvent < UInt64(1) << 62 else { throw .damaged("its last event is \(state.nextEvent - 1)") }
            state.clock = try Self.clock(statements)
            state.filesKeptUntil = try Self.filesKeptUntil(after: state.clock, statements)
            state.files = try Self.filesToRestore(for: state, statements)
            return state
        }
    }

    /// What reads jobs from a server many at a time; nil for a file, and if there are none.
    ///
    /// - Parameter jobs: the jobs in ascending order, where neighbours may be the same.
    private func blocks(of jobs: [JobNumber], _ tables: Set<String>) throws(SQLError) -> RestoredBlocks? {
        guard case .server = engine, !jobs.isEmpty else { return nil }
        var numbers: [UInt32] = []
        for job in jobs where job.rawValue != numbers.last { numbers.append(job.rawValue) }
        return try RestoredBlocks(of: numbers, in: engine, tables)
    }

    /// Counts the ends of the operations of finished jobs.
    private static func finishedCounts(_ statements: Statements) throws(SQLError) -> JobCounts {
        var finished = JobCounts()
        for outcome in Outcome.allCases {
            let count = try meta("finished_\(outcome)", statements)
            guard count >= 0 else { throw .damaged("it has \(count) operations that ended as \(outcome)") }
            finished[outcome] = Int(count)
        }
        let notNeeded = try meta("finished_not_needed", statements)
        let skippedAfterFailure = try meta("finished_skipped_after_failure", statements)
        guard notNeeded >= 0, skippedAfterFailure >= 0,
            notNeeded.addingReportingOverflow(skippedAfterFailure).partialValue <= Int64(finished.skipped)
        else {
            throw .damaged("of \(finished.skipped) skipped operations, \(notNeeded) were not needed")
        }
        finished.notNeeded = Int(notNeeded)
        finished.skippedAfterFailure = Int(skippedAfterFailure)
        return finished
    }

    /// Reads the workers that had a session.
    private static func workers(_ statements: Statements) throws(SQLError) -> [String: WorkerRecord] {
        var workers: [String: WorkerRecord] = [:]
        try statements.cluster.workers.forEach { row throws(SQLError) in
            let id = UInt64(bitPattern: try row.number(WorkerColumn.id, as: Int64.self))
            let life = UInt64(bitPattern: try row.number(WorkerColumn.life, as: Int64.self))
            workers[try row.text(WorkerColumn.name)] = WorkerRecord(
                id: WorkerID(rawValue: id),
                life: WorkerLife(rawValue: life),
                keyNumber: try row.optional(WorkerColumn.key)
            )
            return true
        }
        return workers
    }

    /// Reads the starts of coordinators, by their epochs.
    private static func starts(_ statements: Statements) throws(SQLError) -> [UInt32: CoordinatorStart] {
        var starts: [UInt32: CoordinatorStart] = [:]
        try statements.record.starts.forEach { row throws(SQLError) in
            let incarnation = UInt64(bitPattern: try row.number(StartColumn.incarnation, as: Int64.self))
            starts[try row.number(StartColumn.epoch)] = CoordinatorStart(
                Incarnation(rawValue: incarnation),
                firstJob: JobNumber(try row.number(StartColumn.firstJob))
            )
            return true
        }
        return starts
    }

    /// Returns the number of the next job.
    static func nextJob(_ statements: Statements) throws(SQLError) -> JobNumber {
        let newest = try statements.jobs.newestJob.first { row throws(SQLError) in
            try row.optional(0, as: UInt32.self)
        }
        let newestRemoved = UInt32(clamping: try meta("newest_removed_job", statements))
        let last = max((newest ?? 0) ?? 0, newestRemoved)
        guard last < UInt32.max else { throw .damaged("its last job has the highest number there is") }
        return JobNumber(last + 1)
    }

    /// Returns the last reading of the record's own clock; nil if the clock has not begun.
    static func clock(_ statements: Statements) throws(SQLError) -> Timestamp? {
        statements.record.meta.bind(.key, text: "clock")
        let clock = try statements.record.meta.first { row throws(SQLError) in try row.time(0) }
        guard let clock else { throw .damaged("its table meta has no clock") }
        return clock.rawValue == 0 ? nil : clock
    }

    static func meta(_ key: String, _ statements: Statements) throws(SQLError) -> Int64 {
        statements.record.meta.bind(.key, text: key)
        let value = try statements.record.meta.first { row throws(SQLError) in try row.number(0, as: Int64.self) }
        guard let value else { throw .damaged("its table meta has no \(key)") }
        return value
    }
}
