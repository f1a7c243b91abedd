@_spi(Baton) public import BatonOperations

/// A worker's description of itself on connecting (again).
@_spi(Baton) public struct WorkerHello: Hashable, Sendable {
    /// The protocol versions of the worker.
    public var protocols: ProtocolRange
    /// The worker's build, for people.
    public var version: String
    /// The worker's name.
    public var name: String
    /// The present connection life.
    public var session: SessionID
    /// How many attempts the worker runs at once.
    public var slots: UInt32
    /// The host's name.
    public var host: String
    /// The worker's process id on its host.
    public var processID: Int32
    /// The present life of the worker.
    public var life: WorkerLife
    /// The number of the session in the worker's life, from 1, which distinguishes a delayed hello from later hellos.
    public var sessionNumber: UInt64
    /// All claimed attempts: waiting for a slot, running, or over with a result in the outbox.
    public var attempts: [ClaimedAttempt]
    /// The types of Swift operations that the worker runs, beside the types of every worker.
    public var types: [String]
    /// The identity, which distinguishes workers of the same name.
    public var id: WorkerID
    /// Whether the worker replaces another present worker of the same name.
    public var replaces: Bool
    /// The newest version of the option set that the worker knows.
    public var optionVersion: Int
    /// How long the worker has left until its time limit; nil without a limit.
    public var timeLeft: Duration?
    /// The worker's processors, memory, named resources and labels.
    public var offer: WorkerOffer
    /// What the earlier processes of the worker's directory have started; nil if that is unknown.
    public var earlierStarts: EarlierStarts?
    /// The most bytes of files that the worker keeps; nil if that is unknown.
    public var filesLimit: UInt64?
    /// The claim of the coordinator's own worker; nil for other workers.
    public var keeper: KeeperClaim?
    /// The number of the coordinator's latest ``CoordinatorMessage/challenge(_:)`` over the same connection; nil without one.
    public var echo: UInt64?

    /// Describes a worker.
    public init(
        protocols: ProtocolRange = .own,
        version: String,
        name: String,
        session: SessionID,
        slots: UInt32,
        host: String,
        processID: Int32,
        life: WorkerLife,
        sessionNumber: UInt64,
        attempts: [ClaimedAttempt],
        types: [String] = [],
        id: WorkerID = .unknown,
        replaces: Bool = false,
        optionVersion: Int = OperationOption.newestVersion,
        timeLeft: Duration? = nil,
        offer: WorkerOffer = WorkerOffer(),
        earlierStarts: EarlierStarts? = nil,
        filesLimit: UInt64? = nil,
        keeper: KeeperClaim? = nil,
        echo: UInt64? = nil
    ) {
        self.protocols = protocols
        self.version = version
        self.name = name
        self.session = session
        self.slots = slots
        self.host = host
        self.processID = processID
        self.life = life
        self.sessionNumber = sessionNumber
        self.attempts = attempts
        self.types = types
        self.id = id
        self.replaces = replaces
        self.optionVersion = optionVersion
        self.timeLeft = timeLeft
        self.offer = offer
        self.earlierStarts = earlierStarts
        self.filesLimit = filesLimit
        self.keeper = keeper
        self.echo = echo
    }
}
