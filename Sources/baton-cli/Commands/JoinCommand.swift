@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys

/// The command `baton join`.
struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Takes over a key for a coordinator, as 'baton authorize' printed it.",
        discussion: """
            The key is kept in the state directory, where commands and workers find it. It also holds the coordinator's address, \
            so that they need no --coordinator, unless the state directory has keys for several coordinators. A key replaces an \
            earlier one of the same coordinator and role. join does not connect: 'baton status' does.
            """,
        examples: [
            Example("baton join -", "Then paste the line that 'baton authorize' printed on the coordinator's host"),
            Example("baton join - < laptop.key", "A key in a file"),
        ]
    )

    /// The most bytes of a key.
    private static let mostBytes = 4_096

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
        try Surroundings.makeDirectory(global.homeDirectory)
        try global.keyDirectory.join(key)
        if global.json { return try Output.document(KeyDocument(key, showsSecret: false)) }
        guard !global.quiet else { return }
        let place = key.address.map { "the coordinator at \($0)" } ?? "its coordinator, whose address it does not hold"
        Output.note("Took over \(key.name), a \(key.role)'s key for \(place).")
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
