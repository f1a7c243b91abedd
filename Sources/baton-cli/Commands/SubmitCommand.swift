@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The command `baton submit`.
struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Submits one operation, an array or a graph, and prints the number of the new job.",
        discussion: """
            The words after '--' are the command, without a shell. The command runs in the current directory, or in --cwd. The \
            command gets the environment of its worker, without BATON_*; --env, --env-file and --env-all add variables. It reads \
            nothing, unless --stdin names a file, or - for the standard input of submit. A graph file is JSON5; a file whose name \
            ends in .jsonl has one JSON object per line, each an operation.
            """,
        examples: [
            Example("baton submit -- make -j4", "Run make once"),
            Example("baton submit --needs 12 --retries 2 -- ./deploy", "Run it when job 12 has succeeded"),
            Example("baton submit --array 1-1000 -- ./simulate --seed {}", "Run it a thousand times"),
            Example("baton submit --each-row params.csv -- ./train --lr {lr} {2}", "Run it for each row of a table"),
            Example("baton submit --each a,b --array 1-3 -- ./run {1} {2}", "Run it for each of the six combinations"),
            Example("baton submit --env LANG --env SEED=7 -- ./simulate", "With a variable of this shell"),
            Example(
                "baton submit --array 1-9 --stdout 'logs/{job}/{index}.out' -- ./simulate {}",
                "Write files of output"
            ),
            Example("baton submit --file graph.json", "Submit a graph"),
        ]
    )

    @OptionGroup var operation: OperationOptions
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let job = try await global.connect().submit(operation.submission())
        if global.json {
            try Output.document(SubmitDocument(job: job.number, operations: job.operations))
        } else {
            try Output.line(job.number.description)
        }
    }
}
