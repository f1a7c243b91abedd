@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonProcesses
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
            "SQLite database file of the store (default: baton.db in the state directory).",
            valueName: "file"
        ),
        completion: .file(extensions: ["db"])
    )
    var store: String?

    @OptionGroup var coordinator: CoordinatorArguments
    @OptionGroup var http: HTTPArguments
    @OptionGroup var log: LogArguments
    @OptionGroup(title: "Global Options") var global: GlobalOptions

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
            store: store,
            coordinator: coordinator,
            logger: logger,
            global
        )
        let keeper = try OwnKeeper(coordinator, of: options)
        keeper.introduce(to: &options)
        let server = try CoordinatorServer(options)
        interruption.onFirst { server.stop() }
        let web = try WebServer.start(
            http,
            of: server,
            home: global.homeDirectory,
            isInsecure: global.isInsecure,
            logger
        )
        defer { web?.stop() }
        reloads.onRequest {
            levelFile.read(logger)
            web?.reload(logger)
            server.reload()
        }
        try keeper.begin(at: server.endpoint)
        defer { keeper.stop() }
        server.announce()
        try await onOwnThread(named: "server") { () throws(CoordinatorError) in try server.run() }
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
        store: String?,
        coordinator: CoordinatorArguments,
        logger: Logger,
        _ global: GlobalOptions
    ) throws(CommandFailure) -> CoordinatorOptions {
        var path = try global.homeDirectory + "/baton.db"
        if let store { path = try Surroundings.absolutePath(store) }
        let address: String
        if let listen { address = listen } else { address = try ownAddress(from: global, option: listenOption) }
        let isInsecure = try global.isInsecure
        if store == nil || !isInsecure { try Surroundings.makeDirectory(global.homeDirectory) }
        var options = CoordinatorOptions(
            listen: address,
            storePath: path,
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

    /// The address to listen on where no option gives one.
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
