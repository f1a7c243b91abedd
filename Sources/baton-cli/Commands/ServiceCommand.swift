@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments

/// The command `baton service`.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Prints a unit with which systemd runs a coordinator or a worker.",
        discussion: """
            The unit runs this program. A coordinator is confined to its state directory and the network; a worker is not, \
            because users' programs run in it. Services are started again when they fail, but not after a status that another \
            start would not mend. A service of the system runs as the user baton or baton-worker, which has to exist, takes \
            more options from OPTIONS in /etc/default/baton-coordinator or baton-worker, and has its state below /var/lib. \
            With --user, the manager of a user runs it, with the user's own state directory. --home, --coordinator and \
            --insecure become part of the unit.
            """,
        examples: [
            Example("baton service coordinator > /etc/systemd/system/baton-coordinator.service"),
            Example(
                "baton service worker --user -- --slots 8 > ~/.config/systemd/user/baton-worker.service",
                "For the services of a user, whose directory has to exist, with an option of 'baton worker'"
            ),
        ]
    )

    @Flag(help: "Print a unit for the manager of a user instead of that of the system.")
    var user = false

    @Argument(help: "What the service runs.")
    var role: ServiceUnit.Role

    @Argument(parsing: .postTerminator, help: "Options of the coordinator or the worker, after '--'.")
    var options: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let unit = ServiceUnit(
            role: role,
            program: Surroundings.ownProgram,
            isOfUser: user,
            home: try home,
            arguments: (global.coordinator.map { ["--coordinator", $0] } ?? [])
                + (global.insecure ? ["--insecure"] : []) + options
        )
        try check(unit)
        if global.json {
            let document = ServiceDocument(
                unit: unit.name + ".service",
                directory: unit.directory,
                text: unit.text
            )
            return try Output.document(document)
        }
        try Output.write(Array(unit.text.utf8), to: 1)
        if !global.quiet { Output.note(advice(for: unit)) }
    }

    private var home: String? {
        get throws(CommandFailure) {
            let path = user && global.home == nil ? try Surroundings.path("BATON_HOME") : global.home
            return try path.map { (path) throws(CommandFailure) in try Surroundings.absolutePath(path) }
        }
    }

    /// Refuses what the service could not start with.
    private func check(_ unit: ServiceUnit) throws(CommandFailure) {
        for text in unit.arguments + [unit.home ?? ""]
        where text.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" }) {
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "'\(text.printable)' has a control character, and cannot be part of a unit."
            )
        }
        if case .failure(let error) = BatonCommand.outcome(of: [role.rawValue] + unit.arguments) {
            throw CommandFailure(error)
        }
    }

    private func advice(for unit: ServiceUnit) -> String {
        let manager = user ? "systemctl --user" : "systemctl"
        let more =
            user
            ? "\"loginctl enable-linger\" lets it run without a login."
            : "It runs as the user \(unit.user): see \"useradd --system\"."
        return "Write this to \(unit.directory)/\(unit.name).service, and start it with "
            + "\"\(manager) enable --now \(unit.name)\". \(more)"
    }
}

extension ServiceUnit.Role: ExpressibleByArgument {}
