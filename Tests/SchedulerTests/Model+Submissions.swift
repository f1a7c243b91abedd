@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Submissions to the model.
extension Model {
    /// Adds a job.
    mutating func add(_ job: JobRecord) {
        let submission = job.submission
        for change in submission.queueChanges { setQueue(change) }
        for queue in submission.queueNames where queues[queue] == nil { queues[queue] = Queue() }
        var first = 0
        entries[job.number] = submission.entries.map { entry in
            defer { first += entry.count }
            let range = first..<first + entry.count
            return SubmittedEntry(name: entry.name, range: range, isArray: entry.array != nil)
        }
        uncommittedJobs.insert(job.number)
        jobs[job.number] = ops.count..<ops.count + first
        for (entry, shape) in zip(submission.entries, entries[job.number] ?? []) {
            for index in shape.range {
                let template = submission.templates[entry.template]
                places[job.number / index] = ops.count
                ops.append(
                    Op(
                        id: job.number / index,
                        queue: submission.queueNames[entry.queue],
                        isBarrier: entry.isBarrier,
                        retries: Int(template.retries),
                        retryDelay: template.retryDelay,
                        hasHook: template.onFinish != nil,
                        type: template.work.kind.type,
                        runsAtMostOnce: template.restart == .never,
                        priority: entry.priority,
                        order: nextOrder,
                        notBefore: entry.delay.map { job.submittedAt + $0 },
                        isHeld: entry.isHeld,
                        work: template.work.kind
                    )
                )
                nextOrder += 1
            }
        }
        for (entry, shape) in zip(submission.entries, entries[job.number] ?? []) {
            let groups = entry.dependencies.map { group($0, in: job.number) }
            for index in shape.range {
                guard let place = places[job.number / index] else { continue }
                depend(place, groups)
            }
            guard entry.isCancelled else { continue }
            _ = cancel([.operations(job.number, UInt32(shape.range.lowerBound)..<UInt32(shape.range.upperBound))])
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
        // No dependency is on a range.
        case .existing(.operations(let number, _)): return group(.job(number), .job, [])
        case .existing(.job(let number)):
            return group(.job(number), .job, jobs[number].map { Array($0) } ?? [])
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
        return (copy.jobs[number] ?? 0..<0).contains { index in
            let op = copy.ops[index]
            var next = op.groups.flatMap(\.targets)
            for (other, before) in copy.ops[..<index].enumerated()
            where before.queue == op.queue && (op.isBarrier || before.holdsUpLater) {
                next.append(other)
            }
            return copy.doesWait(next, for: index)
        }
    }
}
