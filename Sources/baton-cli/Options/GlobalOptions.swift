import Arguments
import Client
import Coordinator

/// The options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The coordinator's address; otherwise BATON_COORDINATOR, otherwise \(CoordinatorOptions.defaultEndpoint).",
            valueName: "url"
        )
    )
    var coordinator: String?

    @Option(
        help: ArgumentHelp(
            "The directory of the state; otherwise BATON_HOME, otherwise ~/.local/state/baton.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var home: String?

    @Flag(help: "Print JSON instead of text for people.")
    var json = false

    @Flag(help: "Say nothing but what was asked for.")
    var quiet = false

    /// The coordinator's address.
    var endpoint: String {
        coordinator ?? Surroundings.variable("BATON_COORDINATOR") ?? CoordinatorOptions.defaultEndpoint
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
    /// - Parameter other: the address of another coordinator than the options name.
    func connect(to other: String? = nil) throws(ClientError) -> ClientConnection {
        let isQuiet = quiet
        let endpoint = other ?? endpoint
        return try ClientConnection(endpoint: endpoint, options: ClientOptions(version: BatonVersion.current)) {
            notice in
            guard !isQuiet else { return }
            switch notice {
            case .away: Output.note("The coordinator at \(endpoint) is away; waiting for it to come back.")
            case .back: Output.note("The coordinator at \(endpoint) is back.")
            }
        }
    }
}
