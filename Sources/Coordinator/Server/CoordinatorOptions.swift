@_spi(Baton) public import BatonKeys
@_spi(Baton) public import BatonLogging
@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonScheduler
@_spi(Baton) public import BatonStore
@_spi(Baton) package import BatonWire

/// The options of a coordinator.
@_spi(Baton) public struct CoordinatorOptions: Sendable {
    /// The default address for workers and clients.
    public static let defaultEndpoint = CoordinatorAccess.defaultEndpoint
    /// The lease of a record on a server, unless another one is set.
    public static let usualLease = Duration.seconds(2)

    /// The address to listen at: `tcp://HOST:PORT`, with `*` for any host or for a free port.
    public var listen: String
    /// The file or the database that holds the record.
    public var store: RecordPlace
    /// What the names of the coordinator's own files on its host begin with: see ``RecordPlace/ownFiles(in:)``.
    public var ownFiles: String
    /// Whether to go on without a part of the record that was acknowledged and is missing, instead of refusing the record.
    public var acceptsLoss = false
    /// The directory of the keys that admit peers; nil admits everybody who reaches the address.
    public var keys: KeyDirectory?
    /// The key directory of the same state directory, for a coordinator without keys; nil for none.
    ///
    /// If the directory has a coordinator's key, the coordinator notes its address there: commands would otherwise find the address of an
    /// earlier coordinator. A coordinator without keys ignores faults of the directory.
    public var unusedKeys: KeyDirectory?
    /// How the coordinator recognizes its own worker, which keeps files; nil without such a worker.
    public var keeper: KeeperAdmission?
    /// Where the files are kept that clients send; nil for a coordinator that takes none.
    public var sentFiles: (any SentFileStore)?
    /// The time limits and other limits for workers.
    public var configuration: Configuration
    /// How long this coordinator leads after each proof that no other coordinator leads; nil for a record that only one host can open.
    public var lease: Duration?
    /// Whether to stand by while another coordinator leads on the record, and to lead once none does; for a record on a server.
    public var standsBy = false
    /// The address of the web interface for other hosts, which coordinators that stand by tell; nil if other hosts cannot reach it.
    public var webAddress: String?
    /// The number of events kept for clients that watch and were away.
    public var eventHistory: UInt64
    /// The limits on the finished jobs in the record.
    public var retention: Retention
    /// How often a worker sends a heartbeat, which the coordinator answers; a short lease or suspect time shortens the
    /// interval.
    ///
    /// The coordinator's own periodic work, such as a retry of failed commits, has the same interval.
    public var heartbeatInterval: Duration
    /// The build's version, for people to read.
    public var version: String
    /// The coordinator's log.
    public var logger: Logger

    /// The least number of templates and entries of a submission that comes into the record in parts; only tests lower it.
    package var leastRowsInParts = JobParts.leastRows
    /// About how many rows a part of a large submission has; only tests lower it.
    package var rowsOfPart = JobParts.rowsOfPart

    /// Where the rules of time zones are found; only tests set it, to have the same rules on each host.
    package var timeZones = TimeZoneSource.host

    /// Decodes the large requests of clients; only tests set it, to hold a decoding up.
    package var decodeLarge: @Sendable (UnsafeRawBufferPointer, ReadingProgress) -> ReceivedMessage = {
        ReceivedMessage(decoding: $0, noting: $1)
    }

    /// The record's name for people; it has no password.
    var storeText: String { store.shown }

    /// The path of the socket over which commands of this host ask for the coordinator's health.
    var healthPath: String { RecordHealthSocket.path(ofRecord: ownFiles) }

    /// Sets the options.
    ///
    /// - Parameter ownFiles: what the names of the coordinator's own files begin with; nil stands for the place beside the record's
    ///   file, or in the working directory for a record on a server.
    public init(
        listen: String = defaultEndpoint,
        store: RecordPlace,
        ownFiles: String? = nil,
        keys: KeyDirectory? = nil,
        configuration: Configuration = Configuration(),
        eventHistory: UInt64 = 1_000_000,
        retention: Retention = Retention(),
        heartbeatInterval: Duration = .seconds(2),
        version: String,
        logger: Logger
    ) {
        self.listen = listen
        self.store = store
        self.ownFiles = ownFiles ?? store.ownFiles(in: ".")
        if case .server = store { lease = Self.usualLease }
        self.keys = keys
        self.configuration = configuration
        self.eventHistory = eventHistory
        self.retention = retention
        self.heartbeatInterval = heartbeatInterval
        self.version = version
        self.logger = logger
    }
}
