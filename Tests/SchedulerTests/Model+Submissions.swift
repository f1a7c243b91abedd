@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Submissions to the model.
extension Model {
    /// Adds a job.
    mutating func add(_ job: JobRecord) {
        let submission = job.submission
        for change in submission.queueChanges { setQueue(change) }
        jobs[job.number] = []
        entries[job.number] = []
        if submission.isOpen { openJobs.insert(job.number) }
        append(submission, to: job.number, at: job.submittedAt)
    }

    /// Adds operations to a job.
    mutating func add(_ addition: JobAddition) {
        append(addition.submission, to: addition.job, at: addition.addedAt, earlier: addition.earlier)
    }

    /// - Parameter earlier: the first operations of the entries that dependencies beyond the last entry mean.
    private mutating func append(
        _ submission: Submission,
        to number: JobNumber,
        at time: Timestamp,
        earlier: [UInt32] = []
    ) {
        for queue in submission.queueNames where queues[queue] == nil { queues[queue] = Queue() }
        let known = entries[number] ?? []
        var first = jobs[number]?.count ?? 0
        let shapes = submission.entries.map { entry in
            defer { first += entry.count }
            return SubmittedEntry(name: entry.name, range: first..<first + entry.count, isArray: entry.array != nil)
        }
        entries[number] = known + shapes
        uncommittedJobs[number, default: 0] += 1
        for (entry, shape) in zip(submission.entries, shapes) {
            for index in shape.range {
                let template = submission.templates[entry.template]
                places[number / index] = ops.count
                jobs[number, default: []].append(ops.count)
                ops.append(
                    Op(
                        id: number / index,
                        queue: submission.queueNames[entry.queue],
                        isBarrier: entry.isBarrier,
                        retries: Int(template.retries),
                        retryDelay: template.retryDelay,
                        hasHook: template.onFinish != nil,
                        type: template.work.kind.type,
                        runsAtMostOnce: template.restart == .never,
                        priority: entry.priority,
                        order: nextOrder,
                        notBefore: entry.delay.map { time + $0 },
                        hasDelay: entry.delay != nil,
                        isHeld: entry.isHeld,
                        unretriedStatuses: Self.statuses(template.noRetryOn + template.finalStatus),
                        timeout: template.work.timeout,
                        timeoutUpTo: template.timeoutUpTo,
                        keepsResult: template.work.keepResult == .always,
                        work: template.work.kind
                    )
                )
                nextOrder += 1
            }
        }
        for (entry, shape) in zip(submission.entries, shapes) {
            let groups = entry.dependencies.map { dependency in
                var dependency = dependency
                if case .entry(let target) = dependency.target {
                    let isNew = target < shapes.count
                    let start = isNew ? shapes[target].range.lowerBound : Int(earlier[target - shapes.count])
                    let position = (entries[number] ?? []).firstIndex { $0.range.lowerBound == start }
                    dependency.target = .entry(position ?? 0)
                }
                return group(dependency, in: number)
            }
            for index in shape.range {
                guard let place = places[number / index] else { continue }
                depend(place, groups)
            }
            guard entry.isCancelled else { continue }
            _ = cancel([.operations(number, UInt32(shape.range.lowerBound)..<UInt32(shape.range.upperBound))])
        }
    }

    /// The exit statuses that conditions name.
    private static func statuses(_ conditions: [EndCondition]) -> Set<Int32> {
        conditions.reduce(into: []) { statuses, condition in
            if case .statuses(let range) = condition { statuses.formUnion(range) }
        }
    }

    /// The operations that a dependency of a job's operation names.
    func group(_ dependency: Dependency, in job: JobNumber) -> Group {
        func group(_ address: Address, _ kind: Group.Kind, _ targets: [Int]) -> Group {
            let canonical = Dependency(on: .existing(address), condition: dependency.condition)
            return Group(dependency: canonical, kind: kind, targets: targets)
        }
        func group(entry: SubmittedEntry) -> Group {
            let targets = entry.range.compactMap { places[job / $0] }
            if entry.isArray, let name = entry.name { return group(.named(job, name), .array, targets) }
            return group(.operation(job / entry.range.lowerBound), entry.isArray ? .array : .operation, targets)
        }
        switch dependency.target {
        case .entry(let position):
            return entries[job].map { group(entry: $0[position]) } ?? group(.job(job), .job, [])
        case .existing(.named(_, let name)):
            return entries[job]?.first { $0.name == name }.map { group(entry: $0) } ?? group(.job(job), .job, [])
        case .existing(.operation(let id)):
            return group(.operation(id), .operation, places[id].map { [$0] } ?? [])
        // No dependency is on a range, and those on elements are no part of the random runs.
        case .existing(.operations(let number, _)): return group(.job(number), .job, [])
        case .element, .elements, .existingElements: return group(.job(job), .job, [])
        case .existing(.job(let number)):
            return group(.job(number), .job, jobs[number] ?? [])
        }
    }

    /// Whether an operation in a submission would wait for itself.
    func hasCycle(_ submission: Submission) -> Bool {
        guard submission.entries.contains(where: \.isBarrier) else { return false }
        var copy = self
        // Initial cancellations do not matter for cycles.
        var submission = submission
        for entry in submission.entries.indices { submission.entries[entry].isCancelled = false }
        let number = JobNumber(.max)
        copy.add(JobRecord(number: number, submittedAt: now, order: 0, submission: submission))
        return (copy.jobs[number] ?? []).contains { copy.waitsForItself($0) }
    }

    /// Whether an operation that is added to a job would wait for itself, also by way of the job.
    func hasCycle(_ submission: Submission, addedTo job: JobNumber) -> Bool {
        var copy = self
        var submission = submission
        for entry in submission.entries.indices {
            submission.entries[entry].isCancelled = false
            for position in submission.entries[entry].dependencies.indices {
                guard
                    case .existing(.named(let other, let name)) = submission.entries[entry].dependencies[position]
                        .target,
                    let known = entries[other]?.first(where: { $0.name == name })
                else { continue }
                let id = other / known.range.lowerBound
                submission.entries[entry].dependencies[position].target = .existing(.operation(id))
            }
        }
        let first = copy.ops.count
        copy.add(JobAddition(job: job, first: 0, addedAt: now, order: 0, submission: submission))
        return copy.ops.indices[first...].contains { copy.waitsForItself($0) }
    }

    private func waitsForItself(_ index: Int) -> Bool {
        let op = ops[index]
        var next = op.groups.flatMap { targets(of: $0) }
        for (other, before) in ops[..<index].enumerated()
        where before.queue == op.queue && (op.isBarrier || before.holdsUpLater) {
            next.append(other)
        }
        return doesWait(next, for: index)
    }
}
