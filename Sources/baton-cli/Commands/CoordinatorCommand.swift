@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton coordinator`.
struct CoordinatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coordinator",
        abstract: "Runs a coordinator in the foreground.",
        discussion: """
            SIGTERM and Ctrl-C end the coordinator in order; a second signal ends it at once. Workers continue meanwhile. When \
            the coordinator is started again on the same store, unfinished operations continue.

            SIGHUP has the coordinator read its files again: the certificate and the key of HTTPS, the table of keys, and the \
            level of the log. On a terminal it means that the terminal has hung up, and ends the coordinator in order.
            """,
        examples: [
            Example("baton coordinator", "Listen on this host alone"),
            Example(
                "baton coordinator --listen 'tcp://*:7461'",
                "Let other hosts come: each needs a key, see 'baton authorize'"
            ),
            Example(
                "baton coordinator --listen 'tcp://*:7461' --store postgres://baton@db1,db2/baton --standby",
                "On each of two hosts: one leads, and the other takes over when it is lost"
            ),
        ]
    )

    @Option(
        help: ArgumentHelp(
            """
            Address to listen on; * as the host means all addresses, * as the port any free port (default: --coordinator, \
            BATON_COORDINATOR or \(CoordinatorOptions.defaultEndpoint); needed where these name several addresses).
            """,
            valueName: "url"
        )
    )
    var listen: String?

    @Option(
        help: ArgumentHelp(
            """
            Store of the record: an SQLite database file, or postgres://USER@HOST/DATABASE for a PostgreSQL server, whose password \
            comes from PGPASSFILE, PGPASSWORD or BATON_STORE (\(StoreName.origins)).
            """,
            valueName: "store"
        ),
        completion: .file(extensions: ["db"])
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            """
            With a store on a server, time for which a confirmation by the server lets the coordinator answer, from 1s to 60s \
            (default: 2s). The server ends the session of a coordinator that is silent for longer.
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var lease: Duration?

    @Flag(
        help: """
            With a store on a server, stand by while another coordinator leads on the record, and lead once it does not. The command \
            is the same on each host; the coordinators share one key pair, and workers and commands are given all addresses.
            """
    )
    var standby = false

    @OptionGroup var coordinator: CoordinatorArguments
    @OptionGroup var http: HTTPArguments
    @OptionGroup var log: LogArguments
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard let lease, !CoordinatorOptions.leases.contains(lease) else { return }
        throw ValidationError("--lease must be from 1s to 60s: it is \(lease.text).")
    }

    func run() async throws {
        // The first process of a container gets the orphans of all others; a coordinator has no processes of its own.
        if getpid() == 1 { signal(SIGCHLD, SIG_IGN) }
        let reloads = ReloadRequests()
        let interruption = Interruption(at: reloads.endings)
        defer { withExtendedLifetime((interruption, reloads)) {} }
        let levelFile = try log.levelFile(global, label: "coordinator")
        let logger = Logger(label: "coordinator", threshold: levelFile.threshold)
        // Each worker and client uses a connection.
        _ = OpenFileLimit.raise()
        var options = try CoordinatorOptions.make(
            listen: listen,
            store: StoreName.place(store, global),
            coordinator: coordinator,
            logger: logger,
            global
        )
        try options.take(lease: lease)
        try options.take(standby: standby)
        options.webAddress = http.urlForOthers
        let keeper = try OwnKeeper(coordinator, of: options)
        keeper.introduce(to: &options)
        let server = try Self.start(options)
        interruption.onFirst { server.stop() }
        let web = try await Self.orEnd(server) {
            try WebServer.start(
                http,
                of: server,
                home: global.homeDirectory,
                isInsecure: global.isInsecure,
                logger
            )
        }
        defer { web?.stop() }
        reloads.onRequest {
            levelFile.read(logger)
            web?.reload(logger)
            server.reload()
        }
        try await Self.orEnd(server) { try keeper.begin(at: server.endpoint) }
        defer { keeper.stop() }
        server.announce()
        try await onOwnThread(named: "server") { () throws(CoordinatorError) in try server.run() }
    }

    /// Carries out a further part of the start; after an error, the coordinator ends as on request, so that no record shows it any more.
    private static func orEnd<Part>(_ server: CoordinatorServer, _ start: () throws -> Part) async throws -> Part {
        do {
            return try start()
        } catch {
            server.stop()
            // The first error is the one to tell.
            _ = try? await onOwnThread(named: "server") { () throws(CoordinatorError) in try server.run() }
            throw error
        }
    }

    /// Starts the coordinator.
    ///
    /// - Throws: ``CommandFailure``; if another coordinator leads on the same record, the failure advises the option to stand by.
    private static func start(_ options: CoordinatorOptions) throws(CommandFailure) -> CoordinatorServer {
        do throws(CoordinatorError) {
            return try CoordinatorServer(options)
        } catch {
            var failure = CommandFailure(error as any Error)
            if case .server = options.store, error.code == .storeInUse { failure.advice = Advice.standby }
            throw failure
        }
    }
}

extension CoordinatorOptions {
    /// The options of a coordinator from the command line; the state directory is created for a record or keys in it.
    ///
    /// - Parameters:
    ///   - listen: the address to listen on, if given.
    ///   - listenOption: the option that gives a single address, for the sentence about several.
    static func make(
        listen: String?,
        listenOption: String = "--listen",
        store: RecordPlace,
        coordinator: CoordinatorArguments,
        logger: Logger,
        _ global: GlobalOptions
    ) throws(CommandFailure) -> CoordinatorOptions {
        let home = try global.homeDirectory
        let address: String
        if let listen { address = listen } else { address = try ownAddress(from: global, option: listenOption) }
        let isInsecure = try global.isInsecure
        let ownFiles = store.ownFiles(in: home)
        if !isInsecure || ownFiles.hasPrefix(home + "/") { try Surroundings.makeDirectory(home) }
        var options = CoordinatorOptions(
            listen: address,
            store: store,
            ownFiles: ownFiles,
            keys: isInsecure ? nil : try global.keyDirectory,
            configuration: coordinator.limits,
            retention: coordinator.retention,
            version: BatonVersion.current,
            logger: logger
        )
        if isInsecure { options.unusedKeys = try global.keyDirectory }
        options.acceptsLoss = coordinator.acceptLoss
        return options
    }

    /// The lengths that a lease may have.
    static let leases = Duration.seconds(1)...Duration.seconds(60)

    /// Takes the lease of a record on a server.
    ///
    /// - Parameter lease: the lease that was given; nil stands for the usual one.
    /// - Throws: ``CommandFailure`` for a lease of a file.
    mutating func take(lease given: Duration?) throws(CommandFailure) {
        switch store {
        case .server: lease = given ?? Self.usualLease
        case .file:
            guard given == nil else {
                throw CommandFailure(
                    ExitStatus.usage,
                    code: "invalidValue",
                    "--lease needs a record on a server, and \(store.shown) is a file: name the server with --store "
                        + "postgres://USER@HOST/DATABASE, or leave out --lease."
                )
            }
        }
    }

    /// Sets whether the coordinator stands by while another coordinator leads.
    ///
    /// - Throws: ``CommandFailure`` for a record in a file, which only one host can open.
    mutating func take(standby: Bool) throws(CommandFailure) {
        guard standby else { return }
        guard case .server = store else {
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "--standby needs a record that several hosts reach, and \(store.shown) is a file: name a server with --store "
                    + "postgres://USER@HOST/DATABASE, or leave out --standby."
            )
        }
        standsBy = true
    }

    /// The address to listen on without an option for the address.
    ///
    /// - Throws: ``CommandFailure`` if several coordinators are named, one of which is to be started.
    private static func ownAddress(
        from global: GlobalOptions,
        option: String
    ) throws(CommandFailure) -> String {
        guard let given = global.givenCoordinator else { return CoordinatorOptions.defaultEndpoint }
        let list = EndpointList(asGiven: given)
        guard list.endpoints.count == 1 else {
            let name = global.coordinator == nil ? CoordinatorAccess.variable : "--coordinator"
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "\(option) is needed: \(name) names several coordinators."
            )
        }
        return list.description
    }
}
