public import BatonOperations

/// What a worker tells of itself when it joins.
public struct WorkerIntroduction: Hashable, Sendable {
    /// The worker's name.
    public var name: String
    /// This connection life of the worker.
    public var session: SessionID
    /// How many attempts it runs at once.
    public var slots: Int
    /// The host's name.
    public var host: String
    /// The worker's process id on its host.
    public var processID: Int32
    /// Which of the workers of its name it is.
    public var id: WorkerID
    /// Whether it takes the place of another worker of its name that is there.
    public var replaces: Bool
    /// Which of the worker's lives it is.
    public var life: WorkerLife
    /// Which session of that life it is: a higher number than those of the sessions before.
    public var sessionNumber: UInt64
    /// All that it runs or keeps a result of.
    public var attempts: [HeldAttempt]
    /// The types of Swift operations that it runs.
    public var types: [String]

    /// About how many bytes of memory the introduction takes, without its attempts.
    var heldBytes: Int {
        types.reduce(Self.bytesOfText * 2 + name.utf8.count + host.utf8.count) { $0 + Self.bytesOfText + $1.utf8.count }
    }
    /// How many bytes a string takes beside those of its text.
    private static let bytesOfText = 64

    /// Describes a worker that joins.
    public init(
        name: String,
        session: SessionID,
        slots: Int,
        host: String = "",
        processID: Int32 = 0,
        id: WorkerID = .unknown,
        replaces: Bool = false,
        life: WorkerLife = WorkerLife(rawValue: 0),
        sessionNumber: UInt64 = 0,
        attempts: [HeldAttempt] = [],
        types: [String] = []
    ) {
        self.name = name
        self.session = session
        self.slots = slots
        self.host = host
        self.processID = processID
        self.id = id
        self.replaces = replaces
        self.life = life
        self.sessionNumber = sessionNumber
        self.attempts = attempts
        self.types = types
    }
}
