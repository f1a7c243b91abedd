@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords

/// Checks at the end of a run: each operation has one outcome, in agreement with its attempts.
extension History {
    func check(_ world: World, areAllFinished: Bool) {
        guard violations.isEmpty else { return }
        let allJobs = world.coordinator.disk.allJobs
        guard areAllFinished else { return reportUnfinished(allJobs, world) }
        let jobs = allJobs.filter { !ignoredJobs.contains($0.job.number) }
        checkSubmissions(jobs)
        checkAdditions(jobs)
        var outcomes: [OperationID: StoredOperation] = [:]
        for job in jobs {
            for operation in world.coordinator.disk.operations(of: job.job.number) {
                outcomes[operation.record.id] = operation
            }
        }
        for (_, operation) in outcomes.sorted(by: { $0.key < $1.key }) {
            let earlier = world.coordinator.disk.attempts(of: operation.record.id)
            checkOutcome(of: operation, earlier, world.fileWatch)
            checkAttempts(of: operation, world.fileWatch)
            checkEarlierAttempts(of: operation, earlier, world.fileWatch)
            checkDependencies(of: operation, outcomes, world.fileWatch)
            checkRoot(of: operation, outcomes)
            let end = world.coordinator.disk.hook(of: operation.record.id)
            checkHook(of: operation, isCancelled: end?.reason?.code == .cancelled)
        }
        checkDelays(of: jobs)
        for process in byOperation.keys where outcomes[process] == nil && !ignoredJobs.contains(process.job) {
            report("\(process) ran, and is in no job")
        }
        checkStreams(outcomes)
    }

    private func reportUnfinished(_ jobs: [RestoredJob], _ world: World) {
        var unfinished: [String] = []
        let finished = Set(world.coordinator.disk.jobs.filter { $0.finishedAt != nil }.map(\.number))
        for job in jobs where !finished.contains(job.job.number) {
            unfinished += world.coordinator.disk.operations(of: job.job.number).filter { $0.record.state != .finished }
                .map { stored in
                    let record = stored.record
                    return "\(record.id) \(record.state)" + (record.isHeld ? " held" : "")
                        + (record.notBefore.map { " until \($0)" } ?? "")
                }
        }
        let running = world.workers.flatMap { $0.processes.values }.map { "\($0.operation)" }.sorted()
        report("not everything came to its end: \(unfinished) unfinished, \(running) running, or a question unanswered")
    }

    private func checkSubmissions(_ jobs: [RestoredJob]) {
        var numbers: [String: [JobNumber]] = [:]
        for job in jobs { numbers[job.job.submission.name ?? "", default: []].append(job.job.number) }
        for (key, sent) in submissions.sorted(by: { $0.key < $1.key }) {
            let found = numbers[key] ?? []
            if found.count > 1, !found.dropFirst().allSatisfy({ isRetry($0, jobs) }) {
                report("\(key) was submitted once, and is the jobs \(found)")
            }
            if let job = sent.job, !found.contains(job) {
                report("\(key) was acknowledged as job \(job), which is lost")
            }
            // While the record cannot be written, the outcome of an earlier copy is unknown.
            if let refusal = sent.refusal, refusal.code != .storage, !found.isEmpty {
                report("\(key) was refused, and is job \(found)")
            }
        }
    }

    /// Checks that each acknowledged addition is in its job once, at its place, and that jobs have nothing else.
    private func checkAdditions(_ jobs: [RestoredJob]) {
        for job in jobs {
            if job.job.submission.isOpen { report("job \(job.job.number) is finished, and still open") }
            let keys = job.additions.compactMap(\.key)
            if Set(keys).count != job.additions.count {
                report("job \(job.job.number) has the additions \(keys), one of them twice or without a key")
            }
            for addition in job.additions {
                guard let sent = additions[addition.key ?? ""], sent.job == job.job.number else {
                    report("job \(job.job.number) has an addition \(addition.key ?? "") that nobody sent")
                    continue
                }
                if let first = sent.first, first != addition.first {
                    report(
                        "an addition to job \(job.job.number) was acknowledged at \(first), and is at \(addition.first)"
                    )
                }
                if Int(addition.operations) != sent.submission.operationCount {
                    report("an addition to job \(job.job.number) has another number of operations")
                }
            }
        }
        let numbers = Dictionary(uniqueKeysWithValues: jobs.map { ($0.job.number, $0) })
        for (key, sent) in additions.sorted(by: { $0.key < $1.key }) where sent.first != nil {
            if let job = numbers[sent.job], !job.additions.contains(where: { $0.key == key }) {
                report("the addition \(key) to job \(sent.job) was acknowledged, and is lost")
            }
        }
    }

