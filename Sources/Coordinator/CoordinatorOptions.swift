public import BatonLogging
public import BatonOperations
public import BatonScheduler

/// How a coordinator is to run.
public struct CoordinatorOptions: Sendable {
    /// Where workers and clients reach it when nothing else is said.
    public static let defaultEndpoint = "tcp://127.0.0.1:7461"

    /// The address to listen at: `tcp://HOST:PORT`, with `*` for any host or for a free port.
    public var listen: String
    /// The file that holds the record.
    public var storePath: String
    /// Whether it may listen at an address that other hosts can reach, where anybody could then submit commands.
    public var isInsecure: Bool
    /// The limits by which workers are judged.
    public var configuration: Configuration
    /// How many events are kept for those who watch and were away.
    public var eventHistory: UInt64
    /// How much of what is finished is kept.
    public var retention: Retention
    /// How often it sends each worker a sign of life, and expects one.
    public var heartbeatInterval: Duration
    /// The build's version, for people.
    public var version: String
    /// Where it writes what happens.
    public var logger: Logger

    /// Describes how a coordinator is to run.
    public init(
        listen: String = defaultEndpoint,
        storePath: String,
        isInsecure: Bool = false,
        configuration: Configuration = Configuration(),
        eventHistory: UInt64 = 1_000_000,
        retention: Retention = Retention(),
        heartbeatInterval: Duration = .seconds(2),
        version: String,
        logger: Logger
    ) {
        self.listen = listen
        self.storePath = storePath
        self.isInsecure = isInsecure
        self.configuration = configuration
        self.eventHistory = eventHistory
        self.retention = retention
        self.heartbeatInterval = heartbeatInterval
        self.version = version
        self.logger = logger
    }
}
