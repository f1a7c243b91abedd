/// What the worker of an attempt fetched before the attempt started, in a history.
@_spi(Baton) public struct HistoryFetch: Hashable, Sendable {
    /// The index of the operation.
    public var operation: UInt32
    /// The number of the attempt, from 1.
    public var attempt: UInt32
    /// What was fetched.
    public var fetch: FetchRecord

    /// Describes a fetch.
    public init(operation: UInt32, attempt: UInt32, fetch: FetchRecord) {
        self.operation = operation
        self.attempt = attempt
        self.fetch = fetch
    }
}

/// The files that an attempt left, in a history.
@_spi(Baton) public struct HistoryFiles: Hashable, Sendable {
    /// The index of the operation.
    public var operation: UInt32
    /// The number of the attempt; 0 for files that were taken over from an earlier job.
    public var attempt: UInt32
    /// The number of files.
    public var count: UInt32
    /// The bytes of the files.
    public var bytes: Int64

    /// Describes the files of an attempt.
    public init(operation: UInt32, attempt: UInt32, count: UInt32, bytes: Int64) {
        self.operation = operation
        self.attempt = attempt
        self.count = count
        self.bytes = bytes
    }
}
