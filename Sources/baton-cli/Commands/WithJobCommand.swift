@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton with-job`.
struct WithJobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "with-job",
        abstract: "Runs a command on this host, whose calls of run are one job, and exits with the command's status.",
        discussion: """
            with-job opens a job and puts its number into BATON_RUN_JOB, so that each single command that 'baton run' and 'baton \
            make-shell' run below is an operation of this job. When the command has ended, with-job closes the job and prints \
            its summary on standard error; standard output is the command's own, also with --json.

            The command is no operation: it has this terminal, this directory and this environment. Ctrl-C reaches it as in a \
            shell, and SIGTERM is passed on; a second one cancels the job, and ends with-job. An end by a signal is passed on, \
            too. A command that cannot be started ends with 125.
            """,
        examples: [
            Example("baton with-job build -- make -j8 SHELL='baton make-shell'", "A build as one job"),
            Example("baton with-job --tag branch=main tests -- ./run-tests", "With a tag"),
        ]
    )

    /// The longest time that the end at a second signal waits for the coordinator.
    private static let leavingTimeout = Duration.seconds(2)

    @Option(
        help: TagArgument.help,
        transform: { (text: String) in try TagArgument.read(text) }
    )
    var tag: [JobTag] = []

    @Argument(
        help: ArgumentHelp("Name of the job.", valueName: "name"),
        transform: { (text: String) in try NameArgument.readJob(text) }
    )
    var name: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after '--'.")
    var command: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if command.isEmpty { throw ValidationError("Give a command after '--'.") }
        try TagArgument.check(tag)
    }

    func run() async throws {
        let delays = LineDelays()
        let connection = try global.connect(onDelay: delays.note)
        let job = try await connection.submit(emptyJob).number
        let end: CommandEnd
        do {
            var variables = try variables(for: job)
            let scope = LineScope { (name: String) -> [UInt8]? in
                if let value = variables[name] { return Array(value.utf8) }
                guard let value = getenv(name) else { return nil }
                return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
            }
            let service = LineService(connection: connection, job: job, waiter: global.waiter, delays: delays)
            let server = LineServer(for: scope, service.run)
            defer { server?.remove() }
            // An empty path hides the server of a with-job above.
            variables.merge(server?.variables ?? [LineServer.variable: ""]) { $1 }
            end = try await runCommand(with: variables) {
                server?.remove()
            } leave: {
                // The job would stay open, and its operations would run for nobody.
                _ = try? await connection.change(.cancel([.job(job)], queue: nil), timeout: Self.leavingTimeout)
            }
        } catch {
            try await close(job, on: connection)
            throw error
        }
        do {
            try await close(job, on: connection)
        } catch {
            // What the command has ended with is worth more than what is missing after it.
            guard end != .status(ExitStatus.success) else { throw error }
            Output.note("Error: \(CommandFailure(error).text)")
        }
        throw QuietExit(end)
    }

    /// An open job without operations.
    private var emptyJob: Submission {
        var submission = Submission(name: name, queueNames: [], templates: [], entries: [])
        submission.isOpen = true
        submission.settings.tags = tag.values
        submission.settings.takeTraceParent(Surroundings.variable(TraceContext.variable))
        return submission
    }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - variables: variables of its environment.
    ///   - cleanUp: called at a second signal, before all else.
    ///   - leave: called before the process ends at a second signal; a third one ends it at once.
    private func runCommand(
        with variables: [String: String],
        cleanUp: @escaping @Sendable () -> Void,
        leave: @escaping @Sendable () async -> Void
    ) async throws -> CommandEnd {
        // As in system(3): the terminal sends these to the command, too, and the command decides.
        let typed = [SIGINT, SIGQUIT].filter { !SignalWatcher.isIgnored($0) }
        for number in typed { signal(number, SIG_IGN) }
        defer { for number in typed { signal(number, SIG_DFL) } }
        let passing = SignalPassing()
        let watcher = SignalWatcher(of: [SIGTERM, SIGHUP]) { number, count in
            guard count > 1 else { return passing.pass(number) }
            cleanUp()
            guard count == 2 else { CommandEnd.signal(number).endProcess() }
            Task {
                await leave()
                CommandEnd.signal(number).endProcess()
            }
        }
        defer { withExtendedLifetime(watcher) {} }
        let process: ForegroundProcess
        do {
            process = try ForegroundProcess(
                command,
                environment: .inherited().setting(variables),
                noticing: Surroundings.ignoredSignals + typed
            )
        } catch let failure as SystemFailure {
            throw CommandFailure(ExitStatus.notRun, code: "launch", "The command could not be run: \(failure).")
        }
        passing.begin(to: try ProcessHandle(process.processID))
        switch await onOwnThread(named: "command", { process.waitForEnd() }) {
        case .exited(let status): return .status(status)
        case .signalled(let number): return .signal(number)
        case .unknown:
            throw CommandFailure(ExitStatus.fault, code: "fault", "The end of the command is unknown. See its output.")
        }
    }

    /// What the calls of run below need to find the job and its coordinator.
    private func variables(for job: JobNumber) throws -> [String: String] {
        var variables = [RunJob.variable: job.description]
        if let coordinator = global.coordinator { variables[CoordinatorAccess.variable] = coordinator }
        if global.home != nil { variables["BATON_HOME"] = try global.homeDirectory }
        if global.insecure { variables[CoordinatorAccess.insecureVariable] = "1" }
        return variables
    }

    /// Closes the job, and prints its summary.
    private func close(_ job: JobNumber, on connection: ClientConnection) async throws {
        _ = try await connection.change(.close([job]), timeout: GlobalOptions.answerTimeout)
        guard !global.quiet else { return }
        let bytes = try await connection.document(.summary(job), timeout: GlobalOptions.answerTimeout)
        guard !global.json else { return try Output.write(bytes + [UInt8(ascii: "\n")], to: STDERR_FILENO) }
        let summary = SummaryText(document: try DocumentReader.read(SummaryDocument.self, from: bytes))
        Output.notes(summary.facts)
        for (heading, table) in summary.tables {
            Output.notes("\n\(heading)\n\(table.rendered(width: Terminal.isStandardError ? Terminal.width : nil))")
        }
    }
}
