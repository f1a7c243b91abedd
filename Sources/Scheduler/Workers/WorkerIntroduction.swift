@_spi(Baton) public import BatonOperations

/// A worker's description of itself when it joins.
@_spi(Baton) public struct WorkerIntroduction: Hashable, Sendable {
    /// The worker's name.
    public var name: String
    /// The ID of the session between the worker and the coordinator.
    public var session: SessionID
    /// The number of attempts that the worker runs at once.
    public var slots: Int
    /// The host's name.
    public var host: String
    /// The worker's process id on its host.
    public var processID: Int32
    /// The identity that distinguishes workers of the same name.
    public var id: WorkerID
    /// Whether the worker takes the place of a present worker with the same name.
    public var replaces: Bool
    /// The life of the worker.
    public var life: WorkerLife
    /// The number of the session in the worker's life, higher than the numbers of earlier sessions.
    public var sessionNumber: UInt64
    /// All attempts that the worker holds: waiting, running, or ended and not yet acknowledged.
    public var attempts: [ClaimedAttempt]
    /// The types of Swift operations that the worker runs.
    public var types: [String]
    /// The newest version of the option set that the worker knows.
    public var optionVersion: Int
    /// Whether the worker can pause attempts and send them signals; those of Baton 0.1.0 cannot.
    public var knowsPauses: Bool
    /// Whether the worker keeps files and reports them; workers of Baton 0.1.0 do not.
    public var knowsFiles: Bool
    /// Whether the worker is the coordinator's own, which keeps files and runs nothing.
    public var isKeeper: Bool
    /// Whether the worker is to have a copy of each file that operations leave.
    public var keepsAll: Bool
    /// The most bytes of files that the worker keeps; nil if that is unknown.
    public var filesLimit: Int64?
    /// The number of the key that the worker joined with; nil without keys.
    public var keyNumber: UInt32?
    /// How long the worker has left until its time limit; nil without a limit.
    public var timeLeft: Duration?
    /// The worker's processors, memory, named resources and labels.
    public var offer: WorkerOffer
    /// What the earlier processes of the worker's directory have started; nil if that is unknown.
    public var earlierStarts: EarlierStarts?

    /// The approximate size of the introduction in memory, without the attempts, in bytes.
    var bytesInMemory: Int {
        let named = Array(offer.resources.keys) + offer.labels.flatMap { [$0.key, $0.value] }
        return ([name, host] + types + named).reduce(0) { $0 + Self.bytesOfText + $1.utf8.count }
    }
    /// The number of bytes of a string in addition to the text.
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
        attempts: [ClaimedAttempt] = [],
        types: [String] = [],
        optionVersion: Int = OperationOption.newestVersion,
        knowsPauses: Bool = true,
        knowsFiles: Bool = true,
        isKeeper: Bool = false,
        keepsAll: Bool = false,
        filesLimit: Int64? = nil,
        keyNumber: UInt32? = nil,
        timeLeft: Duration? = nil,
        offer: WorkerOffer = WorkerOffer(),
        earlierStarts: EarlierStarts? = nil
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
        self.optionVersion = optionVersion
        self.knowsPauses = knowsPauses
        self.knowsFiles = knowsFiles
        self.isKeeper = isKeeper
        self.keepsAll = keepsAll
        self.filesLimit = filesLimit
        self.keyNumber = keyNumber
        self.timeLeft = timeLeft
        self.offer = offer
        self.earlierStarts = earlierStarts
    }
}
