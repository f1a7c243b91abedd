@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

/// The command `baton keys`.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists the keys that the coordinator admits.",
        discussion: """
            Run keys on the coordinator's state directory; the coordinator need not run. The keys local-client, local-worker and \
            local-operation are the state directory's own, for the commands, workers and operations of its user.
            """,
        examples: [Example("baton keys"), Example("baton keys --all --json", "With revoked keys, for a script")]
    )

    @Flag(help: "List revoked keys, too.")
    var all = false

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let directory = try global.keyDirectory
        let keys = try Self.table(of: directory).keys.filter { all || !$0.isRevoked }
        if global.json { return try Output.document(KeysDocument(keys: keys.map { .init($0) })) }
        guard !keys.isEmpty else {
            if !global.quiet { Output.note("There are no keys. Make one with \"baton authorize\".") }
            return
        }
        var lines = TextTable(
            [.init("KEY", isFlexible: true), .init("ROLE"), .init("FOR"), .init("AUTHORIZED")]
                + (all ? [.init("REVOKED")] : [])
        )
        for key in keys {
            let revoked = key.revokedAt.map { Timestamp(seconds: $0).localText }
            lines.append(
                [
                    .init(key.name.text), .init(key.role.rawValue),
                    .init(key.identity.isToken ? "http" : "connections"),
                    .init(Timestamp(seconds: key.madeAt).localText),
                ] + (all ? [.init(revoked ?? "-", tone: revoked == nil ? nil : .warning)] : [])
            )
        }
        try Output.table(lines)
    }

    /// The table of keys of a home's coordinator.
    ///
    /// - Throws: ``CommandFailure`` if the home has none.
    static func table(of directory: KeyDirectory) throws -> KeyTable {
        if let table = try directory.table() { return table }
        throw CommandFailure(
            ExitStatus.notFound,
            code: "noCoordinator",
            "\(directory.path) has no keys of a coordinator.",
            advice: "Name the coordinator's state directory with --home or BATON_HOME."
        )
    }
}
