import BatonArguments
import BatonClient
import BatonCoordinator
import BatonOperations

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

    /// The operation that runs this command and may wait for others, where the coordinator is its own.
    var waiter: OperationID? {
        guard case .operation(let operation)? = Surroundings.variable("BATON_OPERATION").flatMap(Address.init(_:)),
            endpoint == Surroundings.variable("BATON_COORDINATOR")
        else { return nil }
        return operation
    }

    /// The directory of the state, as an absolute path.
    var homeDirectory: String {
        get throws(CommandFailure) {
            try Surroundings.absolutePath(home ?? Surroundings.variable("BATON_HOME") ?? Surroundings.defaultHome)
        }
    }

    /// How long an answer may take that is not waited for on purpose.
    static let answerTimeout = Duration.seconds(30)

    /// A connection to the coordinator, which says on standard error when the coordinator goes away and comes back.
    ///
    /// - Parameters:
    ///   - other: the address of another coordinator than the options name.
    ///   - awayLimit: how long a coordinator that has been there may be away; the usual time unless given.
    func connect(to other: String? = nil, awayLimit: Duration? = nil) throws(ClientError) -> ClientConnection {
        let isQuiet = quiet
        let endpoint = other ?? endpoint
        var options = ClientOptions(version: BatonVersion.current)
        if let awayLimit { options.awayLimit = awayLimit }
        return try ClientConnection(endpoint: endpoint, options: options) { notice in
            guard !isQuiet else { return }
            switch notice {
            case .away: Output.note("The coordinator at \(endpoint) is away; waiting for it to come back.")
            case .back: Output.note("The coordinator at \(endpoint) is back.")
            }
        }
    }
}
