@_spi(Baton) import BatonOperations

extension SplitMix {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func maybe<Value>(_ value: (inout SplitMix) -> Value) -> Value? {
        chance(50) ? value(&self) : nil
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }

    // MARK: Values of the record

    mutating func text() -> String {
        pick(["", "a", "plain text", "Zürich ☃ 🎈", "quote\" and \\ and \n\t\r\u{1}\u{1F}", "{}", "null", "a, b /3"])
    }

    mutating func name(_ serial: Int) -> String { pick(["build", "größe", "_x", "a,b", "\"q\""]) + "\(serial)" }

    mutating func duration() -> Duration { .microseconds(Int64.random(in: 0...864_000_000_000_000, using: &self)) }

    mutating func time() -> Timestamp { Timestamp(rawValue: .random(in: 0...4_000_000_000_000_000, using: &self)) }

    mutating func address(below job: UInt32) -> Address {
        let other = UInt32.random(in: 1...max(1, job - 1), using: &self)
        return chance(50) ? .job(JobNumber(other)) : .operation(OperationID(other, .random(in: 0..<8, using: &self)))
    }

    mutating func commands() -> [[String]] {
        (0..<Int.random(in: 1...3, using: &self)).map { _ in
            (0..<Int.random(in: 1...3, using: &self)).map { _ in text() }
        }
    }

    mutating func template() -> Template {
        let commands = commands()
        var environment: [String: String] = [:]
        for variable in 0..<Int.random(in: 0...3, using: &self) { environment["V\(variable)"] = text() }
        let argument = chance(50) ? Array("{\"width\":3}".utf8) : [0, 0xFF, 0x80].shuffled(using: &self)
        return Template(
            work: Work(
                pick([.noOperation, .commands(commands), .commands(commands), .typed(type: text(), argument: argument)]
                ),
                environment: environment,
                directory: maybe { $0.text() },
                standardInput: maybe { $0.text() },
                timeout: maybe { max(.microseconds(1), $0.duration()) },
                gracePeriod: chance(30) ? .forever : .after(duration())
            ),
            retries: .random(in: 0...UInt16.max, using: &self),
            retryDelay: duration(),
            restart: pick(RestartPolicy.allCases),
            qualityOfService: maybe { $0.pick(QualityOfService.allCases) },
            onFinish: maybe { random in
                ["notify"] + (0..<Int.random(in: 0...2, using: &random)).map { _ in random.text() }
            }
        )
    }

    mutating func array() -> ArrayValues {
        if chance(50) {
            return .numbers(
                first: .random(in: -5...Int64.max / 2, using: &self),
                step: .random(in: 1...7, using: &self),
                count: .random(in: 1...6, using: &self)
            )
        }
        // Now and then more lines than one row holds.
        let count = chance(20) ? Int.random(in: 250...600, using: &self) : Int.random(in: 1...5, using: &self)
        let lines = (0..<count).map { "\($0)" + text() }
        guard chance(50) else { return .lines(lines) }
        return .picked(lines.map { ArrayValues.Element(number: .random(in: .min ... .max, using: &self), item: $0) })
    }

    mutating func queueSettings() -> QueueSettings {
        QueueSettings(
            maxConcurrent: maybe { $0.pick([0, 1, Int(Int32.max)]) },
            qualityOfService: maybe { $0.pick(QualityOfService.allCases) },
            isSuspended: chance(50),
            total: maybe { $0.pick([1, 100, Int(Int32.max)]) },
            startRate: maybe { StartRate($0.pick(["1/h", "10/s", "1000000/m"])) } ?? nil
        )
    }