    /// Checks that no operation starts before the end of its delay, whatever the coordinator's clock says after a
    /// restart.
    ///
    /// A delay that lasts too long leaves operations unfinished, and another check finds them.
    private func checkDelays(of jobs: [RestoredJob]) {
        for job in jobs {
            guard let key = job.job.submission.key, let sent = sentAt[key] else { continue }
            var first: UInt32 = 0
            for entry in job.job.submission.entries {
                let indices = first..<first + UInt32(entry.count)
                first = indices.upperBound
                guard let delay = entry.delay else { continue }
                for id in indices.map({ OperationID(job: job.job.number, index: $0) }) {
                    guard let start = attempts(of: id).map(\.startedAt).min(), start < sent + delay else { continue }
                    report("\(id) started \(start - sent) after its submission was sent, and has a delay of \(delay)")
                }
            }
        }
    }

    /// Whether a retry of another job made the job, with the other job's name.
    private func isRetry(_ number: JobNumber, _ jobs: [RestoredJob]) -> Bool {
        guard let job = jobs.first(where: { $0.job.number == number }) else { return false }
        return submissions[job.job.submission.name ?? ""]?.job != number
            && job.job.submission.key != job.job.submission.name
            && job.job.submission.key != nil
    }

    private func attempts(of id: OperationID) -> [SimulatedProcess] {
        (byOperation[id] ?? []).filter { $0.hookOutcome == nil }
    }

    private func checkOutcome(of operation: StoredOperation, _ earlier: [AttemptRecord], _ files: FileWatch?) {
        files?.checkOutcome(of: operation)
        let id = operation.record.id
        guard operation.record.state == .finished, let outcome = operation.record.outcome else {
            return report("\(id) has no outcome")
        }
        let last = attempts(of: id).last
        switch outcome {
        case .succeeded:
            // Another attempt may have run on a worker after its loss.
            let isRepeated = files?.hasRepetition(id) ?? false
            // An attempt that was to make lost files once more may have been lost before it started, and the files came back.
            let wasLost =
                files != nil && earlier.contains { $0.attempt == operation.record.attempt && $0.reason.code == .lost }
            let counted = attempts(of: id).last {
                (isRepeated || wasLost || $0.attempt == operation.record.attempt) && $0.end == .exited(0)
            }
            if counted == nil {
                report(
                    "\(id) succeeded as attempt \(operation.record.attempt), and what ran last was \(last?.summary ?? "nothing")"
                )
            }
        case .failed:
            guard operation.record.reason?.code != .lost else { return }
            // Its attempt may have been ended, or there was none.
            if operation.record.reason?.code == .deadline { return checkDeadline(of: operation) }
            if let files, operation.record.reason?.code == .input { return files.checkLoss(of: operation) }
            if last?.end == nil || last?.end == .exited(0) {
                report("\(id) failed, and what ran last was \(last?.summary ?? "nothing")")
            }
        case .cancelled:
            let isWithItsJob = jobsCancelled.contains(id.job) && isAdded(id)
            if !cancelAsked.contains(id), !queuesCancelled.contains(operation.queue), !isWithItsJob {
                report("\(id) is cancelled, and nobody asked for it")
            }
        case .skipped:
            // The coordinator may not have known of attempts that a lost worker had.
            let isExcused = last?.isExcused ?? true || dependAsked.contains(id) || undependAsked.contains(id)
            if !isExcused, livesAfterDoubleFaults.isEmpty {
                report("\(id) was skipped, and ran")
            }
            if operation.dependencies.allSatisfy({ $0.condition == .any }) {
                report("\(id) was skipped, and depends on nobody's outcome")
            }
        }
    }

    /// Checks that an operation that has failed at a deadline has one, and that nothing ran after the end (SC5).
    private func checkDeadline(of operation: StoredOperation) {
        let id = operation.record.id
        if operation.template.deadline == nil { report("\(id) failed at a deadline, and has none") }
        for attempt in attempts(of: id) where !attempt.isExcused && attempt.attempt > operation.record.attempt {
            report("\(id) failed at its deadline as attempt \(operation.record.attempt), and ran as \(attempt.summary)")
        }
    }

