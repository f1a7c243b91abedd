public import BatonOperations

/// The cluster at one glance: `status`.
public struct StatusDocument: Document {
    /// A worker that cannot start anything through a fault of its own.
    public struct Failing: Document {
        /// Its name.
        public var worker: String
        /// What is wrong.
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

    /// Where the coordinator answers.
    public var coordinator: String
    /// Its version.
    public var version: String
    /// How often a coordinator was started on its store.
    public var epoch: UInt32
    /// How long it has been running, in whole seconds.
    public var uptimeSeconds: Int
    /// How many workers are there.
    public var workers: Int
    /// The workers that were there before the coordinator was restarted and have not come back: it waits for them.
    public var awaitedWorkers: [String]
    /// How many slots the workers have together.
    public var slots: Int
    /// Those of the workers that are failing, by name.
    public var failing: [Failing]
    /// How many queues there are.
    public var queues: Int
    /// How many operations are where in their lives.
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
