@_spi(Baton) package import BatonOperations

/// What attempts and whole jobs took.
extension InMemoryStore {
    /// Finds what the attempts of an operation used.
    package func usages(of operation: OperationID) throws(StoreError) -> [UInt32: AttemptUsage] {
        jobs[operation.job]?.usages[operation.index] ?? [:]
    }

    /// Adds up what the finished operations of a job took.
    package func runSummary(of number: JobNumber) throws(StoreError) -> RunSummary {
        var summary = RunSummary()
        guard let job = jobs[number] else { return summary }
        for record in job.records.records {
            guard let startedAt = record.startedAt, let finishedAt = record.finishedAt else { continue }
            summary.addOperation(
                record.id,
                worker: record.worker,
                readyAt: record.readyAt,
                startedAt: startedAt,
                finishedAt: finishedAt
            )
        }
        for attempt in job.attempts.values.joined() {
            let busy = max(0, (attempt.endedAt - (attempt.startedAt ?? attempt.endedAt)).microseconds)
            summary.addEarlierAttempt(worker: attempt.worker, busy: busy)
        }
        for (index, usages) in job.usages.sorted(by: { $0.key < $1.key }) {
            for usage in usages.values {
                summary.addUsage(
                    count: 1,
                    processorMicroseconds: usage.processorMicroseconds,
                    peakMemory: usage.peakMemory,
                    of: OperationID(job: number, index: index)
                )
            }
        }
        return summary
    }

    /// Follows the chain of operations for which the end of a job waited.
    package func criticalPath(of number: JobNumber) throws(StoreError) -> CriticalPath {
        CriticalPath(endingWith: lastFinished(of: number, 0...UInt32.max, hasRun: true)) { operation in
            guard let job = jobs[operation.job], job.entry(of: operation.index) != nil else { return nil }
            let stored = job.operation(at: operation.index)
            let sources = stored.dependencies.compactMap { dependency in
                if case .job(let job) = dependency.target { return InputNames.Source(wholeJob: job) }
                return inputSource(dependency)
            }
            return CriticalPath.step(before: stored.record, sources) { source, limit in
                lastFinished(of: source.job, source.range, by: limit)
            }
        }
    }

    private func lastFinished(
        of number: JobNumber,
        _ range: ClosedRange<UInt32>,
        by limit: Timestamp = Timestamp(rawValue: .max),
        hasRun: Bool = false
    ) -> CriticalPath.Step? {
        var last: CriticalPath.Step?
        for record in jobs[number]?.records.records ?? [] {
            guard let finishedAt = record.finishedAt, finishedAt <= limit, record.id.index <= range.upperBound,
                record.lastIndex >= range.lowerBound, !hasRun || record.startedAt != nil,
                last.map({ $0.finishedAt < finishedAt }) ?? true
            else { continue }
            let index = max(record.id.index, range.lowerBound)
            last = CriticalPath.Step(
                operation: OperationID(job: number, index: index),
                startedAt: record.startedAt,
                finishedAt: finishedAt
            )
        }
        return last
    }
}
