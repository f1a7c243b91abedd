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
            command gets the environment of its worker, without BATON_* and TERM; --env, --env-file and --env-all add variables. It reads \
            nothing, unless --stdin names a file, or - for the standard input of submit. A graph file is JSON5; a file whose name \
            ends in .jsonl has one JSON object per line, each an operation. A W3C trace context in TRACEPARENT becomes the \
            job's parent: its tag 'traceparent'.

            With --job, submit prints where the operations are: 12/7, or 12/[7-9]. Their names are unique in the job, and they \
            may depend on operations that it has already, by address (--needs 12/fetch). A running operation can add to its \
            own job: --job "$BATON_JOB".
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
            Example("baton submit --send . -- make -j4", "Run it on the files of this directory, wherever it runs"),
            Example("baton submit --file graph.json", "Submit a graph"),
            Example("baton submit --file graph.json --reuse last", "Submit it again, and run only what changed since"),
            Example("baton submit --open --name sweep", "Open a job, to which operations are added"),
            Example("baton submit --job sweep -- ./simulate 7", "Add an operation to it, until \"baton close sweep\""),
        ]
    )

    @Flag(help: "Open the job: it takes further operations, with --job, until 'baton close'. It may begin without any.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "Add the operations to this open job (12, last or nightly) instead of making a new one.",
            valueName: "job"
        )
    )
    var job: JobArgument?

    @OptionGroup var operation: OperationOptions
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard !open else {
            if job != nil { throw ValidationError("Give either --open for a new job, or --job for an open one.") }
            if operation.file == nil, operation.command.isEmpty { try operation.refuseOptionsOfOperation() }
            return
        }
        try operation.requireWork()
        if job != nil { try operation.refuseOptionsOfJob(beside: "--job") }
    }

    func run() async throws {
        var submission = try operation.submission()
        let connection = try global.connect()
        guard let target = self.job else {
            submission.isOpen = open
            submission.settings.takeTraceParent(Surroundings.variable(TraceContext.variable))
            try await operation.noteReuse(in: &submission, connection)
            return try await submit(submission, connection)
        }
        // The name on the command line is that of the operation, and the name in a file that of a new job.
        submission.name = nil
        do throws(Refusal) {
            try submission.checkAsAddition()
        } catch {
            throw CommandFailure(error)
        }
        let number = try await AddressResolver(on: connection).number(of: target.job)
        let added = try await connection.add(submission, to: number, tellingUnplaceable: !global.quiet)
        let last = UInt64(added.first) + UInt64(added.operations) - 1
        try Output.submitted(
            SubmitDocument(job: added.job, operations: added.operations, first: added.first),
            as: "\(added.job)/" + (added.operations == 1 ? "\(added.first)" : "[\(added.first)-\(last)]"),
            asJSON: global.json
        )
    }

    private func submit(_ submission: Submission, _ connection: ClientConnection) async throws {
        var submission = submission
        let upload = try await SentUpload(of: &submission, over: connection, global)
        let job = try await SentUpload.submitting(with: upload) { [submission] in
            try await connection.submit(submission, tellingUnplaceable: !global.quiet)
        }
        try Output.submitted(
            SubmitDocument(job: job.number, operations: job.operations),
            as: job.number.description,
            asJSON: global.json
        )
    }
}
