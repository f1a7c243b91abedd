@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton summary`.
struct SummaryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "Shows what a job took, and what its end waited for.",
        discussion: """
            The elapsed time lasts from the submission to the end of the job, and the busy time is the sum of the run times of \
            all attempts. Processor time and memory are those of the commands' processes and of the descendants for which \
            these waited; memory is the most resident memory of a single process, at least that of the worker, in whose \
            memory processes begin. The critical path leads from a first operation to the one that finished last: each step \
            is the dependency of the next step that finished last. To shorten the job, shorten a step, or give the steps a \
            higher priority where they waited although they were ready. Of a job that is not finished, the finished \
            operations count.
            """,
        examples: [
            Example("baton summary 12"),
            Example("baton summary last --json", "The same as JSON"),
        ]
    )

    @Argument(help: "Job (12, last or nightly).")
    var job: JobArgument

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let job = try await AddressResolver(on: connection).number(of: job.job)
        let bytes = try await connection.document(.summary(job), timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let text = SummaryText(document: try DocumentReader.read(SummaryDocument.self, from: bytes))
        try Output.line(text.facts)
        for (heading, table) in text.tables {
            try Output.line("\n\(heading)")
            try Output.table(table)
        }
        if !global.quiet, let sentence = try await connection.sentence(aboutRetriesOf: job) { Output.note(sentence) }
    }
}
