@_spi(Baton) import BatonOperations

extension Timestamp {
    /// A moment some microseconds after the submission of the sample jobs.
    static func at(_ microseconds: Int64) -> Timestamp { Timestamp(rawValue: 1_000_000 + microseconds) }
}

extension HistoryPage {
    /// A page of job 12 without operations, with times in microseconds after the submission.
    static func sample(finishedAt: Int64? = nil, moment: Int64 = 1_000, from: UInt32 = 0) -> HistoryPage {
        HistoryPage(
            job: JobNumber(12),
            name: "sweep",
            coordinator: "tcp://127.0.0.1:7461",
            version: "1",
            submittedAt: .at(0),
            finishedAt: finishedAt.map { .at($0) },
            moment: .at(moment),
            counts: JobCounts(),
            from: from
        )
    }
}

extension OperationHistory {
    /// A finished operation with one attempt, with times in microseconds after the submission.
    static func ran(
        _ index: UInt32,
        _ worker: String?,
        _ start: Int64,
        _ end: Int64,
        _ outcome: Outcome = .succeeded,
        reason: Reason.Code? = nil
    ) -> OperationHistory {
        var operation = OperationHistory(first: index, state: .finished)
        (operation.outcome, operation.reason, operation.attempt, operation.worker) = (outcome, reason, 1, worker)
        (operation.startedAt, operation.finishedAt) = (.at(start), .at(end))
        return operation
    }

    /// An operation whose attempt runs.
    static func executing(_ index: UInt32, _ worker: String, _ start: Int64) -> OperationHistory {
        var operation = OperationHistory(first: index, state: .executing)
        (operation.attempt, operation.worker, operation.startedAt) = (1, worker, .at(start))
        return operation
    }
}
