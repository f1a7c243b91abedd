@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

/// The command `baton run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Submits one operation, an array or a graph, shows its progress, and exits with its status.",
        discussion: """
            For a single command, run prints its output as it arrives and exits with its exit status: 128 plus the number of \
            the signal that ended it, 124 after --timeout or --deadline, 137 if it used more than its --memory, 143 after a \
            cancellation, 125 if the command could not be run. For an array or a graph, run exits with 0 if all operations \
            succeeded or were not needed; otherwise it prints a short form of "baton failures" and exits with 1. If nothing of the job can run, run \
            says why, as wait does. The command reads nothing, unless --stdin names a file, or - for the standard input of run.

            With --job, a single command runs in an open job, so that the commands of a build are one job; signals and Ctrl-C \
            are then about its operation alone. The variable BATON_RUN_JOB in the environment does the same for all commands \
            below: "baton with-job" sets it. Arrays, graphs and --local have jobs of their own.

            Ctrl-C cancels the job, and run dies of SIGINT (130); a second Ctrl-C exits at once. Ctrl-\\ leaves \
            the job running: run tells how to come back with "baton attach", and exits with 131. It does the same when the \
            terminal hangs up (129) and when nobody reads its output any more (141). With --local, these cancel the job, because \
            its cluster ends with run. What is typed meanwhile is left for the shell.
            """,
        examples: [
            Example("baton run -- make -j4", "Run make and print its output"),
            Example("baton run --stdin - --env-all -- sort < names", "Run sort on a file, in this environment"),
            Example("baton run --job sweep -- ./simulate 7", "Run a command in the open job of this name"),
            Example("baton run --file graph.json", "Run a graph, with a progress bar on a terminal"),
            Example("baton run --array 1-9 --output failed -- ./test {}", "See what failed tests have printed"),
            Example("baton run --local --file graph.json", "The same without a running cluster"),
        ]
    )

    @Flag(
        help:
            "Start a temporary coordinator and a worker with all that this host has, instead of using a running cluster."
    )
    var local = false

    @Option(
        help: ArgumentHelp(
            """
            What to print of the output of an array or a graph: each line as it comes, after its operation (prefixed), the last \
            attempt of each operation that has failed (failed), or nothing (none, the default).
            """,
            valueName: "what"
        )
    )
    var output: RunOutput?

    @Option(
        help: ArgumentHelp(
            """
            Run a single command in this open job (12, last or nightly) instead of a new one (env: BATON_RUN_JOB; see 'baton \
            submit --open').
            """,
            valueName: "job"
        )
    )
    var job: JobArgument?

    @OptionGroup var operation: OperationOptions
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        try operation.requireWork()
        if output != nil, operation.isSingle {
            throw ValidationError(
                "--output is for arrays and graphs; run always prints the output of a single command."
            )
        }
        if local, operation.reuse != nil {
            throw ValidationError("--reuse is for jobs of a running cluster: give it without --local.")
        }
        guard job != nil else { return }
        if local { throw ValidationError("--job is for a job of a running cluster: give it without --local.") }
        if !operation.isSingle {
            throw ValidationError("--job runs a single command; 'baton submit --job' adds arrays and graphs.")
        }
        try operation.refuseOptionsOfJob(beside: "--job")
    }

    /// The open job that the command runs in; nil for a job of its own.
    private var openJob: JobArgument? {
        get throws {
            if let job { return job }
            guard !local, operation.isSingle, let job = try RunJob.inEnvironment() else { return nil }
            try operation.refuseOptionsOfJob(beside: RunJob.variable)
            return job
        }
    }

    func run() async throws {
        let openJob = try openJob
        var submission = try operation.submission()
        if openJob == nil {
            submission.settings.takeTraceParent(Surroundings.variable(TraceContext.variable))
        } else {
            // The name is that of the operation.
            submission.name = nil
        }
        // The writer of the pipe may be slower than this command, so the end of the job is a second moment to look.
        var input = UnreadInput(isWanted: !global.quiet && !global.json)
        input.tell(isSingle: operation.isSingle)
        defer { input.tell(isSingle: operation.isSingle) }
        let interruption =
            local ? Interruption(endingAt: Departure.signals) : Interruption(leavingAt: Departure.signals)
        defer { withExtendedLifetime(interruption) {} }
        let lateAnswer = LateAnswer()
        guard local else {
            let run = JobRun(
                connection: try global.connect(onDelay: lateAnswer.noteDelay),
                interruption: interruption,
                lateAnswer: lateAnswer,
                global: global,
                output: output ?? .none,
                waiter: global.waiter
            )
            guard let openJob else {
                try await operation.noteReuse(in: &submission, run.connection)
                throw QuietExit(status: try await run.perform(submission, isSingle: operation.isSingle))
            }
            let number =
                try await job == nil
                ? RunJob.number(of: openJob, on: run.connection)
                : AddressResolver(on: run.connection).number(of: openJob.job)
            throw QuietExit(status: try await run.perform(submission, in: number))
        }

        _ = try StoreName.file(
            nil,
            global,
            otherwise: "run --local has a temporary record of its own. Unset BATON_STORE, or leave out --local."
        )
        try HostOffer().check(submission)
        let cluster = try LocalCluster(isInsecure: global.isInsecure)
        interruption.beforeLeaving { cluster.stopNow() }
        let status: Int32
        do {
            let run = JobRun(
                connection: try global.connect(cluster.access, onDelay: lateAnswer.noteDelay),
                interruption: interruption,
                lateAnswer: lateAnswer,
                global: global,
                output: output ?? .none,
                waiter: nil,
                outlivesProcess: false
            )
            status = try await run.perform(submission, isSingle: operation.isSingle)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
        throw QuietExit(status: status)
    }
}
