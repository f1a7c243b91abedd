@_spi(Baton) public import BatonOperations

/// What holds the rest of a job up: `explain JOB`.
@_spi(Baton) public struct WaitingDocument: Document {
    /// What unfinished operations of the job wait for together.
    public struct Reason: Document {
        /// The kind of the reason; operations that are about to be sent to workers have the kind `order`.
        public var kind: WaitReason.Kind
        /// The reason with the number of the operations, in a sentence.
        public var message: String
        /// The number of the operations.
        public var count: Int
        /// The first of the operations.
        public var operation: OperationID
        /// The queue of the operations.
        public var queue: String
        /// Whether a worker could take the operations once others have ended; set for reasons of resources and labels.
        @IfPresent public var possible: Bool?

        /// Describes a reason.
        public init(_ kind: WaitReason.Kind, _ message: String, count: Int, operation: OperationID, queue: String) {
            self.kind = kind
            self.message = message
            self.count = count
            self.operation = operation
            self.queue = queue
        }
    }

    /// The job.
    public var job: JobNumber
    /// The reasons of the operations that are neither finished nor executing, those of the most operations first.
    public var reasons: [Reason]
    /// The number of such operations that no reason counts: there are too many reasons, or too many operations to look at.
    public var more: Int
    /// The first of the executing operations whose processes are stopped; absent if none is.
    @IfPresent public var stopped: [StoppedOperation]?
    /// The first of the executing operations that are paused; absent if none is.
    @IfPresent public var paused: [PausedOperation]?

    /// Lists reasons.
    public init(
        job: JobNumber,
        reasons: [Reason],
        more: Int = 0,
        stopped: [StoppedOperation] = [],
        paused: [PausedOperation] = []
    ) {
        self.job = job
        self.reasons = reasons
        self.more = more
        self.stopped = stopped.isEmpty ? nil : stopped
        self.paused = paused.isEmpty ? nil : paused
    }
}
