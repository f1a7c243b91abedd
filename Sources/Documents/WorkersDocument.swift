@_spi(Baton) public import BatonOperations

/// All workers: `workers`.
@_spi(Baton) public struct WorkersDocument: Document {
    /// The condition of a worker, as seen by the coordinator.
    public enum State: String, DocumentValue, CaseIterable {
        /// The coordinator heard from the worker recently.
        case alive
        /// The worker was silent for a while, and gets no new operations.
        case suspect
        /// The worker cannot start operations because of a fault of the worker itself, and gets one operation at a time as a
        /// test.
        case failing
        /// The worker finishes or ends its running operations, and gets no new operations.
        case draining
        /// The worker was silent for so long that other workers got its operations.
        case lost
        /// The worker has left; it is listed because it is drained, or with `--all` for an hour.
        case left
    }

    /// One worker.
    public struct Worker: Document {
        /// The worker's name.
        public var worker: String
        /// The worker's condition, as seen by the coordinator.
        public var state: State
        /// The fault of a failing worker; nil for other workers.
        @IfPresent public var reason: String?
        /// Whether the worker gets no new operations, because it is drained or its process is about to end.
        public var draining: Bool
        /// When somebody asked for the drain; nil unless the worker is drained.
        @IfPresent public var drainedAt: Timestamp?
        /// Who asked for the drain, such as the name of a key; nil unless the worker is drained and somebody is known.
        @IfPresent public var drainedBy: String?
        /// When the worker ends because of its time limit; nil without a limit.
        @IfPresent public var endsAt: Timestamp?
        /// The maximum number of concurrent attempts.
        public var slots: Int
        /// The number of running attempts.
        public var executing: Int
        /// The name of the worker's host.
        public var host: String
        /// The processors that the worker has for operations; null for a worker of which only the name is known.
        public var cpus: Double?
        /// The memory that the worker has for operations, in bytes; null for a worker of which only the name is known.
        public var memory: Int64?
        /// How the worker ends operations that use more memory than they asked for: `cgroup` for the kernel, `sampling` for a
        /// measurement four times a second; null if it does not.
        public var memoryControl: String?
        /// The worker's labels, which operations can ask for.
        public var labels: [String: String]
        /// The worker's resources, with amounts, which operations can ask for.
        public var resources: [String: Int]
        /// What the worker's attempts have taken; null for a worker of which only the name is known.
        public var used: Used?
        /// The types of Swift operations that the worker runs beside commands.
        public var types: [String]
        /// The time of a message to the worker and back, in seconds; nil for a worker so near that it does not matter.
        public var roundTripSeconds: Double?
        /// The time since the last sign of life, in seconds; nil for a worker that has left or has not come back.
        public var silentSeconds: Double?
        /// The worker's process id on its host.
        public var processID: Int32
        /// When the worker has left; null for a worker that has not, or whose departure the coordinator does not remember.
        public var leftAt: Timestamp?
        /// Whether the coordinator, since its restart, still waits for the worker; only the name of an absent worker is known.
        public var absent: Bool
        /// True for the coordinator's own worker, which keeps files and runs nothing; nil for other workers.
        @IfPresent public var keeper: Bool?
        /// When the worker counts as lost, if it stays silent; nil unless it is suspect.
        @IfPresent public var lostAt: Timestamp?

        /// Describes a worker.
        public init(
            worker: String,
            state: State,
            reason: String? = nil,
            draining: Bool = false,
            drainedAt: Timestamp? = nil,
            drainedBy: String? = nil,
            endsAt: Timestamp? = nil,
            slots: Int,
            executing: Int,
            host: String,
            cpus: Double? = nil,
            memory: Int64? = nil,
            memoryControl: String? = nil,
            labels: [String: String] = [:],
            resources: [String: Int] = [:],
            used: Used? = nil,
            types: [String] = [],
            roundTripSeconds: Double? = nil,
            silentSeconds: Double? = nil,
            processID: Int32,
            leftAt: Timestamp? = nil,
            absent: Bool = false,
            keeper: Bool? = nil,
            lostAt: Timestamp? = nil
        ) {
            self.worker = worker
            self.state = state
            self.reason = reason
            self.draining = draining
            self.drainedAt = drainedAt
            self.drainedBy = drainedBy
            self.endsAt = endsAt
            self.slots = slots
            self.executing = executing
            self.host = host
            self.cpus = cpus
            self.memory = memory
            self.memoryControl = memoryControl
            self.labels = labels
            self.resources = resources
            self.used = used
            self.types = types
            self.roundTripSeconds = roundTripSeconds
            self.silentSeconds = silentSeconds
            self.processID = processID
            self.leftAt = leftAt
            self.absent = absent
            self.keeper = keeper
            self.lostAt = lostAt
        }
    }

    /// What the attempts at a worker have taken of what it has, in addition to slots.
    public struct Used: Document {
        /// The processors.
        public var cpus: Double
        /// The memory in bytes.
        public var memory: Int64
        /// The resources of which any units are taken, with the numbers of units.
        public var resources: [String: Int]

        /// Describes what attempts have taken.
        public init(cpus: Double = 0, memory: Int64 = 0, resources: [String: Int] = [:]) {
            self.cpus = cpus
            self.memory = memory
            self.resources = resources
        }
    }

    /// The workers, by name.
    public var workers: [Worker]

    /// Lists workers.
    public init(workers: [Worker]) {
        self.workers = workers
    }
}
