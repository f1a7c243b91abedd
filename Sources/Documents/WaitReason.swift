@_spi(Baton) public import BatonOperations

/// A reason that keeps an operation from running.
///
/// Each reason has a kind and a sentence; each kind uses only some of the other keys.
@_spi(Baton) public struct WaitReason: Document {
    /// The kind of a reason; the raw values are the words in JSON.
    public enum Kind: String, DocumentValue, CaseIterable {
        /// Another operation or job must end first.
        case dependency
        /// Files that the operation needs have no copy any more, and the operation that made them runs again; or a worker fetches
        /// files, for this operation or for others.
        case files
        /// The operation is held.
        case hold
        /// The start time is in the future.
        case delay
        /// The operation's queue is suspended.
        case suspended
        /// The operation's queue, its array, or a limit that queues share has reached its limit.
        case limit
        /// A barrier of the queue comes first; or the operation is a barrier, and earlier operations come first.
        case barrier
        /// All slots of all workers are occupied, or all slots of the worker that the operation was sent to.
        case slots
        /// No worker has enough of the processors, memory or resources that the operation asks for, now or ever.
        case resources
        /// No worker meets the operation's conditions for labels.
        case labels
        /// All suitable workers are unable to start operations, because of faults of the workers themselves.
        case failing
        /// No worker is connected, no worker runs the operation's type, or those that do are draining or end too soon.
        case noWorker
        /// Other operations of the queue come first.
        case order
    }

    /// What a worker lacks for the operation.
    public struct Lack: Document {
        /// The worker's name.
        public var worker: String
        /// What the worker lacks, in words.
        public var message: String
    }

    /// The kind of the reason.
    public var kind: Kind
    /// The dependency or barrier that must end first: an operation's address, or a job's number; of files, the operation that runs
    /// again; of a limit, the array, or the operation for which the last place or the free units are kept.
    @IfPresent public var operation: String?
    /// The required end of the dependency.
    @IfPresent public var condition: DependencyCondition?
    /// The number of operations of the dependency by state, and of finished operations by outcome.
    @IfPresent public var counts: JobCounts?
    /// The reasons that keep the dependency from running; set for a dependency and for files, and empty if the dependency is executing.
    @IfPresent public var waitsFor: [WaitReason]?
    /// True if the dependency is an open job, which does not end before `baton close`.
    @IfPresent public var open: Bool?
    /// The earliest start.
    @IfPresent public var until: Timestamp?
    /// The queue concerned.
    @IfPresent public var queue: String?
    /// The maximum number of operations of the queue executing at once, or the units of the shared limit.
    @IfPresent public var limit: Int?
    /// The number of executing operations of the queue.
    @IfPresent public var executing: Int?
    /// The limit that several queues share, of which the operation takes units.
    @IfPresent public var sharedLimit: String?
    /// The units of the shared limit that the operation takes.
    @IfPresent public var units: Int?
    /// The units of the shared limit that operations have taken.
    @IfPresent public var taken: Int?
    /// The number of slots, all occupied.
    @IfPresent public var slots: Int?
    /// The worker that the operation was sent to, also to fetch its files first, the one with the most time left, the one that is
    /// kept for the operation, or the one that had the last copy of its files.
    @IfPresent public var worker: String?
    /// What the workers lack that come closest.
    @IfPresent public var lacks: [Lack]?
    /// Whether a worker could take the operation, or a shared limit has enough units, once other operations have ended.
    @IfPresent public var possible: Bool?
    /// The workers among the draining ones that an administrator can let take operations again.
    @IfPresent public var drained: [String]?
    /// The number of operations that come first.
    @IfPresent public var ahead: Int?
    /// The first of the operations that the barrier waits for, or that have taken units of the shared limit.
    @IfPresent public var operations: [String]?
    /// The number of further dependencies or workers, represented by this reason and not listed.
    @IfPresent public var more: Int?
    /// The reason, in a sentence.
    public var message: String

    /// The reasons of a dependency stand behind what they explain.
    public static let movedKeys: KeyValuePairs = ["waitsFor": "message", "possible": "lacks"]

    /// Creates a reason with a kind and a sentence; ``dependency(on:condition:counts:waitsFor:)`` and similar functions set the
    /// other keys.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
