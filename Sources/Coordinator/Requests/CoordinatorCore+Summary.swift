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
        answerBeside(client) { [now = self.now] store throws(StoreError) in
            guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
            let counts = liveCounts ?? summary.counts ?? JobCounts()
            let run = try store.runSummary(of: job)
            let path = try store.criticalPath(of: job)
            func name(_ operation: OperationID) throws(StoreError) -> String? {
                try store.operations(of: operation.job, from: operation.index, limit: 1).first?.fullName
            }
            func time(_ extreme: RunSummary.Extreme) throws(StoreError) -> SummaryDocument.OperationTime {
                SummaryDocument.OperationTime(
                    operation: extreme.operation,
                    name: try name(extreme.operation),
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
                    name: try name(peak.operation),
                    bytes: peak.value
                )
            }
            var steps: [SummaryDocument.Step] = []
            let shown = path.steps.suffix(Self.mostSteps)
            var before =
                shown.count < path.steps.count ? path.steps[path.steps.count - shown.count - 1].finishedAt : nil
            for step in shown {
                let startedAt = step.startedAt ?? step.finishedAt
                steps.append(
                    SummaryDocument.Step(
                        operation: step.operation,
                        name: try name(step.operation),
                        seconds: max(0, (step.finishedAt - startedAt).microseconds).seconds,
                        waited: max(0, (startedAt - (before ?? summary.submittedAt)).microseconds).seconds
                    )
                )
                before = step.finishedAt
            }
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
                criticalPathIsCut: path.isCut || shown.count < path.steps.count
            )
            return .document(document.json(for: client.disclosure))
        }
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
