@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers the question what a job took.
extension CoordinatorCore {
    /// The most steps of a critical path in a document; the last ones stay.
    static let mostSteps = 100

    func answerSummary(of job: JobNumber, for client: ReplyAddress) {
        let liveCounts = scheduler.counts(of: job)
        let isOpen = scheduler.isOpen(job)
        answerBeside(client) { [now = shownTime.present] store throws(StoreError) in
            guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
            let counts = liveCounts ?? summary.counts ?? JobCounts()
            let run = try store.runSummary(of: job)
            let path = try store.criticalPath(of: job)
            func time(_ extreme: RunSummary.Extreme) throws(StoreError) -> SummaryDocument.OperationTime {
                SummaryDocument.OperationTime(
                    operation: extreme.operation,
                    name: try Self.name(extreme.operation, store),
                    seconds: extreme.value.seconds
                )
            }
            var slowest: [SummaryDocument.OperationTime] = []
            for extreme in run.slowest { slowest.append(try time(extreme)) }
            var longestWait: SummaryDocument.OperationTime?
            if let longest = run.longestWait { longestWait = try time(longest) }
            var peakMemory: SummaryDocument.OperationMemory?
            if let peak = run.peakMemory {
                peakMemory = SummaryDocument.OperationMemory(
                    operation: peak.operation,
                    name: try Self.name(peak.operation, store),
                    bytes: peak.value
                )
            }
            let (steps, isCut) = try Self.steps(of: path, since: summary.submittedAt, store)
            let workers = run.workers.sorted { ($1.value.busy, $0.key ?? "") < ($0.value.busy, $1.key ?? "") }
            let isFinished = counts.state(isOpen: isOpen) == .finished
            let end = isFinished ? summary.finishedAt ?? now : now
            let document = SummaryDocument(
                job: job,
                name: summary.name,
                isOpen: isOpen,
                counts: counts,
                submittedAt: summary.submittedAt,
                finishedAt: isFinished ? summary.finishedAt : nil,
                elapsedSeconds: max(0, (end - summary.submittedAt).microseconds).seconds,
                operations: run.operations,
                attempts: run.operations + run.earlierAttempts,
                busySeconds: run.busy.seconds,
                waitingSeconds: run.waiting.seconds,
                longestWait: longestWait,
                measuredAttempts: run.measuredAttempts,
                cpuSeconds: run.measuredAttempts > 0 ? run.processorMicroseconds.seconds : nil,
                peakMemory: peakMemory,
                workers: workers.map {
                    SummaryDocument.Worker(
                        worker: $0.key,
                        attempts: $0.value.attempts,
                        busySeconds: $0.value.busy.seconds
                    )
                },
                slowest: slowest,
                criticalPath: steps,
                criticalPathIsCut: isCut
            )
            return .document(document.json(for: client.disclosure))
        }
    }

    func answerCriticalPath(of job: JobNumber, for client: ReplyAddress) {
        answerBeside(client) { store throws(StoreError) in
            guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
            let (steps, isCut) = try Self.steps(of: try store.criticalPath(of: job), since: summary.submittedAt, store)
            let document = CriticalPathDocument(operations: steps, isCut: isCut)
            return .document(document.json(for: client.disclosure))
        }
    }

    /// The last steps of a path for a document, and whether there were more before.
    private static func steps(
        of path: CriticalPath,
        since submittedAt: Timestamp,
        _ store: any RecordReader
    ) throws(StoreError) -> (steps: [SummaryDocument.Step], isCut: Bool) {
        let shown = path.steps.suffix(mostSteps)
        var before = shown.count < path.steps.count ? path.steps[path.steps.count - shown.count - 1].finishedAt : nil
        var steps: [SummaryDocument.Step] = []
        for step in shown {
            let startedAt = step.startedAt ?? step.finishedAt
            steps.append(
                SummaryDocument.Step(
                    operation: step.operation,
                    name: try name(step.operation, store),
                    seconds: max(0, (step.finishedAt - startedAt).microseconds).seconds,
                    waited: max(0, (startedAt - (before ?? submittedAt)).microseconds).seconds
                )
            )
            before = step.finishedAt
        }
        return (steps, path.isCut || shown.count < path.steps.count)
    }

    private static func name(_ operation: OperationID, _ store: any RecordReader) throws(StoreError) -> String? {
        try store.operations(of: operation.job, from: operation.index, limit: 1).first?.fullName
    }
}

extension Int64 {
    /// Microseconds as seconds.
    fileprivate var seconds: Double { Double(self) / 1e6 }
}

extension StoredOperation {
    /// The name in the job; for an element of a named array, `NAME.NUMBER`.
    fileprivate var fullName: String? {
        InputNames.Element(name: entry.name, number: arrayNumber).fullName
    }
}
