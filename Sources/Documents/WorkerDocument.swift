@_spi(Baton) public import BatonOperations

/// A worker, its executing operations and its ended attempts: `workers NAME`.
@_spi(Baton) public struct WorkerDocument: Document {
    /// An operation that the worker executes.
    public struct Execution: Document {
        /// The operation.
        public var operation: OperationID
        /// The number of the attempt.
        public var attempt: UInt32
        /// When the attempt has started.
        public var startedAt: Timestamp?

        /// Describes an operation that executes.
        public init(operation: OperationID, attempt: UInt32, startedAt: Timestamp?) {
            self.operation = operation
            self.attempt = attempt
            self.startedAt = startedAt
        }
    }

    /// An operation for which the worker fetches files before the start.
    public struct Fetch: Document {
        /// The operation.
        public var operation: OperationID
        /// The number of files that are not there.
        public var files: Int
        /// The bytes of all files that the operation needs.
        public var bytes: Int64
        /// The bytes of these files that are on the worker, parts of files included.
        public var present: Int64

        /// Describes an operation whose files are being fetched.
        public init(operation: OperationID, files: Int, bytes: Int64, present: Int64) {
            self.operation = operation
            self.files = files
            self.bytes = bytes
            self.present = present
        }
    }

    /// The end of an attempt, as the worker has reported it.
    public struct Ended: Document, Equatable {
        /// How an attempt ends.
        public enum End: String, DocumentValue, CaseIterable {
            /// All commands exited.
            case exit
            /// A signal ended a command.
            case signal
            /// The attempt exceeded its timeout.
            case timeout
            /// The attempt used more memory than its operation asked for.
            case memory
            /// Somebody asked for the end.
            case cancelled
            /// The attempt could not be started.
            case launch
            /// The result could not be used.
            case result
            /// The files could not be kept.
            case files
            /// The Swift function threw an error.
            case error
            /// The worker could not carry the attempt on.
            case lost
            /// The worker could not start the attempt, and has given it back.
            case givenBack
            /// The worker was stopped.
            case stopped
        }

        /// The operation.
        public var operation: OperationID
        /// How the attempt ended.
        public var end: End
        /// The exit status; null unless the commands exited.
        public var exitStatus: Int32?
        /// The signal; null unless a signal ended a command.
        public var signal: Int32?
        /// The run time in seconds.
        public var seconds: Double
        /// When the coordinator heard of the end.
        public var endedAt: Timestamp

        /// Describes an end.
        public init(
            operation: OperationID,
            end: End,
            exitStatus: Int32?,
            signal: Int32?,
            seconds: Double,
            endedAt: Timestamp
        ) {
            self.operation = operation
            self.end = end
            self.exitStatus = exitStatus
            self.signal = signal
            self.seconds = seconds
            self.endedAt = endedAt
        }
    }

    /// The worker.
    public var worker: WorkersDocument.Worker
    /// The operations that it executes, the first thousand.
    public var executing: [Execution]
    /// The operations for which it fetches files before their start; nil if there are none.
    @IfPresent public var fetching: [Fetch]?
    /// The address at which other workers read the worker's files directly; nil if files go through the coordinator.
    @IfPresent public var dataAddress: String?
    /// Since when the coordinator counts: the worker has joined, or the coordinator has started.
    public var since: Timestamp?
    /// The number of attempts that have ended, and whose commands all exited with 0 or whose function returned.
    public var succeeded: Int
    /// The number of attempts that have ended in another way, cancelled ones included.
    public var unsuccessful: Int
    /// The attempts that ended last, newest first.
    public var ended: [Ended]
    /// The used share of its slots in each part of the last quarter of an hour, from 0 to 1, oldest first and without the present part.
    ///
    /// A part in which it was away is 0; no part is from before the start of the coordinator, or before its first join.
    public var busy: [Double]
    /// The length of such a part in seconds.
    public var busyBucketSeconds: Int

    /// Describes a worker.
    public init(
        worker: WorkersDocument.Worker,
        executing: [Execution],
        fetching: [Fetch]? = nil,
        dataAddress: String? = nil,
        since: Timestamp?,
        succeeded: Int,
        unsuccessful: Int,
        ended: [Ended],
        busy: [Double],
        busyBucketSeconds: Int
    ) {
        self.worker = worker
        self.executing = executing
        self.fetching = fetching
        self.dataAddress = dataAddress
        self.since = since
        self.succeeded = succeeded
        self.unsuccessful = unsuccessful
        self.ended = ended
        self.busy = busy
        self.busyBucketSeconds = busyBucketSeconds
    }
}
