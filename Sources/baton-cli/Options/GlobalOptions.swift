@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations

/// The options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Address of the coordinator (env: BATON_COORDINATOR; default: \(CoordinatorOptions.defaultEndpoint)).",
            valueName: "url"
        )
    )
    var coordinator: String?

    @Option(
        help: ArgumentHelp(
            "State directory (env: BATON_HOME; default: ~/.local/state/baton).",
            valueName: "directory"
        ),
        completion: .directory
    )
    var home: String?

    @Flag(help: "Print machine-readable JSON.")
    var json = false

    @Flag(help: "Print only the requested output.")
    var quiet = false

    /// The coordinator's address.
    var endpoint: String {
        coordinator ?? Surroundings.variable("BATON_COORDINATOR") ?? CoordinatorOptions.defaultEndpoint
    }

    /// The operation that runs this command, if the operation belongs to the same coordinator; a wait counts as the operation's
    /// wait.
    var waiter: OperationID? {
        guard case .operation(let operation)? = Surroundings.variable("BATON_OPERATION").flatMap(Address.init(_:)),
            endpoint == Surroundings.variable("BATON_COORDINATOR")
        else { return nil }
        return operation
    }

    /// The state directory, as an absolute path.
    var homeDirectory: String {
        get throws(CommandFailure) {
            try Surroundings.absolutePath(home ?? Surroundings.variable("BATON_HOME") ?? Surroundings.defaultHome)
        }
    }

    /// The maximum time of an answer, except for requests that wait on purpose.
    static let answerTimeout = Duration.seconds(30)

    /// A connection to the coordinator; notices on standard error report the coordinator's absence and return.
    ///
    /// - Parameters:
    ///   - other: the address of another coordinator; nil stands for the coordinator from the options.
    ///   - awayLimit: the maximum absence of a coordinator after a first contact; nil stands for the usual limit.
    func connect(to other: String? = nil, awayLimit: Duration? = nil) throws(ClientError) -> ClientConnection {
        let isQuiet = quiet
        let endpoint = other ?? endpoint
        var options = ClientOptions(version: BatonVersion.current)
        if let awayLimit { options.awayLimit = awayLimit }
        return try ClientConnection(endpoint: endpoint, options: options) { notice in
            guard !isQuiet else { return }
            switch notice {
            case .away: Output.note("The coordinator at \(endpoint) is unreachable; waiting for its return.")
            case .back: Output.note("The coordinator at \(endpoint) is reachable again.")
            }
        }
    }
}
