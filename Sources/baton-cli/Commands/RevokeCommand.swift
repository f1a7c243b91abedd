@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations

/// The command `baton revoke`.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes keys: the coordinator no longer admits them.",
        discussion: """
            Run revoke on the coordinator's state directory, with or without the coordinator running; of several coordinators \
            with one record, on that of the leader. A running coordinator ends \
            the connections of a revoked key within a second. A worker with the key is lost at once: it ends its operations, \
            which run again on other workers, and exits with 77. Where the record is on a server, revoke waits until the record has \
            the revocation, and ends with 69 if it does not get it: the keys are revoked with this coordinator alone for now.
            """,
        examples: [Example("baton revoke laptop")]
    )

    @Argument(help: "Names of the keys.", transform: { (text: String) in try KeyArgument.name(text) })
    var names: [KeyName]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if names.isEmpty { throw ValidationError("Name at least one key.") }
    }

    func run() async throws {
        let directory = try global.keyDirectory
        let table = try KeysCommand.table(of: directory)
        for name in names {
            guard let key = table[name] else {
                throw KeyError(.unknownKey, "There is no key \(name) that could be revoked.")
            }
            guard key.role != .operation else {
                throw CommandFailure(
                    ExitStatus.refusedInput,
                    code: "invalid",
                    "\(name) carries the connections of all running operations, and cannot be revoked: their tokens end with their "
                        + "attempts."
                )
            }
        }
        try HomeCoordinator.checkLeads(
            global,
            or: "The leader would go on admitting \(names.count == 1 ? "the key" : "the keys").",
            command: "baton revoke"
        )
        for name in names {
            let key = try directory.revoke(name, at: Timestamp.now.seconds)
            if global.json {
                try Output.document(KeyDocument(name: name.text, role: key.role.rawValue))
            } else if !global.quiet {
                Output.note("Revoked \(name), a \(key.role)'s \(key.identity.isToken ? "token for HTTP" : "key").")
            }
            guard !global.quiet,
                try directory.tokens().contains(where: { try .publicKey($0.publicKey()) == key.identity })
            else {
                continue
            }
            let address = try directory.address()?.fromSameHost.text ?? CoordinatorAccess.defaultEndpoint
            Output.note(
                "It was this state directory's own key of the role \(key.role). For another one, run: baton authorize --role "
                    + "\(key.role) \(name) --address \(address) | baton join -"
            )
        }
        try await HomeCoordinator.awaitKept(
            directory,
            global,
            names.count == 1 ? "The key \(names[0]) is revoked." : "The keys are revoked.",
            or: "another one that takes over would admit \(names.count == 1 ? "the key" : "them")."
        )
    }
}
