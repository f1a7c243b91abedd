/// A set of operations with their dependencies, which a client submits at once and which becomes a job.
///
/// A submission is committed as a whole or not at all (QU4). Parts that operations have in common are stored once.
@_spi(Baton) public struct Submission: Hashable, Sendable {
    /// The most operations of one job; an index has to fit into 32 bits with room to spare.
    public static let maximumOperations = 100_000_000

    /// The most queues of a cluster, and therefore the most queues of one submission.
    public static let maximumQueues = 100_000

    /// The queue of operations without a queue name.
    public static let defaultQueue = "default"

    /// The job's name, for people; it need not be unique.
    public var name: String?
    /// The client's key: the answer to a second submission with the same key is the job of the first.
    public var key: String?
    /// The hash that distinguishes submissions with the same key, once the coordinator has computed it (D13).
    ///
    /// The digest is not part of the message.
    public var keyDigest: UInt64?
    /// The job that this submission retries, if the coordinator made it for a retry (D11).
    ///
    /// The number is not part of the message.
    public var retryOf: JobNumber?
    /// What the submission says about the job as a whole.
    ///
    /// In the message, settings that say nothing take no bytes.
    public var settings = JobSettings()
    /// Whether the job takes further operations until it is closed.
    ///
    /// In the message, an open submission is a request of its own kind.
    public var isOpen = false
    /// Whether the submission is refused if no worker that is present can ever take one of its operations (D16).
    ///
    /// In the message, such a submission is a request of its own kind.
    public var rejectsUnplaceable = false
    /// The files that the submitter sends, which one of the entries has; nil for none.
    ///
    /// In the message, a submission with files is a request of its own kind. The record has the files of the operation, and not of the
    /// submission.
    public var sent: SentFiles?
    /// Settings that the submission brings for queues.
    public var queueChanges: [QueueChange]
    /// The names of the queues that the entries use.
    public var queueNames: [String]
    /// The common parts of similar entries.
    public var templates: [Template]
    /// The operations and arrays, in the order of their addition (QU5).
    public var entries: [Entry]

    /// Puts a submission together; see ``validated()`` for the requirements.
    public init(
        name: String? = nil,
        key: String? = nil,
        queueChanges: [QueueChange] = [],
        queueNames: [String] = [defaultQueue],
        templates: [Template],
        entries: [Entry]
    ) {
        self.name = name
        self.key = key
        self.queueChanges = queueChanges
        self.queueNames = queueNames
        self.templates = templates
        self.entries = entries
    }

    /// How many operations the job would have, saturated at the largest number.
    public var operationCount: Int {
        entries.reduce(0) { $0.addingSaturated($1.count) }
    }
}
