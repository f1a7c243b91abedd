@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The command `baton join`.
struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Takes over a key for a coordinator, as 'baton authorize' printed it.",
        discussion: """
            The key is kept in the state directory, where commands and workers find it. It also holds the coordinator's address, \
            so that they need no --coordinator, unless the state directory has keys for several coordinators. A key replaces an \
            earlier one of the same coordinator and role. join does not connect: 'baton status' does.

            With --role coordinator, the state directory becomes that of a coordinator which stands in for another one: join connects to \
            the one that leads, and gets its keys over the encrypted connection. The key of the line serves once.
            """,
        examples: [
            Example("baton join -", "Then paste the line that 'baton authorize' printed on the coordinator's host"),
            Example("baton join - < laptop.key", "A key in a file"),
            Example("baton join --role coordinator -", "On the host of the coordinator that is to stand by"),
        ]
    )

    /// The most bytes of a key.
    private static let mostBytes = 4_096

    @Option(
        help: ArgumentHelp(
            "Role that the key has to have; needed for the keys of a coordinator (default: any other role).",
            valueName: "role"
        )
    )
    var role: AuthorizeCommand.GrantedRole?

    @Argument(
        help: """
            - reads the key, which is one line, from standard input; the key itself can be given, too, and is then seen by the \
            host's other users.
            """
    )
    var token: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let key = try JoinToken(token == "-" ? Self.input(tells: !global.quiet) : token)
        try checkRole(of: key)
        try Surroundings.makeDirectory(global.homeDirectory)
        let directory = try global.keyDirectory
        guard key.role == .coordinator else {
            try directory.join(key)
            let place =
                key.address.map { "the coordinator at \($0)" } ?? "its coordinator, whose address it does not hold"
            return try tell(of: key, "Took over \(key.name), a \(key.role)'s key for \(place).")
        }
        let endpoint = try await takeKeys(by: key, into: directory)
        try tell(
            of: key,
            "Took over the keys of the coordinator at \(endpoint): a coordinator with this state directory can stand in for it."
        )
    }

    private func tell(of key: JoinToken, _ sentence: String) throws {
        if global.json { return try Output.document(KeyDocument(key, showsSecret: false)) }
        if !global.quiet { Output.note(sentence) }
    }

    /// Refuses a key of another role than the one that was given, and a coordinator's without the role.
    private func checkRole(of key: JoinToken) throws(CommandFailure) {
        guard let role else {
            guard key.role == .coordinator else { return }
            throw CommandFailure(
                ExitStatus.usage,
                code: "needsRole",
                "The line brings the keys of a coordinator here, for one that stands in for it.",
                advice: "If this is the host of such a coordinator, run: baton join --role coordinator -"
            )
        }
        guard key.role != role.role else { return }
        throw CommandFailure(
            ExitStatus.refusedInput,
            code: "wrongRole",
            "The line has the key \(key.name), a \(key.role)'s, not a \(role.rawValue)'s.",
            advice: "Get another line with \"baton authorize --role \(role.rawValue)\", or leave out --role."
        )
    }

    /// Gets the keys of the coordinator that leads, and keeps them.
    ///
    /// What can go wrong here is looked at before: the leader answers once.
    ///
    /// - Returns: the address at which the leader has answered, or all that were given.
    private func takeKeys(by key: JoinToken, into directory: KeyDirectory) async throws -> String {
        try HomeCoordinator.checkAbsent(global)
        try directory.makeRoom(forCoordinator: key.server)
        let lookup = KeyLookup(environment: [KeyLookup.variable: key.text], directory: directory)
        let access = try lookup.access(for: [.coordinator], at: global.coordinator)
        let connection = try global.connect(access)
        defer { connection.close() }
        let keys = try CoordinatorKeys(decoding: try await Self.answer(over: connection))
        guard keys.server == key.server else {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "otherCoordinator",
                "The coordinator at \(access.endpoint) answered with keys that are not its own."
            )
        }
        try directory.take(keys)
        return access.endpoint
    }

    /// The answer of the leader.
    ///
    /// The key of a used line is revoked, and the refusal looks like any other refusal. So the error explains the possible theft of the
    /// line.
    private static func answer(over connection: ClientConnection) async throws -> [UInt8] {
        do throws(ClientError) {
            return try await connection.document(.coordinatorKeys, timeout: GlobalOptions.answerTimeout)
        } catch {
            guard error.code == .keyRefused else { throw error }
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "keyRefused",
                "\(error.message) Such a line serves once. If it was used, and that was not you, somebody else has the coordinator's "
                    + "keys: its log says \"handed over the coordinator's keys\" then, and the whole cluster needs new ones.",
                advice:
                    "Otherwise get another line with \"baton authorize --role coordinator NAME\" on the coordinator's host."
            )
        }
    }

    /// The text from standard input; from a terminal, one line.
    private static func input(tells: Bool) throws(CommandFailure) -> String {
        guard Terminal.isStandardInput else {
            return String(decoding: try InputFile.bytes(of: "-", atMost: mostBytes), as: UTF8.self)
        }
        if tells { Output.note("Paste the line that \"baton authorize\" printed, and press Enter.") }
        return readLine() ?? ""
    }
}