    /// Dependencies of an operation of a job with some entries.
    mutating func dependencies(job: UInt32, entries: Int) -> [Dependency] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in
            let target: Dependency.Target =
                chance(60) ? .entry(.random(in: 0..<entries, using: &self)) : .existing(address(below: job))
            return Dependency(on: target, condition: pick(DependencyCondition.allCases))
        }
    }

    /// An earlier attempt of an operation.
    mutating func attempt(_ number: UInt32) -> AttemptRecord {
        var attempt = AttemptRecord(
            attempt: number,
            worker: maybe { $0.text() },
            startedAt: maybe { $0.time() },
            endedAt: time(),
            reason: Reason(pick(Reason.Code.allCases), text())
        )
        attempt.exitStatus = maybe { .random(in: .min ... .max, using: &$0) }
        attempt.signal = maybe { .random(in: .min ... .max, using: &$0) }
        attempt.wasStopped = .random(using: &self)
        attempt.limits.memory = maybe { .random(in: 1...ByteSize.maximum, using: &$0) }
        attempt.limits.timeout = maybe { .microseconds(Int64.random(in: 1...1_000_000_000, using: &$0)) }
        return attempt
    }

    mutating func submission(number: UInt32) -> Submission {
        let entryCount = Int.random(in: 1...12, using: &self)
        let templates = (0..<Int.random(in: 1...3, using: &self)).map { _ in template() }
        let queueNames = (0..<Int.random(in: 1...3, using: &self)).map { name($0) }
        let entries = (0..<entryCount).map { position in
            Entry(
                name: maybe { $0.name(position) },
                template: .random(in: 0..<templates.count, using: &self),
                queue: .random(in: 0..<queueNames.count, using: &self),
                priority: pick(Priority.allCases),
                delay: maybe { $0.duration() },
                isHeld: chance(30),
                isBarrier: chance(30),
                isCancelled: chance(30),
                dependencies: dependencies(job: number, entries: entryCount),
                array: chance(30) ? array() : nil
            )
        }
        let changes = (0..<Int.random(in: 0...2, using: &self)).map { serial in
            QueueChange(
                name: name(serial),
                maxConcurrent: maybe { $0.chance(50) ? .unlimited : .atMost($0.pick([0, 1, Int(Int32.max)])) },
                qualityOfService: maybe { $0.pick(QualityOfService.allCases) },
                isSuspended: maybe { $0.chance(50) },
                total: maybe { $0.pick([0, 1, Int(Int32.max)]) }
            )
        }
        var submission = Submission(
            name: maybe { $0.text() },
            key: maybe { $0.text() + "\(number)" },
            queueChanges: changes,
            queueNames: queueNames,
            templates: templates,
            entries: entries
        )
        if chance(30) { submission.settings.tags = ["project": text(), "_owner": text()] }
        submission.settings.maxFailures = maybe { .random(in: 1...UInt32.max, using: &$0) }
        // By the number that is there, so that no other value changes.
        submission.settings.cancelRunning = submission.settings.maxFailures.map { $0.isMultiple(of: 2) } ?? false
        submission.settings.reuse = submission.settings.maxFailures.flatMap { number in
            number.isMultiple(of: 3) ? JobNumber(number) : nil
        }
        submission.settings.deadline = maybe { max(.microseconds(1), $0.duration()) }
        submission.settings.keepFiles = maybe { max(.zero, $0.duration()) }
        // By a value that is there, so that no other one changes.
        submission.settings.filesLimit = submission.settings.keepFiles.flatMap { time in
            time.microseconds.isMultiple(of: 2) ? max(1, time.microseconds % (1 << 50)) : nil
        }
        submission.settings.hooks = maybe { random in
            JobHooks(
                [.finish: ["tell", random.text()], random.pick([.success, .failure]): ["x"]],
                environment: random.pick([[:], ["A": random.text()]]),
                directory: random.maybe { $0.text() },
                timeout: random.maybe { max(.microseconds(1), $0.duration()) }
            )
        }
        submission.isOpen = chance(20)
        submission.keyDigest = maybe { $0.next() }
        submission.retryOf = maybe { JobNumber(.random(in: 1...UInt32.max, using: &$0)) }
        return submission
    }

    /// A record of some of a job's operations, in any state.
    mutating func record(job: UInt32, operations: Int) -> OperationRecord {
        let first = UInt32.random(in: 0..<UInt32(operations), using: &self)
        let count = chance(70) ? 1 : UInt32.random(in: 1...UInt32(operations) - first, using: &self)
        var record = OperationRecord(
            id: OperationID(job, first),
            count: count,
            state: pick(OperationState.allCases)
        )
        if record.state == .finished { record.outcome = pick(Outcome.allCases) }
        record.isCancelled = chance(30)
        record.reason = maybe { Reason($0.pick(Reason.Code.allCases), $0.text()) }
        if record.outcome == .skipped {
            record.skippedFor = maybe {
                let earlier = OperationID(job, .random(in: 0...first, using: &$0))
                let others = [Ending.notNeeded, .failed(OperationID(7, 3)), .cancelled(OperationID(.max, 100_000_000))]
                return $0.pick(others + [.failed(earlier), .cancelled(earlier)])
            }
        }
        // The reason says what was not needed.
        if record.skippedFor == .notNeeded {
            record.reason = Reason(.notNeeded, text())
        } else if record.reason?.code == .notNeeded {
            record.reason = nil
        }
        record.exitStatus = maybe { .random(in: -1...255, using: &$0) }
        record.signal = maybe { .random(in: 1...31, using: &$0) }
        record.attempt = .random(in: 0...5, using: &self)
        record.losses = .random(in: 0...5, using: &self)
        record.failures = .random(in: 0...record.attempt, using: &self)
        record.token = maybe { RecordToken(rawValue: $0.next()) }
        record.worker = maybe { $0.name(1) }
        record.readyAt = maybe { $0.time() }
        record.startedAt = maybe { $0.time() }
        record.finishedAt = maybe { $0.time() }
        record.notBefore = maybe { $0.time() }
        // A block never started, so it has no results.
        record.hasResult = count == 1 && chance(30)
        // By what is there, so that no other value changes.
        record.hasFiles = count == 1 && record.attempt.isMultiple(of: 2)
        record.isHeld = chance(30)
        record.priorityChange = maybe { random in
            OperationRecord.PriorityChange(
                priority: random.pick(Priority.allCases),
                order: .random(in: 1...1 << 40, using: &random)
            )
        }
        return record
    }

    /// The files of an attempt, in any order of their paths.
    mutating func files() -> [KeptFile] {
        let paths = ["a.bam", "out/Zürich ☃ 🎈", "quote\" and \\", "out/a", "out/b/c", "Z", "-"].shuffled(using: &self)
        return paths.prefix(.random(in: 0...paths.count, using: &self)).map { path in
            KeptFile.sample(
                path,
                size: .random(in: 0...1 << 50, using: &self),
                mode: .random(in: 0...KeptFile.permissions, using: &self),
                seed: .random(in: 0...255, using: &self)
            )
        }
    }

    /// The run of an operation's completion hook; nil without a hook.
    mutating func hook(of job: JobRecord, _ index: UInt32) -> CompletionHook? {
        var first: UInt32 = 0
        for entry in job.submission.entries {
            let position = Int(index - first)
            guard position >= entry.count else {
                let outcome = pick(Outcome.allCases)
                let worker = maybe { $0.name(1) }
                return job.hook(of: entry, at: position, index, outcome: outcome, attempt: 3, worker: worker)
            }
            first += UInt32(entry.count)
        }
        return nil
    }

    /// Totals of a cluster with some of its queues.
    mutating func totals() -> ClusterTotals {
        var totals = ClusterTotals()
        totals.attempts.started = .random(in: 0...1 << 40, using: &self)
        totals.attempts.lost = .random(in: 0...9, using: &self)
        totals.jobs.succeeded = .random(in: 0...1 << 40, using: &self)
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            var ends = EndCounts()
            for outcome in Outcome.allCases { ends[outcome] = .random(in: 0...1 << 40, using: &self) }
            totals.queues[name(1)] = ends
        }
        for outcome in Outcome.allCases { totals.others[outcome] = .random(in: 0...1 << 40, using: &self) }
        if Bool.random(using: &self) {
            let dropped = name(1)
            if totals.queues[dropped] == nil { totals.dropped = [dropped] }
        }
        return totals
    }

    // MARK: Events

    /// Any event that begins with a number.
    mutating func event(_ sequence: UInt64) -> ClusterEvent {
        let by = chance(30) ? name(pick([1, 2])) : nil
        return ClusterEvent(sequence: sequence, time: time(), by: by, subject: subject())
    }

    private mutating func subject() -> ClusterEvent.Subject {
        switch Int.random(in: 0..<16, using: &self) {
        case 13:
            let first = UInt32.random(in: 0...100_000_000, using: &self)
            return .operationsAdded(JobNumber(.random(in: 1...9, using: &self)), first: first, count: 7)
        case 15:
            return .clockStepped(
                .microseconds(Int64.random(in: -400_000_000_000_000...400_000_000_000_000, using: &self))
            )
        case 14: return .jobClosed(JobNumber(.random(in: 1...UInt32.max, using: &self)))
        case 12: return .queueDeleted(text())
        case 0: return .jobSubmitted(JobNumber(.random(in: 1...UInt32.max, using: &self)), operations: 7)
        case 1:
            var counts = JobCounts()
            for outcome in Outcome.allCases { counts[outcome] = .random(in: 0...100_000_000, using: &self) }
            counts.notNeeded = .random(in: 0...100_000_000, using: &self)
            counts.skippedAfterFailure = .random(in: 0...100_000_000, using: &self)
            counts.isCancelled = chance(30)
            return .jobFinished(JobNumber(.random(in: 1...9, using: &self)), counts)
        case 2: return .queue(text(), queueSettings())
        case 3:
            if chance(20) { return .recordIncomplete(jobs: .random(in: 0...9, using: &self), commits: next()) }
            return chance(50)
                ? .worker(text(), pick(WorkerCondition.allCases)) : .workerRequest(text(), pick(WorkerRequest.allCases))
        default:
            let id = OperationID(.random(in: 1...1000, using: &self), .random(in: 0...100_000_000, using: &self))
            let count = chance(80) ? 1 : UInt32.random(in: 1...1000, using: &self)
            return .operations(id, count: count, operationChange())
        }
    }

    private mutating func operationChange() -> ClusterEvent.OperationChange {
        switch Int.random(in: 0..<10, using: &self) {
        case 9: return .commands
        case 0: return .cancelled
        case 1: return .held(chance(50))
        case 2: return .priority(pick(Priority.allCases))
        case 3: return .dependencies
        case 4:
            return .progress(
                OperationProgress(fraction: .random(in: 0...1, using: &self), message: maybe { $0.text() })
            )
        default:
            let state = pick(OperationState.allCases)
            return .state(
                state,
                outcome: state == .finished ? pick(Outcome.allCases) : nil,
                attempt: .random(in: 0...3, using: &self),
                worker: maybe { $0.name($0.pick([1, 2, 3])) }
            )
        }
    }
}
