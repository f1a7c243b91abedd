@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

/// The command `baton authorize`.
struct AuthorizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize",
        abstract: "Makes a key for another host or person, and prints it as one line.",
        discussion: """
            Run authorize on the coordinator's state directory; the coordinator need not run, nor ever have run. Of several \
            coordinators with one record, it is that of the leader. A client's key submits and changes, a worker's key takes \
            work and reports it, a viewer's key reads, without what operations do and return. A coordinator's key gets the \
            keys of this coordinator, once, for another host that stands in for it: see 'baton join --role coordinator'. The line \
            is a secret: its holder passes it to 'baton join -', puts it into BATON_KEY, or into a file that BATON_KEY_FILE names. \
            Baton does not keep it. Where the record is on a server, authorize waits until the record has the key, and ends with 69 if it \
            does not get it: the line is printed and valid then, and counts with this coordinator alone for now. With --http, the \
            line is a token for the web interface instead.
            """,
        examples: [
            Example(
                "baton authorize --role worker gpu1 --address tcp://10.0.0.1:7461",
                "A key for a worker on another host"
            ),
            Example(
                "baton authorize --role coordinator b --address tcp://10.0.0.1:7461",
                "A line for 'baton join --role coordinator -' on the host that is to stand by"
            ),
            Example(
                "umask 077; baton authorize --role viewer wall > wall.key",
                "A key in a file that nobody else may read, for a monitor"
            ),
        ]
    )

    /// The roles of keys for others.
    enum GrantedRole: String, CaseIterable, ExpressibleByArgument {
        case client, worker, viewer, coordinator

        /// The role of the key.
        var role: Role {
            switch self {
            case .client: .client
            case .worker: .worker
            case .viewer: .viewer
            case .coordinator: .coordinator
            }
        }
    }

    @Flag(
        help: "Make a token for the web interface, for the header \"Authorization: Bearer\"; for clients and viewers."
    )
    var http = false

    @Option(help: ArgumentHelp("What the key's holder may do.", valueName: "role"))
    var role: GrantedRole

    @Option(
        help: ArgumentHelp(
            """
            Address by which the holder reaches the coordinator, or the addresses of several with commas between them \
            (default: where the coordinator listens, unless that is a loopback address or all addresses).
            """,
            valueName: "url"
        ),
        transform: { (text: String) in try KeyArgument.address(text) }
    )
    var address: ServerAddress?

    @Argument(help: "Name of the key: \(KeyName.rule).", transform: { (text: String) in try KeyArgument.name(text) })
    var name: KeyName

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard http else { return }
        guard role == .client || role == .viewer else {
            throw ValidationError("The web interface is for clients and viewers, not for \(role.rawValue)s.")
        }
        if address != nil {
            throw ValidationError("A token for the web interface has no address. Leave out --address.")
        }
    }

    func run() async throws {
        let directory = try global.keyDirectory
        try checkHome(directory)
        try HomeCoordinator.checkLeads(
            global,
            or: "The leader would not know of the key \(name).",
            command: "baton authorize"
        )
        guard !http else { return try await makeToken(directory) }
        let address = try address ?? listenAddress(of: directory)
        let isFirst = try directory.serverKey() == nil
        let lost = try directory.lostFiles()
        try Surroundings.makeDirectory(global.homeDirectory)
        let token = try directory.authorize(name, role: role.role, address: address, at: Timestamp.now.seconds)
        Self.tell(of: lost, in: directory)
        if isFirst, !global.quiet { Output.note("Made the keys of a new coordinator in \(directory.path).") }
        // The line first: nobody else has the secret, whatever becomes of the record.
        if global.json {
            try Output.document(KeyDocument(token, showsSecret: true))
        } else {
            try Output.line(token.text)
        }
        try await awaitKept(directory)
        if global.json { return }
        guard Terminal.isStandardOutput, !global.quiet else { return }
        guard role != .coordinator else {
            return Output.note(
                "Whoever has this line gets the keys of the coordinator, once, while it runs: give it to "
                    + "\"baton join --role coordinator -\" on the other host, or revoke it."
            )
        }
        Output.note(
            "This line is the secret of \(name), and is not kept here. Its holder gives it to \"baton join -\", or puts it into "
                + "BATON_KEY or a file that BATON_KEY_FILE names."
        )
    }

    /// Makes a token for the web interface, and prints it once.
    private func makeToken(_ directory: KeyDirectory) async throws {
        let lost = try directory.lostFiles()
        try Surroundings.makeDirectory(global.homeDirectory)
        let token = try directory.authorizeToken(name, role: role.role, at: Timestamp.now.seconds)
        Self.tell(of: lost, in: directory)
        if global.json {
            try Output.document(KeyDocument(name: name.text, role: role.role.rawValue, token: token.text))
        } else {
            try Output.line(token.text)
        }
        try await awaitKept(directory)
        if global.json { return }
        guard Terminal.isStandardOutput, !global.quiet else { return }
        Output.note(
            "This line is the secret of \(name), and is not kept here. Send it as \"Authorization: Bearer TOKEN\"."
        )
    }

    /// Waits until the coordinators that stand by can learn of the new key.
    private func awaitKept(_ directory: KeyDirectory) async throws {
        try await HomeCoordinator.awaitKept(
            directory,
            global,
            "The key \(name) was made, and its line is valid.",
            or: "another one that takes over would refuse the key."
        )
    }

    /// Warns of files that were lost, and that the new key's authorization has made anew.
    private static func tell(of files: [LostKeyFile], in directory: KeyDirectory) {
        for file in files {
            Output.note("\(directory.path)/\(file) was missing, and is made anew. \(file.consequence)")
        }
    }

    /// Refuses a home without a coordinator whose user has a key for a coordinator elsewhere: no coordinator would admit a new key.
    private func checkHome(_ directory: KeyDirectory) throws {
        guard try directory.serverKey() == nil else { return }
        let variables = [KeyLookup.variable, KeyLookup.fileVariable]
        let known =
            try directory.tokens().first.map { token in
                "\(directory.path) has a key for \(token.address.map { "the coordinator at \($0)" } ?? "another coordinator")"
            } ?? variables.first { Surroundings.variable($0) != nil }.map { "\($0) has a key for another coordinator" }
            ?? Surroundings.variable(KeyLookup.operationVariable).map { _ in
                "This program acts for an operation of another coordinator (BATON_TOKEN)"
            }
        guard let known else { return }
        throw CommandFailure(
            ExitStatus.notAllowed,
            code: "noCoordinator",
            "\(known), and \(directory.path) has no coordinator of its own.",
            advice: "Run \"baton authorize\" on that coordinator's state directory, as its user."
        )
    }

    /// The address of the coordinator, if other hosts can use it.
    private func listenAddress(of directory: KeyDirectory) throws -> ServerAddress {
        let known = try directory.address()
        if let known, !known.isLoopback, !known.isWildcard { return known }
        let port = (known?.text ?? CoordinatorAccess.defaultEndpoint).split(separator: ":").last ?? ""
        let why =
            known.map { "The coordinator listens at \($0), which says nothing to another host." }
            ?? "The coordinator has not listened anywhere yet."
        throw CommandFailure(
            ExitStatus.usage,
            code: "noAddress",
            why,
            advice:
                "Give the address by which the holder reaches it, such as --address tcp://\(Surroundings.hostName):\(port)."
        )
    }
}
