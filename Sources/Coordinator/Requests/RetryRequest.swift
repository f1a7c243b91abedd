@_spi(Baton) import BatonOperations

/// A request to submit the unsuccessful operations of a job again (D11).
struct RetryRequest: Sendable {
    /// The job, all of whose operations have to be finished.
    var job: JobNumber
    /// The operations to retry.
    var operations: [Address]
    /// The numbers of groups of failures whose operations to retry too; without operations and groups, all operations of the job.
    var groups: [UInt32]
    /// The options of the retry, without operations.
    var selection: RetrySelection
    /// Whether the job may have been retried before.
    var isAllowedAgain: Bool
    /// Whether operations that no worker present can ever take are refused.
    var rejectsUnplaceable: Bool
    /// Identifies a repetition of the request; another request with the key of a job is refused.
    var key: String
    /// Other commands and settings of the operations.
    var changes: RetryChanges
}

/// The condition that a job has no retry but those that the record was asked for.
struct UnlessRetried: Sendable {
    /// The request, to look up once more where another retry may have come in between.
    var request: RetryRequest
    /// When the record was asked, as ``LatestRetries/moment``.
    var moment: UInt64
}
