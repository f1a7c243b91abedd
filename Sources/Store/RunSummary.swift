@_spi(Baton) public import BatonOperations

/// What the attempts of a job's finished operations took, in sums.
@_spi(Baton) public struct RunSummary: Hashable, Sendable {
    /// The part of one worker.
    public struct WorkerPart: Hashable, Sendable {
        /// How many attempts ended on the worker.
        public var attempts = 0
        /// The run times of these attempts together, in microseconds.
        public var busy: Int64 = 0
    }

    /// An operation with a time or an amount of memory.
    public struct Extreme: Hashable, Sendable {
        /// The operation.
        public var operation: OperationID
        /// Microseconds or bytes.
        public var value: Int64
    }

    /// The most operations in ``slowest``.
    public static let mostSlowest = 5

    /// How many operations ran to an end.
    public var operations = 0
    /// How many further attempts ended before their operations.
    public var earlierAttempts = 0
    /// The workers of the attempts; nil stands for an unknown worker.
    public var workers: [String?: WorkerPart] = [:]
    /// The times from ready to started of the operations' last attempts together, in microseconds.
    public var waiting: Int64 = 0
    /// The operation that waited the longest from ready to started.
    public var longestWait: Extreme?
    /// The operations whose last attempts took the longest, the slowest first.
    public var slowest: [Extreme] = []
    /// How many attempts have a known use of resources.
    public var measuredAttempts = 0
    /// The processor time of these attempts together, in microseconds.
    public var processorMicroseconds: Int64 = 0
    /// The operation with the process that had the most resident memory.
    public var peakMemory: Extreme?

    /// Nothing has run.
    public init() {}

    /// The run times of all attempts together, in microseconds.
    public var busy: Int64 { workers.values.reduce(0) { $0.addingSaturated($1.busy) } }

    /// Adds the last attempt of a finished operation.
    mutating func addOperation(
        _ operation: OperationID,
        worker: String?,
        readyAt: Timestamp?,
        startedAt: Timestamp,
        finishedAt: Timestamp
    ) {
        operations += 1
        let busy = max(0, (finishedAt - startedAt).microseconds)
        addAttempt(worker: worker, busy: busy)
        if let readyAt {
            let wait = max(0, (startedAt - readyAt).microseconds)
            waiting = waiting.addingSaturated(wait)
            if wait > longestWait?.value ?? 0 { longestWait = Extreme(operation: operation, value: wait) }
        }
        guard slowest.count < Self.mostSlowest || busy > slowest[slowest.count - 1].value else { return }
        let place = slowest.firstIndex { $0.value < busy } ?? slowest.count
        slowest.insert(Extreme(operation: operation, value: busy), at: place)
        if slowest.count > Self.mostSlowest { slowest.removeLast() }
    }

    /// Adds an attempt that ended before its operation.
    mutating func addEarlierAttempt(worker: String?, busy: Int64) {
        earlierAttempts += 1
        addAttempt(worker: worker, busy: busy)
    }

    private mutating func addAttempt(worker: String?, busy: Int64) {
        var part = workers[worker] ?? WorkerPart()
        part.attempts += 1
        part.busy = part.busy.addingSaturated(busy)
        workers[worker] = part
    }

    /// Adds what attempts of an operation, the one with the most memory among them, used.
    mutating func addUsage(count: Int, processorMicroseconds: Int64, peakMemory: Int64, of operation: OperationID) {
        measuredAttempts += count
        self.processorMicroseconds = self.processorMicroseconds.addingSaturated(processorMicroseconds)
        if peakMemory > self.peakMemory?.value ?? 0 {
            self.peakMemory = Extreme(operation: operation, value: peakMemory)
        }
    }
}
