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
            Example("baton join baton1-...", "The line that 'baton authorize' printed on the coordinator's host"),
            Example("baton join - < laptop.key", "A key in a file"),
        ]
    )

    @Argument(help: "The key as one line; - reads it from standard input, out of sight of the host's other users.")
    var token: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let isInput = token == "-"
        let text = isInput ? String(decoding: try InputFile.bytes(of: token, atMost: 4_096), as: UTF8.self) : token
        let key = try JoinToken(text)
        try Surroundings.makeDirectory(global.homeDirectory)
        try global.keyDirectory.join(key)
        if global.json { return try Output.document(KeyDocument(key, showsSecret: false)) }
        guard !global.quiet else { return }
        let place = key.address.map { "the coordinator at \($0)" } ?? "its coordinator, whose address it does not hold"
        Output.note("Took over \(key.name), a \(key.role)'s key for \(place).")
    }
}
