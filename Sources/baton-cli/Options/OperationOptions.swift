@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The options of `submit` and `run`: one operation or an array with its options, or a graph file.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Name of the job and of its operation; other operations refer to it. With --file, of the job alone.",
            valueName: "name"
        ),
        transform: { (text: String) in try NameArgument.readJob(text) }
    )
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Queue of the operation, or of the operations of a graph without one of their own (default: default).",
            valueName: "queue"
        ),
        completion: CompletionSubject.queues.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var queue: String?

    /// The texts of the options in the table of options.
    @DeclaredOptions(OperationOption.onCommandLine.map(\.declaration))
    var settings: [String: [String]]

    @Option(
        help: ArgumentHelp(
            """
            Earliest start: a time of day such as 22:00, or a date such as 2026-12-01T06:00+01:00, in local time unless it has an \
            offset from UTC. It becomes a --delay.
            """,
            valueName: "time"
        ),
        transform: { (text: String) in try TimeOption.wait(text) }
    )
    var begin: Duration?

    @Option(
        help: ArgumentHelp(
            "File with environment variables of the command, NAME=VALUE a line; --env takes precedence.",
            valueName: "file"
        ),
        completion: .file()
    )
    var envFile: [String] = []

    @Flag(
        help: """
            All environment variables of this command, except BATON_* and PWD, OLDPWD, _ and SHLVL; --env-file and --env take \
            precedence. Without it, the command gets the variables of its worker, without these and TERM.
            """
    )
    var envAll = false

    @Option(
        help: ArgumentHelp(
            """
            Shell with its options, such as 'bash -euo pipefail -c', that runs the command: a line of text as a single argument after \
            '--'. With --file, the shell of the operations whose command is a text, without a shell of their own (default: /bin/sh -c).
            """,
            valueName: "shell"
        ),
        transform: { (text: String) in try ShellArgument.read(text) }
    )
    var shell: CommandShell?

    @Option(help: ArgumentHelp("Start after this has finished, whatever its outcome.", valueName: "address"))
    var after: [DependencyAddress] = []

    @Option(help: ArgumentHelp("Start after this has succeeded; otherwise skip the operation.", valueName: "address"))
    var needs: [DependencyAddress] = []

    @Option(
        help: ArgumentHelp(
            "Start after this, or another --on-failure, has failed; otherwise skip the operation.",
            valueName: "address"
        )
    )
    var onFailure: [DependencyAddress] = []

    @Flag(help: "Start only if each --on-failure has failed; without it, the failure of one is enough.")
    var all = false

    /// The options that make an array, in the order given.
    @OrderedOptions(ArrayOption.allCases.map(\.declaration))
    var arraySources: [OrderedOptions.Given]

    @Option(
        help: ArgumentHelp(
            """
            Number of failed operations at which the rest of an array or a graph is cancelled: what has not started, except what \
            is there for failures.
            """,
            valueName: "n"
        )
    )
    var maxFailures: UInt32?

    @Flag(help: "At the maximum of failures, cancel what executes, too.")
    var cancelRunning = false

    @Option(
        help: ArgumentHelp(
            """
            How long the files of the job are kept after its end, such as 7d (default: until the workers need the room).
            """,
            valueName: "duration"
        ),
        transform: { (text: String) in try DurationOption.read(text) }
    )
    var keepFiles: Duration?

    @Option(
        help: ArgumentHelp(
            """
            Limit of all files of the job, such as 20G: an attempt that leaves more fails, and --send sends no more (default: \
            the coordinator's --job-files-limit).
            """,
            valueName: "size"
        ),
        transform: { (text: String) in try ResourceArgument.size(text, from: 1) }
    )
    var filesLimit: Int64?

    @Option(
        help: ArgumentHelp(
            """
            File or directory of this host to send with the job, at most 65,536 files. Its commands run in a fresh directory \
            for each attempt, and find it there under this path, or under the last part if the path is absolute or has '..'. \
            Contents that the coordinator has are not sent again. Of a directory, .git and files that its .batonignore \
            excludes are not sent.
            """,
            valueName: "path"
        ),
        completion: .file()
    )
    var send: [String] = []

    @Option(
        help: TagArgument.help,
        transform: { (text: String) in try TagArgument.read(text) }
    )
    var tag: [JobTag] = []

    @Option(
        help: ArgumentHelp(
            "Idempotency key: the same submission again returns the same job; another one is refused.",
            valueName: "key"
        ),
        transform: { (text: String) in try NameArgument.readKey(text) }
    )
    var key: String?

    @Option(
        help: ArgumentHelp(
            """
            Take the results of this finished job, and run only what is new or changed: an operation with the name, command, options \
            and inputs of one that succeeded there does not run. Queue, priority, earliest start and deadline may differ. What reads \
            a file with --stdin runs; other files that commands read are not looked at.
            """,
            valueName: "job"
        )
    )
    var reuse: JobArgument?

    @Flag(help: "Refuse the submission if no worker that is connected can ever take one of its operations.")
    var rejectUnplaceable = false

    @Option(
        help: ArgumentHelp(
            """
            Graph file with operations; - reads standard input. --name, --queue, --priority, --env, --shell, --tag, --max-failures, \
            --cancel-running, --keep-files, --files-limit and --deadline take precedence over the settings of the file for the \
            whole job, but not over what an operation says itself. --send sends files besides those that the file names. --hold, \
            --begin, --after, --needs and --on-failure are for the operations without dependencies inside the file.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json", "json5", "jsonl"])
    )
    var file: String?

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after '--'.")
    var command: [String] = []

    /// Throws an error if there is nothing to run.
    func requireWork() throws(ValidationError) {
        if file == nil, command.isEmpty {
            throw ValidationError("Give a command after '--', or a graph with --file.")
        }
        if all, onFailure.isEmpty {
            throw ValidationError("'--all' is about '--on-failure', which is not given. Leave it out, or give both.")
        }
    }

    /// Throws an error if an option is given that is about an operation, although there is no operation.
    func refuseOptionsOfOperation() throws(ValidationError) {
        let others = [
            ("--queue", queue != nil), ("--begin", begin != nil), ("--env-file", !envFile.isEmpty),
            ("--env-all", envAll), ("--shell", shell != nil),
            ("--after", !after.isEmpty),
            ("--needs", !needs.isEmpty), ("--on-failure", !onFailure.isEmpty), ("--all", all),
        ]
        let given =
            optionsOfCommand
            + Self.settingsOfGraphs.subtracting(["deadline"]).sorted().filter { settings[$0] != nil }.map { "--\($0)" }
            + others.filter { $0.1 }.map { $0.0 }
        guard let option = given.first else { return }
        throw ValidationError("'\(option)' is for an operation, and there is no command after '--' and no --file.")
    }

    /// Throws an error if an option is given that is about a new job, although the operations are for an open one.
    ///
    /// - Parameter option: what names the open job.
    func refuseOptionsOfJob(beside option: String) throws(ValidationError) {
        let ofJobs = [
            ("--tag", !tag.isEmpty), ("--max-failures", maxFailures != nil), ("--cancel-running", cancelRunning),
            ("--keep-files", keepFiles != nil), ("--files-limit", filesLimit != nil), ("--send", !send.isEmpty),
            ("--deadline", file != nil && settings["deadline"] != nil), ("--reuse", reuse != nil),
        ]
        guard let given = ofJobs.first(where: { $0.1 })?.0 else { return }
        throw ValidationError("\(given) is for new jobs: give it without \(option).")
    }

    func validate() throws {
        // The name of a command's job is that of its operation, too.
        if !command.isEmpty, let name {
            do throws(ValidationError) {
                _ = try NameArgument.read(name)
            } catch {
                throw ValidationError("The value '\(name.asShown)' is invalid for '--name <name>'. \(error)")
            }
        }
        if maxFailures == 0 { throw ValidationError("--max-failures must be 1 or more.") }
        if cancelRunning, maxFailures == nil, file == nil {
            throw ValidationError("--cancel-running is for a maximum of failures: give --max-failures, too.")
        }
        if begin != nil, settings["delay"] != nil { throw ValidationError("Give either --begin or --delay, not both.") }
        try refuseStartAfterDeadline()
        try TagArgument.check(tag)
        try refusePlaceBesideSend()
        guard let file else {
            if shell != nil, command.count > 1 {
                throw ValidationError(
                    "With --shell, give the command as a single argument, in quotes, after '--': the shell splits it into words."
                )
            }
            if settings["barrier"] != nil, let source = arraySources.first {
                throw ValidationError("An array cannot be a barrier: give --barrier without --\(source.name).")
            }
            if settings["max-concurrent"] != nil, arraySources.isEmpty {
                throw ValidationError(
                    "--max-concurrent is for arrays: give --array, --each, --each-line, --each-line0 or --each-row."
                )
            }
            try refuseSharedStandardInput()
            for option in OperationOption.all where option.form == .amounts {
                // The check of the single value refuses a text that is not name=amount.
                let names = (settings[option.name] ?? []).compactMap { $0.split(separator: "=").first.map(String.init) }
                let kind = option.key == "take" ? "limit" : "resource"
                try ResourceArgument.refuseDuplicates(names, of: kind, option: "--\(option.name)")
            }
            for option in OperationOption.all where option.form == .picks {
                try PickArgument.refuseDuplicates(settings[option.name] ?? [], option: "--\(option.name)")
            }
            for option in OperationOption.all where option.form == .command && settings[option.name]?.last == "" {
                throw ValidationError("The command of --\(option.name) is empty.")
            }
            return
        }
        guard command.isEmpty else {
            throw ValidationError("Give either a command after '--' or the graph '\(file)', not both.")
        }
        if let option = optionsOfCommand.first {
            throw ValidationError(
                "'\(option)' is for a command after '--'; the operations of a graph have their options in the file."
            )
        }
        if file == "-", envFile.contains("-") {
            throw ValidationError(
                "Only one option can read standard input, and - is given to --file and --env-file. Name a file in one of them."
            )
        }
    }

    /// The options of the table that a graph file takes from the command line.
    private static let settingsOfGraphs: Set<String> = ["priority", "hold", "env", "deadline"]

    /// Whether the standard input of this command is that of the operation.
    var sendsStandardInput: Bool { settings["stdin"]?.last == "-" }

    /// Refuses a second option that would read standard input, because the first leaves nothing.
    private func refuseSharedStandardInput() throws(ValidationError) {
        let readers =
            (sendsStandardInput ? ["--stdin"] : [])
            + arraySources.filter { $0.text == "-" && ArrayOption(rawValue: $0.name)?.readsFile == true }.map {
                "--\($0.name)"
            }
            + envFile.filter { $0 == "-" }.map { _ in "--env-file" }
        guard readers.count > 1 else { return }
        throw ValidationError(
            "Only one option can read standard input, and - is given to \(readers[0]) and \(readers[1]). Name a file in one of them."
        )
    }

    /// Refuses a directory of the worker for a command that gets files of this host.
    private func refusePlaceBesideSend() throws(ValidationError) {
        guard !send.isEmpty else { return }
        if send.contains("") { throw ValidationError("The path of --send is empty.") }
        if settings["cwd"] != nil {
            throw ValidationError(
                "--send puts files into a directory of the attempt's own, and --cwd names another one. Leave --cwd out, or have the "
                    + "command change its directory."
            )
        }
        if settings["workspace"]?.last == Workspace.shared.rawValue {
            throw ValidationError(
                "--send puts files into a directory of the attempt's own. Leave --workspace out, or make it 'fresh'."
            )
        }
    }

    /// Refuses an earliest start at the deadline or later: nothing could start in time.
    private func refuseStartAfterDeadline() throws(ValidationError) {
        guard let text = settings["deadline"]?.last else { return }
        let delay = settings["delay"]?.last.flatMap { Duration(text: $0) }
        let deadline = try TimeOption.deadline(text)
        guard let start = begin ?? delay, start >= deadline else { return }
        throw ValidationError(
            "--\(begin == nil ? "delay" : "begin") lasts until --deadline or longer, so nothing could start in time. Give an earlier "
                + "start or a later deadline."
        )
    }

    /// The given options that have no meaning for a graph file.
    private var optionsOfCommand: [String] {
        arraySources.map { "--\($0.name)" }
            + OperationOption.onCommandLine.lazy.map(\.name)
            .filter { settings[$0] != nil && !Self.settingsOfGraphs.contains($0) }.map { "--" + $0 }
    }
}
