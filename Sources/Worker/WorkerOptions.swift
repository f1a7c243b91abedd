@_spi(Baton) public import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) public import BatonProcesses
@_spi(Baton) public import BatonZeroMQ

/// The options of a worker.
@_spi(Baton) public struct WorkerOptions: Sendable {
    /// The endpoint at which the coordinator listens: `tcp://127.0.0.1:7461`; or several with commas, of which one leads.
    public var coordinator: String
    /// The protection of the connection, with the worker's key, if any.
    public var security: SocketSecurity = .none
    /// The resolver of the host's name in the coordinator's address.
    public var resolver = NameResolver.system
    /// The worker's name, unique among the workers of the coordinator; nil for a made-up name, kept across restarts.
    public var name: String?
    /// The number of attempts that run at once, at least 1.
    public var slots: Int
    /// The worker's processors, memory, named resources and labels, and the variables of its operations.
    public var resources = WorkerResources()
    /// The directory for outputs, results and inputs, created if missing and used by a single worker.
    ///
    /// For a worker without a name, `directory` is the parent: the worker takes the first unused directory of such a
    /// worker, or creates a new directory.
    public var directory: String
    /// Whether the worker takes over from a connected worker of the same name.
    public var replaces: Bool
    /// How long the worker waits for its coordinator.
    var patience = WorkerPatience()
    /// The policy while the coordinator is away.
    public var onCoordinatorLost: CoordinatorLossPolicy
    /// How long running attempts may go on after the worker was asked to stop; zero ends them at once.
    public var drainTimeout = WorkerOptions.defaultDrainTimeout
    /// The default of ``drainTimeout``: Docker and Podman kill containers ten seconds after they were asked to stop.
    public static let defaultDrainTimeout = Duration.seconds(8)
    /// How long the worker may have nothing to do before it leaves; nil for ever.
    public var idleExit: Duration?
    /// How long the worker may run before it leaves; nil without a limit.
    public var timeLimit: Duration?
    /// The Swift operations that the worker runs, in addition to commands.
    public var types: OperationTypes
    /// The maximum number of open files of each process of an attempt; nil for the limit of this process.
    public var openFiles: OpenFileLimit?
    /// Whether no other code of the program starts processes: then the worker reaps all orphans, if the program is the first of a
    /// container, also those of the program's own process group.
    public var startsAllProcesses = false
    /// The maximum number of kept bytes of each output stream of an attempt.
    ///
    /// A stream may exceed the limit by ``outputOvershoot`` for a moment. The oldest bytes go first.
    public var outputLimit: UInt64 = 256 << 20
    /// The number of bytes by which a stream may exceed its limit for a moment.
    public static let outputOvershoot = OutputArchive.overshoot
    /// The least value of ``outputLimit``.
    public static let leastOutputLimit: UInt64 = 1 << 20
    /// The maximum number of bytes of the files that operations have left; nil for a fifth of the file system of the directory.
    public var filesLimit: UInt64?
    /// What the worker does as a part of a coordinator; nil for a worker of its own, which has slots.
    var keeper: KeeperRole?
    /// The address at which other workers read the files of this worker directly, as `tcp://HOST:PORT`; nil for transfers through the
    /// coordinator alone.
    ///
    /// The host is an address of this host, or a name of it that the other hosts know; the port may be `*` for any free one.
    public var data: String?
    /// The worker's build, for people.
    public var version: String
    /// The logger of the worker.
    public var logger: Logger

    /// What is wrong with an address, the name, the slots, the times or the resources, in a sentence or two; nil if nothing is.
    public var objection: String? {
        if let advice = EndpointList.advice(on: coordinator) {
            return "\"\(coordinator.asShown)\" is not the address of a coordinator: \(advice)"
        }
        if let name, let objection = Name.objection(to: name) {
            return "\"\(name.asShown)\" cannot be the name of a worker: \(objection)."
        }
        if let objection = data.flatMap({ Self.objection(toData: $0) }) { return objection }
        guard keeper != nil || (1...4096).contains(slots) else { return "A worker has 1 to 4096 slots, not \(slots)." }
        return objectionToTimes ?? resources.objection
    }

    /// What is wrong with a value of ``data``, in a sentence or two; nil if nothing is.
    public static func objection(toData text: String) -> String? { DataEndpoint.objection(to: text) }

    private var objectionToTimes: String? {
        let times = [("drain timeout", drainTimeout), ("idle exit", idleExit), ("time limit", timeLimit)]
        for case (let name, let time?) in times where time < .zero || time > .longestAllowed {
            return "A worker's \(name) is from 0 to 10000 days, not \(time)."
        }
        return timeLimit == .zero ? "A worker with a time limit of zero could do nothing." : nil
    }

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
        logger: Logger = Logger(label: "worker", level: .notice)
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
