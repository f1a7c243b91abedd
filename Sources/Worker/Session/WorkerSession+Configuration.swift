public import BatonOperations
import BatonWire

extension WorkerSession {
    /// What a worker says of itself, and how patient it is.
    public struct Configuration: Sendable {
        /// The worker's name.
        public var name: String
        /// The worker's build.
        public var version: String
        /// How many attempts it runs at once.
        public var slots: UInt32
        /// The host's name.
        public var host: String
        /// The worker's process id.
        public var processID: Int32
        /// Which of the worker's lives it is.
        public var life: WorkerLife
        /// Which of the workers of its name it is.
        public var id = WorkerID.unknown
        /// Whether it takes the place of another worker of its name that is there.
        public var replaces = false
        /// The types of Swift operations that it runs.
        public var types: [String] = []
        /// How many completion hooks it runs at once, beside the attempts that need slots.
        public var hooksAtOnce = WorkerSession.hooksAtOnce
        /// How long a hello may go unanswered before another connection is tried.
        public var welcomePatience: Duration = .seconds(3)
        /// After how many heartbeat intervals of silence the coordinator counts as gone.
        public var silentIntervals = 4
        /// The pause before the first new connection; it doubles with each one that brings no welcome.
        public var firstPause: Duration = .milliseconds(100)
        /// The longest pause before a new connection.
        public var longestPause: Duration = .seconds(2)
        /// What becomes of attempts while the coordinator is away.
        public var onCoordinatorLost: CoordinatorLossPolicy = .goOn
        /// How long a worker that leaves waits for its last completions to be acknowledged.
        public var acknowledgementPatience: Duration = .seconds(2)
        /// How long the results of attempts are kept that are of another record than the coordinator's.
        public var foreignPatience: Duration = .seconds(3600)

        /// Describes a worker; the types, the times and the policy can be set afterwards.
        public init(name: String, version: String, slots: UInt32, host: String, processID: Int32, life: WorkerLife) {
            self.name = name
            self.version = version
            self.slots = slots
            self.host = host
            self.processID = processID
            self.life = life
        }

        /// The hello of a session.
        ///
        /// - Parameter isFirst: whether none was answered before: what was welcomed once does not take anybody's place any more.
        func hello(_ session: SessionID, number: UInt64, isFirst: Bool, attempts: [HeldAttempt]) -> WorkerHello {
            WorkerHello(
                version: version,
                name: name,
                session: session,
                slots: slots,
                host: host,
                processID: processID,
                life: life,
                sessionNumber: number,
                attempts: attempts,
                types: types,
                id: id,
                replaces: replaces && isFirst
            )
        }
    }
}
