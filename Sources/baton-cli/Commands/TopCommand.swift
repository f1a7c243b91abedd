@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The command `baton top`.
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows jobs, queues and workers live in the terminal.",
        discussion: """
            The screen has the busy slots, the operations by state, how many finish in a second, the newest unfinished jobs, and \
            the queues and workers that need somebody: queues that are suspended or full, workers that are suspect, lost, \
            failing or draining. It is drawn once a second. The arrow keys choose a job, Enter shows it with its failures and \
            with what holds the rest of it up, Esc goes back, and q quits. top continues after a restart of the coordinator; \
            until then it says how old the figures are.

            With --json, top prints a document a second, until Ctrl-C.
            """,
        examples: [
            Example("baton top"),
            Example("baton top --once", "Print one frame, for a file or a pipe"),
            Example("baton top --json", "A document a second"),
        ]
    )

    @Flag(help: "Print one frame without control characters, or one document with --json.")
    var once = false

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        guard once || global.json || Terminal.isStandardOutput else {
            throw CommandFailure(
                ExitStatus.usage,
                code: "usage",
                "Standard output is not a terminal, so there is no screen to draw on.",
                advice: "Use --once for one frame, or --json for a document a second."
            )
        }
        // Notices would spoil the screen, which shows the age of its figures.
        let connection = try global.connect(awayLimit: .longestAllowed, tells: once || global.json)
        let session = TopSession(on: connection, isJSON: global.json)
        guard once else { throw QuietExit(try await session.run()) }
        let state = try await session.firstState()
        if global.json { return try Output.document(state.overview) }
        let lines = session.lines(
            of: state,
            width: Terminal.isStandardOutput ? Terminal.width : 80,
            height: nil,
            style: .plain
        )
        try Output.line(lines.joined(separator: "\n"))
    }
}
