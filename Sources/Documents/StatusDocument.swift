@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// A summary of the cluster: `status`.
@_spi(Baton) public struct StatusDocument: Document {
    /// A worker unable to start operations because of a fault of the worker itself.
    public struct Failing: Document {
        /// The worker's name.
        public var worker: String
        /// The fault.
        public var reason: String

        /// Names a worker.
        public init(worker: String, reason: String) {
            self.worker = worker
            self.reason = reason
        }

        /// Writes the worker.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("worker", worker)
            writer.member("reason", reason)
            writer.endObject()
        }
    }

    /// The coordinator's address.
    public var coordinator: String
    /// The coordinator's version.
    public var version: String
    /// The number of coordinator starts on the store.
    public var epoch: UInt32
    /// The time since the coordinator's start, in whole seconds.
    public var uptimeSeconds: Int
    /// The number of workers, without lost and awaited workers.
    public var workers: Int
    /// The workers known before the coordinator's restart that have not come back; the coordinator waits for their return.
    public var awaitedWorkers: [String]
    /// The total number of slots of the workers.
    public var slots: Int
    /// The failing workers, by name.
    public var failing: [Failing]
    /// The number of queues.
    public var queues: Int
    /// The number of operations by state, and of finished operations by outcome.
    public var counts: JobCounts

    /// Describes the cluster.
    public init(
        coordinator: String,
        version: String,
        epoch: UInt32,
        uptimeSeconds: Int,
        workers: Int,
        awaitedWorkers: [String] = [],
        slots: Int,
        failing: [Failing] = [],
        queues: Int,
        counts: JobCounts
    ) {
        self.coordinator = coordinator
        self.version = version
        self.epoch = epoch
        self.uptimeSeconds = uptimeSeconds
        self.workers = workers
        self.awaitedWorkers = awaitedWorkers
        self.slots = slots
        self.failing = failing
        self.queues = queues
        self.counts = counts
    }

    /// Writes the status.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("coordinator", coordinator)
        writer.member("version", version)
        writer.member("epoch", epoch)
        writer.member("uptimeSeconds", uptimeSeconds)
        writer.member("workers", workers)
        writer.member("awaitedWorkers", strings: awaitedWorkers)
        writer.member("slots", slots)
        writer.member("failing", array: failing) { worker, writer in worker.write(to: &writer) }
        writer.member("queues", queues)
        writer.member("counts", counts)
        writer.endObject()
    }
}
