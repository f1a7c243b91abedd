public import BatonOperations

/// What a worker says of itself when it comes (again).
public struct WorkerHello: Hashable, Sendable {
    /// The versions of the protocol that the worker speaks.
    public var protocols: ProtocolRange
    /// The worker's build, for people.
    public var version: String
    /// The worker's name.
    public var name: String
    /// This connection life.
    public var session: SessionID
    /// How many attempts it runs at once.
    public var slots: UInt32
    /// The host's name.
    public var host: String
    /// The worker's process id on its host.
    public var processID: Int32
    /// Which of the worker's lives it is.
    public var life: WorkerLife
    /// Which session of that life it is, counted from 1: by that, a hello that was held up is told from those after it.
    public var sessionNumber: UInt64
    /// All that it has taken: what waits for a slot, what runs, and what it keeps a result of.
    public var attempts: [HeldAttempt]
    /// The types of Swift operations that it runs, beside what every worker runs.
    public var types: [String]
    /// Which of the workers of its name it is.
    public var id: WorkerID
    /// Whether it takes the place of another worker of its name that is there.
    public var replaces: Bool

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
        attempts: [HeldAttempt],
        types: [String] = [],
        id: WorkerID = .unknown,
        replaces: Bool = false
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
    }
}