    /// Checks that the record lists each failed or lost earlier attempt with its true end.
    private func checkEarlierAttempts(
        of operation: StoredOperation,
        _ earlier: [AttemptRecord],
        _ files: FileWatch?
    ) {
        let record = operation.record
        let numbers = earlier.map(\.attempt)
        // An attempt that made lost files once more, or was to, may have failed or have been lost.
        let areFilesLost =
            files != nil
            && earlier.contains { lost in
                lost.reason.code == .files && lost.attempt < record.attempt
                    && attempts(of: record.id).contains { $0.attempt == lost.attempt && $0.end == .exited(0) }
            }
        let isRepeated = files?.hasRepetition(record.id) ?? false
        let mayBeListed = isRepeated || areFilesLost || record.outcome != .succeeded
        let isAnyTooLate = earlier.contains {
            $0.attempt > record.attempt || $0.attempt == record.attempt && !mayBeListed && $0.reason.code != .files
        }
        if isAnyTooLate {
            report("\(record.id) ended as attempt \(record.attempt), and lists the earlier attempts \(numbers)")
        }
        // The replacement of a worker counts as no loss.
        let counted = min(Int(record.losses) + Int(record.failures), AttemptRecord.maximumCount)
        if record.outcome == .succeeded, numbers.count < counted {
            report("\(record.id) lists the earlier attempts \(numbers), and \(counted) failed or were lost")
        }
        // An attempt that ended with the stop of its worker counts as no loss.
        let lost = earlier.count { $0.reason.code == .lost && $0.reason.message != "Its worker was stopped." }
        if record.outcome == .succeeded, earlier.count < AttemptRecord.maximumCount, Int(record.losses) > lost {
            report("\(record.id) counts \(record.losses) losses, and lists \(lost) lost attempts")
        }
        let ran = attempts(of: record.id)
        checkLimits(of: operation, earlier, ran)
        for attempt in earlier where attempt.reason.code == .exit {
            let end = AttemptEnd.exited(attempt.exitStatus ?? 0)
            if !ran.contains(where: { $0.attempt == attempt.attempt && $0.end == end }) {
                report("\(record.id) lists that attempt \(attempt.attempt) exited with \(attempt.exitStatus as Any)")
            }
        }
    }

    /// Checks that an attempt that ran longer than it may let the next one have more, and that each had what the record says (RT4).
    private func checkLimits(of operation: StoredOperation, _ earlier: [AttemptRecord], _ ran: [SimulatedProcess]) {
        let (id, template) = (operation.record.id, operation.template)
        for (attempt, next) in zip(earlier, earlier.dropFirst()) where next.limits != template.limits(after: attempt) {
            report("\(id) had \(next.limits) in attempt \(next.attempt), after \(attempt)")
        }
        for attempt in earlier {
            guard let process = ran.first(where: { $0.token.inRecord == attempt.token }) else { continue }
            let timeout = attempt.limits.timeout ?? template.work.timeout
            if process.timeout != timeout {
                report("\(id) had \(process.timeout as Any) in attempt \(attempt.attempt), not \(timeout as Any)")
            }
        }
    }

    /// Checks that each repeated attempt has a reason.
    private func checkAttempts(of operation: StoredOperation, _ files: FileWatch?) {
        let attempts = attempts(of: operation.record.id)
        for attempt in attempts.dropLast() where !attempt.isExcused {
            // That files of the attempt may have been lost was checked at the next start.
            if files != nil, attempt.acknowledgedAt != nil { continue }
            switch attempt.end {
            case nil, .exited(0)?, .interrupted?:
                report("\(operation.record.id) ran again without a reason after \(attempt.summary)")
            default: break
            }
        }
    }

