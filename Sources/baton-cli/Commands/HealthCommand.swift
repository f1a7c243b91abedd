@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonOperations

/// The command `baton health`.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Tells whether the coordinator and the workers of the state directory go on.",
        discussion: """
            For probes of containers and service managers; needs no key and no network. Each process that runs in the state \
            directory is asked over a local socket, and its main thread answers. The exit status is 0 if a process runs and \
            all that run answer, else 69. A worker whose coordinator is away is healthy, because its operations go on; with \
            --ready it is not.
            """,
        examples: [
            Example("baton health", "For a probe that restarts what hangs"),
            Example("baton health --ready", "For a probe that tells what is of use"),
        ]
    )

    @Flag(
        help: """
            Also ask that workers are connected to their coordinator, that a coordinator can write its record, and that one that \
            stands by reaches it.
            """
    )
    var ready = false

    @Option(
        help: ArgumentHelp("Time for the answers (default: 5s).", valueName: "duration"),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var timeout: Duration?

    @Option(
        help: ArgumentHelp("The --store of the coordinator, if it has one (env: BATON_STORE).", valueName: "store"),
        completion: .file(extensions: ["db"])
    )
    var store: String?

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let home = try global.homeDirectory
        let ownFiles = try StoreName.ownFiles(store, global)
        let document: HealthDocument
        do throws(HealthFailure) {
            let processes = try HomeProcesses(in: home, coordinator: ownFiles)
            document = HealthDocument(processes: processes.reports(within: timeout ?? .seconds(5)), wantsReady: ready)
        } catch {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "notAllowed",
                "The processes of \(home) cannot be asked: \(error).",
                advice: "Ask as their user."
            )
        }
        if global.json {
            try Output.document(document)
        } else {
            for process in document.processes where !global.quiet || !process.answers || (ready && !process.ready) {
                try Output.line(process.message.printable)
            }
            guard !document.processes.isEmpty else {
                throw CommandFailure(
                    ExitStatus.unreachable,
                    code: "notRunning",
                    "No coordinator and no worker runs in \(home).",
                    advice: "Another state directory can be named with --home or BATON_HOME."
                )
            }
        }
        if !document.healthy { throw QuietExit(status: ExitStatus.unreachable) }
    }
}
