public import BatonLogging
public import BatonProcesses

/// What a worker is told when it is started.
public struct WorkerOptions: Sendable {
    /// Where the coordinator listens: `tcp://127.0.0.1:7461`.
    public var coordinator: String
    /// The worker's name, which no other worker of the coordinator has; nil for one that is made up and kept.
    public var name: String?
    /// How many attempts it runs at once, at least 1.
    public var slots: Int
    /// The directory for outputs, results and inputs; it is made where there is none, and belongs to one worker.
    ///
    /// A worker that is given no name has one in this one: the first that such a worker left there and nobody uses, or a new
    /// one.
    public var directory: String
    /// Whether it takes the place of another worker of its name that is there.
    public var replaces: Bool
    /// What it does while the coordinator is away.
    public var onCoordinatorLost: CoordinatorLossPolicy
    /// The Swift operations that it runs, beside commands.
    public var types: OperationTypes
    /// How many files each process that it runs may have open; nil for as many as this one.
    public var openFiles: OpenFileLimit?
    /// How many bytes of each output stream of an attempt are kept, but for ``outputOvershoot`` that it may be above for a
    /// moment: the oldest go.
    public var outputLimit: UInt64 = 256 << 20
    /// How many bytes more than the limit a stream may have for a moment.
    public static let outputOvershoot = OutputArchive.overshoot
    /// The least limit of output.
    public static let leastOutputLimit: UInt64 = 1 << 20
    /// The worker's build, for people.
    public var version: String
    /// Where it says what it does.
    public var logger: Logger

    /// Describes a worker.
    public init(
        coordinator: String,
        name: String?,
        slots: Int,
        directory: String,
        replaces: Bool = false,
        onCoordinatorLost: CoordinatorLossPolicy = .goOn,
        types: OperationTypes = OperationTypes(),
        openFiles: OpenFileLimit? = nil,
        version: String,
        logger: Logger = Logger(label: "worker")
    ) {
        self.coordinator = coordinator
        self.name = name
        self.slots = slots
        self.directory = directory
        self.replaces = replaces
        self.onCoordinatorLost = onCoordinatorLost
        self.types = types
        self.openFiles = openFiles
        self.version = version
        self.logger = logger
    }
}
