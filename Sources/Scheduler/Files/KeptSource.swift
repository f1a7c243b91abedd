@_spi(Baton) import BatonOperations

/// A finished operation that left files, as far as its dependents need to know it.
struct KeptSource: Sendable {
    /// What is needed to run the operation again; only of an operation whose job is not finished.
    struct Producer: Sendable {
        /// The record of the operation; the number, token and worker are those of its last attempt.
        var record: OperationRecord
        /// The operation's age, which it keeps.
        let sequence: UInt64
        /// The operation's number in the order in which priorities were given.
        let order: UInt64
        /// The operation's priority.
        let priority: Priority
        /// The name of the operation's queue, which may have been deleted since.
        var queue: String
        /// Whether the record tells that the files of the last attempt were lost.
        var isLossRecorded = false
    }

    /// The number of the attempt that made the files.
    var attempt: UInt32
    /// The files.
    var files: [KeptFile]
    /// How many workers are to keep each of the files.
    var copies: Int
    /// The number of different contents of which no worker has a copy.
    var missing = 0
    /// What is needed to run the operation again; nil once its job is finished.
    var producer: Producer?
    /// How the last copy of a file was lost; nil if all files have copies, or if nobody knows.
    var loss: FileLoss?
    /// Why the operation could not be run again, as a sentence; nil if it was not tried.
    var failure: String?

    init(attempt: UInt32, files: [KeptFile], copies: Int = 1, producer: Producer?) {
        self.attempt = attempt
        self.files = files
        self.copies = copies
        self.producer = producer
    }

    /// Takes files over from the record.
    init(_ source: FileSource) {
        self.init(attempt: source.attempt, files: source.files, copies: source.copies, producer: nil)
    }

    /// The different contents.
    var digests: Set<ContentDigest> { Set(files.lazy.map(\.digest)) }
}
