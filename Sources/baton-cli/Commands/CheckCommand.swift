@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonGraphFiles

/// The command `baton check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a graph file, and prints what would run, in which order.",
        discussion: """
            The command needs no coordinator. It refuses what submit would refuse, with the line and the column, and exits \
            with 65; whether other jobs exist is known to a coordinator alone. The table has the operations in steps: each \
            operation is in the first step after everything that it waits for in the file, so that the operations of a step \
            can run at once. With --json, "plan" has all operations in this order.
            """,
        examples: [
            Example("baton check graph.json"),
            Example("baton check graph.jsonl --limit 1000", "The first thousand lines of a long plan"),
            Example("baton check graph.json --json", "The same as JSON, with all operations"),
        ]
    )

    @Option(help: ArgumentHelp("Maximum number of lines in the table.", valueName: "n"))
    var limit: UInt32 = 50

    @Argument(
        help: "Graph file with operations; - reads standard input.",
        completion: .file(extensions: ["json", "json5", "jsonl"])
    )
    var file: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if limit == 0 { throw ValidationError("Print at least one line.") }
    }

    func run() async throws {
        let report = PlanReport(
            of: try GraphInput.submission(in: file, sendsFiles: true),
            in: GraphInput.name(of: file)
        )
        if global.json { return try report.writeJSON() }
        try Output.line(report.summary + "\n")
        try Output.table(report.table(limit: Int(limit)))
        let more = report.lineCount - Int(limit)
        if more > 0, !global.quiet {
            Output.note("There \(more == 1 ? "is 1 more line" : "are \(more) more lines"); print more with --limit.")
        }
    }
}
