@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTraces

/// The command `baton trace`.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Prints what happened in a job, as a trace for Perfetto.",
        discussion: """
            https://ui.perfetto.dev and chrome://tracing open the file, which is Chrome's trace JSON. Each worker is a process \
            and each slot a thread with the attempts that ran there, earlier ones included; arrows are dependencies, marks \
            are losses and retries, and two counters show how many operations were executing and ready. Above 20,000 \
            dependencies, the arrows are those of the critical path. Of a job that is not finished, the trace shows the \
            present moment. Times are in microseconds from the submission; an attempt that was reported late begins where its \
            slot became free. Long traces need room in the directory for temporary files (TMPDIR, else /tmp).
            """,
        examples: [
            Example("baton trace 12 --output trace.json"),
            Example("baton trace last | gzip > trace.json.gz", "Perfetto opens compressed files, too"),
        ]
    )

    @Option(
        help: ArgumentHelp("File to write, instead of standard output.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var output: String?

    @Argument(help: "Job (12, last or nightly).")
    var job: JobArgument

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let job = try await AddressResolver(on: connection).number(of: job.job)
        do {
            var trace = TraceWriter(temporaryFilesIn: try Surroundings.path("TMPDIR") ?? "/tmp")
            try await HistoryPages(of: job, on: connection).read { page in try trace.add(page) }
            // A missing job leaves the file of the user alone.
            let destination = try OutputDestination(output)
            let attempts = trace.attempts
            var document = try trace.takeDocument()
            while let piece = try document?.next() { try destination.write(piece) }
            try destination.write([UInt8(ascii: "\n")])
            try destination.finish()
            guard let output, output != "-", !global.quiet else { return }
            Output.note(
                "\(output.asShown) has \(attempts) attempt\(attempts == 1 ? "" : "s") of job \(job). Open it at https://ui.perfetto.dev."
            )
        } catch let error as TraceError {
            throw CommandFailure(ExitStatus.fault, code: "output", error.message)
        }
    }
}