    private func checkDependencies(
        of operation: StoredOperation,
        _ outcomes: [OperationID: StoredOperation],
        _ files: FileWatch?
    ) {
        guard let last = attempts(of: operation.record.id).last, !last.isExcused, operation.record.outcome != .skipped
        else {
            return
        }
        let start = last.startedAt
        // A dependency that was added during the wait for a retry holds from the addition on.
        if mayDepend(operation.record.id, since: start) { return }
        // The end of an attempt that was lost with its worker may have been known at the dispatch of the dependent.
        var areSure: [StoredDependency: Bool] = [:]
        for dependency in operation.dependencies {
            guard case .operation(let first) = dependency.target else { continue }
            let targets = (first.index..<first.index + max(1, dependency.count)).map {
                OperationID(job: first.job, index: $0)
            }
            var isSure = true
            for target in targets {
                let isForgotten = attempts(of: target).contains {
                    $0.isExcused && $0.endedAt.map { $0 <= start } ?? false
                }
                if isForgotten {
                    isSure = false
                } else {
                    checkOrder(of: operation.record.id, startedAt: start, after: target, files)
                }
            }
            areSure[dependency] = isSure
        }
        // A dependency of the submission may have been added once more.
        let found = Dictionary(operation.dependencies.map { ($0, endings(of: $0, outcomes)) }) { first, _ in first }
        for (dependency, endings) in found.sorted(by: { "\($0.key)" < "\($1.key)" })
        where dependency.condition == .success && areSure[dependency] == true {
            let isMet = endings.allSatisfy { $0.root == nil } && (dependency.count == 0 || endings.contains(.succeeded))
            if !isMet { report("\(operation.record.id) ran, and needs \(dependency.target), which is \(endings)") }
        }
        // One failure is enough (DE9).
        let failing = found.filter { $0.key.condition == .failure }
        if !failing.isEmpty, failing.keys.allSatisfy({ areSure[$0] == true }),
            !failing.values.joined().contains(where: \.isFailure)
        {
            report("\(operation.record.id) ran on a failure, and there was none: \(failing.values)")
        }
    }

    /// The endings of all operations of a dependency.
    private func endings(of dependency: StoredDependency, _ outcomes: [OperationID: StoredOperation]) -> [Ending] {
        guard case .operation(let first) = dependency.target else { return [] }
        return (first.index..<first.index + max(1, dependency.count)).compactMap {
            outcomes[OperationID(job: first.job, index: $0)]?.record.ending
        }
    }

    /// The root of a skip is a failed or cancelled operation; an operation that was not needed has no root (DE24).
    private func checkRoot(of operation: StoredOperation, _ outcomes: [OperationID: StoredOperation]) {
        guard operation.record.outcome == .skipped else { return }
        let (id, reason) = (operation.record.id, operation.record.reason?.code)
        switch operation.record.skippedFor {
        case .failed(let root)?:
            // An operation that was lost with the coordinator may have ended otherwise in the next run.
            let outcome = outcomes[root]?.record.outcome
            if outcome != .failed { report("\(id) was skipped for the failure of \(root), which is \(outcome as Any)") }
        case .cancelled(let root)?:
            let outcome = outcomes[root]?.record.outcome
            if outcome != .cancelled {
                report("\(id) was skipped for \(root), which was not cancelled, but is \(outcome as Any)")
            }
        case .notNeeded?:
            if reason != .notNeeded { report("\(id) was not needed for the reason \(reason as Any)") }
        case .succeeded?, nil: report("\(id) was skipped for nothing")
        }
    }

    private func checkOrder(
        of id: OperationID,
        startedAt start: Timestamp,
        after target: OperationID,
        _ files: FileWatch?
    ) {
        for attempt in attempts(of: target) where attempt.endedAt.map({ $0 > start }) ?? true {
            if !attempt.isExcused, !(files?.isRepetition(attempt, at: start) ?? false) {
                report("\(id) started before the end of \(target), which it depends on (\(attempt.summary))")
            }
        }
    }

    private func checkHook(of operation: StoredOperation, isCancelled: Bool) {
        guard operation.template.onFinish != nil else { return }
        let told = (byOperation[operation.record.id] ?? []).compactMap(\.hookOutcome)
        if told.isEmpty, !isCancelled { report("the completion hook of \(operation.record.id) never ran") }
        if told.contains(where: { $0 != operation.record.outcome }) {
            report("the completion hook of \(operation.record.id) was told \(told)")
        }
    }

    private func checkStreams(_ outcomes: [OperationID: StoredOperation]) {
        for (_, stream) in streams where !stream.isIncomplete {
            for id in outcomes.keys where stream.states[id]?.last ?? "finished" != "finished" {
                report("a watcher was last told that \(id) is \(stream.states[id]?.last ?? "")")
            }
        }
        // What a watcher of some jobs is told of them is what a watcher of everything is told.
        guard let whole = streams.values.first(where: { $0.selection == nil && !$0.isIncomplete }) else { return }
        for stream in streams.values where stream.selection != nil && !stream.isIncomplete {
            for id in outcomes.keys where stream.selects(id) && stream.states[id] != whole.states[id] {
                report("a watcher of \(id) was told \(stream.states[id] ?? []) instead of \(whole.states[id] ?? [])")
            }
        }
    }
}

extension SimulatedProcess {
    /// The end of the attempt, for a sentence.
    var summary: String {
        let end = end.map { "\($0)" } ?? (endedAt == nil ? "running" : "killed with its worker")
        return "attempt \(attempt), \(end)"
    }
}
