@_spi(Baton) public import BatonLogging
@_spi(Baton) public import BatonProcesses
@_spi(Baton) public import BatonZeroMQ

/// The options of a worker.
@_spi(Baton) public struct WorkerOptions: Sendable {
    /// The endpoint at which the coordinator listens: `tcp://127.0.0.1:7461`.
    public var coordinator: String
    /// The protection of the connection, with the worker's key, if any.
    public var security: SocketSecurity = .none
    /// The worker's name, unique among the workers of the coordinator; nil for a made-up name, kept across restarts.
    public var name: String?
    /// The number of attempts that run at once, at least 1.
    public var slots: Int
    /// The directory for outputs, results and inputs, created if missing and used by a single worker.
    ///
    /// For a worker without a name, `directory` is the parent: the worker takes the first unused directory of such a
    /// worker, or creates a new directory.
    public var directory: String
    /// Whether the worker takes over from a connected worker of the same name.
    public var replaces: Bool
    /// The policy while the coordinator is away.
    public var onCoordinatorLost: CoordinatorLossPolicy
    /// The Swift operations that the worker runs, in addition to commands.
    public var types: OperationTypes
    /// The maximum number of open files of each process of an attempt; nil for the limit of this process.
    public var openFiles: OpenFileLimit?
    /// The maximum number of kept bytes of each output stream of an attempt.
    ///
    /// A stream may exceed the limit by ``outputOvershoot`` for a moment. The oldest bytes go first.
    public var outputLimit: UInt64 = 256 << 20
    /// The number of bytes by which a stream may exceed its limit for a moment.
    public static let outputOvershoot = OutputArchive.overshoot
    /// The least value of ``outputLimit``.
    public static let leastOutputLimit: UInt64 = 1 << 20
    /// The worker's build, for people.
    public var version: String
    /// The logger of the worker.
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
