@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Address of the coordinator, or of several with commas, of which one leads (env: BATON_COORDINATOR; default: the \
            address that belongs to the key, else \(CoordinatorAccess.defaultEndpoint)).
            """,
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

    @Flag(
        help: """
            Use no keys: everybody who reaches the coordinator's address can run commands. Both ends must agree (env: \
            BATON_INSECURE=1).
            """
    )
    var insecure = false

    @Flag(help: "Print machine-readable JSON.")
    var json = false

    @Flag(help: "Print only the requested output.")
    var quiet = false

    /// Whether the command uses no keys.
    var isInsecure: Bool {
        get throws(CommandFailure) {
            if insecure { return true }
            switch Surroundings.variable(CoordinatorAccess.insecureVariable) {
            case nil, "0": return false
            case "1": return true
            case let value?:
                throw CommandFailure(
                    ExitStatus.usage,
                    code: "invalidValue",
                    "BATON_INSECURE is '\(value)'. Set it to 1 to use no keys, or to 0."
                )
            }
        }
    }

    /// The operation that runs this command, if the operation belongs to the same coordinator; a wait counts as the operation's
    /// wait.
    var waiter: OperationID? {
        guard case .operation(let operation)? = Surroundings.variable("BATON_OPERATION").flatMap(Address.init(_:)),
            let own = Surroundings.variable(CoordinatorAccess.variable)
        else { return nil }
        guard let coordinator else { return operation }
        let isOwn = EndpointList(asGiven: coordinator).isPart(of: EndpointList(asGiven: own))
        return isOwn ? operation : nil
    }

    /// The state directory, as an absolute path.
    var homeDirectory: String {
        get throws(CommandFailure) {
            if let home { return try Surroundings.absolutePath(home) }
            let environment = Surroundings.environment
            // Only the variable that decides need be a text.
            for name in ["BATON_HOME", "XDG_STATE_HOME", "HOME"] where try Surroundings.path(name) != nil { break }
            return try Surroundings.absolutePath(StateDirectory.path(in: environment))
        }
    }

    /// The keys of the state directory.
    var keyDirectory: KeyDirectory {
        get throws(CommandFailure) { KeyDirectory(home: try homeDirectory) }
    }

    /// The search for keys in the environment and the state directory.
    var keyLookup: KeyLookup {
        get throws(CommandFailure) {
            _ = try Surroundings.path("BATON_KEY_FILE")
            return KeyLookup(environment: Surroundings.environment, directory: try keyDirectory)
        }
    }

    /// The address or addresses of the coordinator as the user has given them; nil if the user has not.
    var givenCoordinator: String? { coordinator ?? Surroundings.variable(CoordinatorAccess.variable) }

    /// Refuses a malformed address of the coordinator, before a key for it is looked for.
    func checkCoordinator() throws(ClientError) {
        if let given = givenCoordinator, EndpointList(given) == nil { throw .invalidEndpoint(given) }
    }

    /// The maximum time of an answer, except for requests that wait on purpose.
    static let answerTimeout = Duration.seconds(60)

    /// A connection to the coordinator; notices on standard error report the coordinator's absence and return.
    ///
    /// - Parameters:
    ///   - isKnown: whether the coordinator has answered before, so that the connection waits for its return from the beginning.
    ///   - awayLimit: the maximum absence of a coordinator after a first contact; nil stands for the usual limit.
    ///   - tells: whether there are notices, unless the user wants none.
    ///   - onDelay: called when an answer is late or the coordinator goes away.
    /// - Throws: ``CommandFailure`` for unusable options, and `ClientError`.
    func connect(
        isKnown: Bool = false,
        awayLimit: Duration? = nil,
        tells: Bool = true,
        onDelay: @escaping @Sendable () -> Void = {}
    ) throws -> ClientConnection {
        let access = try keyLookup.clientAccess(at: coordinator, isInsecure: isInsecure)
        return try connect(access, isKnown: isKnown, awayLimit: awayLimit, tells: tells, onDelay: onDelay)
    }

    /// A connection to a coordinator.
    func connect(
        _ access: CoordinatorAccess,
        isKnown: Bool = false,
        awayLimit: Duration? = nil,
        tells: Bool = true,
        onDelay: @escaping @Sendable () -> Void = {}
    ) throws(ClientError) -> ClientConnection {
        let isQuiet = quiet || !tells
        let endpoint = access.endpoint
        var options = ClientOptions(version: BatonVersion.current, to: access)
        options.isCoordinatorKnown = isKnown
        if let awayLimit { options.awayLimit = awayLimit }
        return try ClientConnection(endpoint: endpoint, options: options) { notice in
            if [.late, .away, .silent, .standingBy].contains(notice) { onDelay() }
            guard !isQuiet else { return }
            switch notice {
            case .reading(let percent): Output.progress(percent < 100 ? "The coordinator has read \(percent)%" : "")
            case .late:
                Output.noteOverProgress(
                    "The coordinator at \(endpoint) has not answered yet. It answers once the change is on its disk; \"baton status\" "
                        + "says if it cannot write there."
                )
            case .away:
                Output.noteOverProgress("The coordinator at \(endpoint) is unreachable; waiting for its return.")
            case .silent:
                Output.noteOverProgress(
                    "The coordinator at \(endpoint) does not answer yet: it reads its record after a start, or is stopped or overloaded; "
                        + "waiting for it."
                )
            case .standingBy:
                let places = access.endpoints.endpoints.joined(separator: " or ")
                Output.noteOverProgress(
                    "No coordinator leads at \(places): those that answer stand by; waiting for one to lead."
                )
            case .back: Output.noteOverProgress("The coordinator at \(endpoint) is reachable again.")
            }
        }
    }
}
