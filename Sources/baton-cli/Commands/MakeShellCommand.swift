@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import CBatonLine

/// The command `baton make-shell`.
struct MakeShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-shell",
        abstract: "Runs a line of a makefile as an operation: make SHELL='baton make-shell'.",
        discussion: """
            make calls its shell for each line of a recipe, with -c or what else .SHELLFLAGS has, and the line. make-shell \
            submits the line to a shell on a worker, in this directory and with this environment, prints its output, and exits \
            with its status, as run does. The directory has to be there on the workers. BATON_RUN_JOB names an open job for the \
            lines of a build: see 'baton with-job'.

            A line that runs make itself runs on this host, in a shell that keeps the jobserver of make: any line with a word \
            that names make, such as what $(MAKE) becomes, and any line to which make gives its jobserver, such as one that \
            begins with +. So a recursive make takes no slot, which the lines below it need.
            """,
        examples: [
            Example("make -j8 SHELL='baton make-shell'", "A build on all workers"),
            Example("make -j8 SHELL='baton make-shell --shell bash'", "For a Makefile that sets SHELL to bash"),
            Example("baton with-job build -- make -j8 SHELL='baton make-shell'", "A build as one job"),
        ]
    )

    /// The longest time until output is shown.
    ///
    /// A build prints little, and each look costs its compilers time.
    private static let outputInterval = Duration.seconds(1)

    /// The shell that runs the line unless `--shell` names another program.
    static let usualShell = CLINE_USUAL_SHELL

    @Option(help: ArgumentHelp("Shell that runs the line, here or on a worker.", valueName: "program"))
    var shell = MakeShellCommand.usualShell

    @Argument(parsing: .captureForPassthrough, help: "What make gives to a shell: options with -c, and a line.")
    var arguments: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard ShellArguments(arguments) == nil else { return }
        throw ValidationError("Give what make gives to a shell: options with -c, and a line.")
    }

    func run() async throws {
        guard let call = ShellArguments(arguments) else { return }
        let command = [shell] + call.words
        if MakeLine(text: call.line).runsHere(flags: Surroundings.variable("MAKEFLAGS")) { try runHere(command) }
        let interruption = Interruption(endingAt: Departure.signals)
        defer { withExtendedLifetime(interruption) {} }
        let lateAnswer = LateAnswer()
        var submission = Self.submission(
            of: command,
            in: try Surroundings.currentDirectory(),
            ClientEnvironment.all(tellsOmissions: false),
            Surroundings.fileMask
        )
        let lost = LostLine.current
        // The with-job of a lost line has found the coordinator.
        let connection = try global.connect(isKnown: lost != nil, onDelay: lateAnswer.noteDelay)
        var run = Self.lineRun(on: connection, interruption, lateAnswer, global, waiter: global.waiter)
        if let lost {
            submission.key = lost.key
            run.written = lost.written
            if let signal = lost.signal { interruption.take(signal) }
        }
        guard let openJob = try RunJob.inEnvironment() else {
            submission.settings.takeTraceParent(Surroundings.variable(TraceContext.variable))
            throw QuietExit(status: try await run.perform(submission, isSingle: true))
        }
        let number = try await RunJob.number(of: openJob, on: connection)
        throw QuietExit(status: try await run.perform(submission, in: number))
    }

    /// The way in which the operation of a line is shown.
    static func lineRun(
        on connection: ClientConnection,
        _ interruption: Interruption,
        _ lateAnswer: LateAnswer,
        _ global: GlobalOptions,
        waiter: OperationID?
    ) -> JobRun {
        var run = JobRun(
            connection: connection,
            interruption: interruption,
            lateAnswer: lateAnswer,
            global: global,
            output: .none,
            waiter: waiter
        )
        run.outputInterval = outputInterval
        // make starts more lines than there are slots.
        run.expectsToWait = true
        return run
    }

    /// Becomes a shell, which has the descriptors of the jobserver.
    private func runHere(_ command: [String]) throws(CommandFailure) -> Never {
        do throws(SystemFailure) {
            try replaceProgram(with: command, noticing: Surroundings.ignoredSignals)
        } catch {
            throw CommandFailure(ExitStatus.notRun, code: "launch", "The line could not be run here: \(error).")
        }
    }

    /// A submission of a command.
    ///
    /// - Parameters:
    ///   - directory: where the command runs.
    ///   - environment: its variables, as make has set them.
    ///   - mask: the file mode creation mask of the process that make has called.
    static func submission(
        of command: [String],
        in directory: String,
        _ environment: [String: String],
        _ mask: FileMask?
    ) -> Submission {
        var work = Work(.commands([command]), directory: directory)
        work.environment = environment
        for name in ["MAKEFLAGS", "MFLAGS"] {
            work.environment[name] = work.environment[name].map { MakeFlags($0).withoutJobserver }
        }
        var submission = Submission(templates: [Template(work: work)], entries: [Entry()])
        submission.takeMask(mask)
        return submission
    }
}
