/// What a client submits at once, and becomes a job: operations and the dependencies among them.
///
/// A submission is kept whole or not at all (QU4). What its operations have in common stands in it once.
public struct Submission: Hashable, Sendable {
    /// The most operations that one job may have; an index has to fit into 32 bits with room to spare.
    public static let maximumOperations = 100_000_000

    /// The most queues that a cluster has, and so the most that one submission may name.
    public static let maximumQueues = 100_000

    /// The queue of operations that name none.
    public static let defaultQueue = "default"

    /// The job's name, for people; it need not be unique.
    public var name: String?
    /// The client's key: a second submission with the same key is answered with the first one's job.
    public var key: String?
    /// What tells it from another submission with the same key, where the coordinator has found that out (D13): it does not
    /// travel.
    public var keyDigest: UInt64?
    /// The job of which the coordinator made it in order to try it again (D11): it does not travel.
    public var retryOf: JobNumber?
    /// Settings that the submission brings for queues.
    public var queueChanges: [QueueChange]
    /// The names of the queues that the entries use.
    public var queueNames: [String]
    /// What alike entries share.
    public var templates: [Template]
    /// The operations and arrays, in the order in which they count as added (QU5).
    public var entries: [Entry]

    /// Puts a submission together; see ``validated()`` for what makes it acceptable.
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

    /// How many operations the job would have; the largest number where the sum is above it.
    public var operationCount: Int {
        entries.reduce(0) { $0.addingSaturated($1.count) }
    }
}
