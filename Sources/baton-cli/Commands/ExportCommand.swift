@_spi(Baton) import BatonArguments

/// The command `baton export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Prints a graph file of a job, as the job was submitted.",
        discussion: """
            "baton submit --file" takes the file and makes an equal job. The file leaves out what later commands changed, \
            the key of the submission, and the values of environment variables, which Baton shows to nobody: comments in \
            the file and a line on standard error name the variables, and submit gives them values with --env, --env-file \
            or --env-all. An operation without a name on which another depends gets a name. With --json, the file has no \
            comments and is strict JSON.
            """,
        examples: [
            Example("baton export 12 > graph.json", "Keep the graph of job 12 as a file"),
            Example(
                "baton export last | baton submit --file - --queue night",
                "Submit the newest job again, elsewhere"
            ),
        ]
    )

    @Argument(help: "Job (12, last or nightly).")
    var job: JobArgument

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let job = try await AddressResolver(on: connection).number(of: job.job)
        var export = GraphExport(of: job, hasComments: !global.json, on: connection)
        try await export.print()
        guard !global.quiet else { return }
        for sentence in export.omissions.sentences { Output.note(sentence) }
    }
}
