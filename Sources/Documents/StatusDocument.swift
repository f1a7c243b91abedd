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
    }

    /// The protection of the coordinator's port; the raw values are the words in JSON.
    public enum Security: String, DocumentValue, CaseIterable {
        /// Everybody who reaches the port may do everything.
        case none
        /// Keys admit peers, and messages are encrypted with CurveZMQ.
        case curve
    }

    /// The key of a requester.
    public struct Key: Document {
        /// The key's name.
        public var name: String
        /// The key's role: `client`, `worker`, `viewer` or `operation`.
        public var role: String

        /// Names a key.
        public init(name: String, role: String) {
            self.name = name
            self.role = role
        }
    }

    /// A coordinator that stands by: it leads once nobody else does.
    public struct Standby: Document {
        /// Its address.
        public var address: String
        /// The name of its host; null if it has not told.
        public var host: String?
        /// When it began to stand by, by the clock of the record's server.
        public var since: Timestamp
        /// Whether it has the same keys as the leader, without which workers and commands would not follow; null without keys.
        public var sharesKeys: Bool?

        /// Describes a coordinator.
        public init(address: String, host: String?, since: Timestamp, sharesKeys: Bool?) {
            self.address = address
            self.host = host
            self.since = since
            self.sharesKeys = sharesKeys
        }
    }

    /// The coordinator's address.
    public var coordinator: String
    /// The coordinator's version.
    public var version: String
    /// The number of coordinator starts on the store.
    public var epoch: UInt32
    /// The protection of the coordinator's port.
    public var security: Security
    /// The key that the request for the status came with; nil without security.
    public var key: Key?
    /// The time since the coordinator's start, in whole seconds.
    public var uptimeSeconds: Int
    /// The present time by the coordinator's clock; nil from a coordinator of an earlier version.
    public var time: Timestamp?
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
    /// What the record is in: `sqlite` or `postgresql`; nil from a coordinator of an earlier version.
    public var store: String?
    /// How the server of the record copies what it has committed to other servers: `synchronous`, `asynchronous` or `none`; nil for a
    /// record without a server, and where the server does not tell.
    public var replication: String?
    /// What the coordinator does among those of its record: `leader`, because one that stands by answers no status; nil from a coordinator
    /// of an earlier version.
    public var role: String?
    /// The coordinators that stand by, by address; nil for a record in a file, and where the server does not tell.
    public var standbys: [Standby]?

    /// Describes the cluster.
    public init(
        coordinator: String,
        version: String,
        epoch: UInt32,
        security: Security,
        key: Key? = nil,
        uptimeSeconds: Int,
        time: Timestamp?,
        workers: Int,
        awaitedWorkers: [String] = [],
        slots: Int,
        failing: [Failing] = [],
        queues: Int,
        counts: JobCounts,
        store: String? = nil,
        replication: String? = nil,
        role: String? = nil,
        standbys: [Standby]? = nil
    ) {
        self.coordinator = coordinator
        self.version = version
        self.epoch = epoch
        self.security = security
        self.key = key
        self.uptimeSeconds = uptimeSeconds
        self.time = time
        self.workers = workers
        self.awaitedWorkers = awaitedWorkers
        self.slots = slots
        self.failing = failing
        self.queues = queues
        self.counts = counts
        self.store = store
        self.replication = replication
        self.role = role
        self.standbys = standbys
    }
}
