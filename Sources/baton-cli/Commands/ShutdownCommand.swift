@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonOperations

/// The command `baton shutdown`.
struct ShutdownCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shutdown",
        abstract: "Ends the coordinator and the workers of the state directory.",
        discussion: """
            For the processes of "baton start" on this host, in the background or not, and for other coordinators and workers \
            in the state directory, of this user. Workers end first, as after SIGTERM: executing operations are ended after the \
            --drain-timeout of their worker, and run again after the next start. Nothing that was submitted is lost. Workers \
            elsewhere go on with what they execute, and wait for the coordinator. While operations execute on the workers to \
            end, shutdown asks on a terminal, and elsewhere takes --yes. The command returns once the processes have ended.
            """,
        examples: [
            Example("baton shutdown"),
            Example("baton shutdown --yes", "Without a question, in a script"),
        ]
    )

    private static let patience = Duration.seconds(5)

    @Flag(help: "Do not ask while operations execute.")
    var yes = false

    @Option(
        help: ArgumentHelp("Maximum time to wait for the end (default: 60s).", valueName: "duration"),
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
        let shutdown = try Shutdown(of: home, coordinator: ownFiles, within: Self.patience)
        guard !shutdown.isEmpty else {
            throw CommandFailure(
                ExitStatus.unreachable,
                code: "notRunning",
                "No coordinator and no worker runs in \(home).",
                advice: "Another state directory can be named with --home or BATON_HOME."
            )
        }
        if !yes { try confirm(shutdown) }
        if !global.quiet, !global.json { Output.note("Ending \(shutdown.text).") }
        let limit = timeout ?? .seconds(60)
        guard try shutdown.perform(until: .now + limit) else {
            throw CommandFailure(
                ExitStatus.timedOut,
                code: "timeout",
                "\(shutdown.leftText) within \(limit.text). What was asked to end still ends.",
                advice: "See \"baton health\"."
            )
        }
        if global.json { try Output.document(shutdown.document) }
    }

    /// Asks the user on a terminal, if operations execute.
    ///
    /// - Throws: ``CommandFailure`` without a terminal, and ``QuietExit`` for another answer than yes.
    private func confirm(_ shutdown: Shutdown) throws {
        guard let consequence = shutdown.consequence else { return }
        try Confirmation(
            question: "\(consequence) End \(shutdown.text)?",
            effect: "This would end \(shutdown.text). \(consequence)",
            refusal: "Nothing was ended."
        ).ask()
    }
}
