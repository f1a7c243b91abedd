@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations

extension OperationOptions {
    /// The submission from the options.
    ///
    /// - Parameter present: the moment from which a graph file counts times of day and dates; nil refuses them.
    /// - Throws: ``CommandFailure`` for unreadable files, `GraphFileError` for an invalid graph.
    func submission(at present: PresentTime? = .here) throws -> Submission {
        var submission =
            try file.map {
                try GraphInput.submission(in: $0, adding: additions(), at: present, sendsFiles: true)
            } ?? withoutFile()
        submission.takeMask(Surroundings.fileMask)
        if let key { submission.key = key }
        submission.rejectsUnplaceable = rejectUnplaceable
        return submission
    }

    /// Notes in a submission the job whose results it takes, if the options name one.
    func noteReuse(in submission: inout Submission, _ connection: ClientConnection) async throws {
        guard let reuse else { return }
        submission.settings.reuse = try await AddressResolver(on: connection).number(of: reuse.job)
    }

    /// Whether the submission is a single operation, so that its output stands for the whole job.
    var isSingle: Bool { file == nil && arraySources.isEmpty }

    private func withoutFile() throws -> Submission {
        guard command.isEmpty else { return try single() }
        var submission = Submission(name: name, queueNames: [], templates: [], entries: [])
        submission.settings.maxFailures = maxFailures
        submission.settings.cancelRunning = cancelRunning
        submission.settings.deadline = try settings["deadline"]?.last.map { (text) in try TimeOption.deadline(text) }
        submission.settings.tags = tag.values
        submission.settings.keepFiles = keepFiles
        submission.settings.filesLimit = filesLimit
        try addSent(to: &submission)
        return submission
    }

    /// Adds the files of `--send`, if there are any, to a submission without a graph file.
    private func addSent(to submission: inout Submission) throws(CommandFailure) {
        guard !send.isEmpty else { return }
        // With places of its own, the command has only to wait for the files.
        for position in submission.entries.indices where settings["pick"] != nil {
            let sent = Dependency(on: .entry(submission.entries.count), condition: .success)
            submission.entries[position].dependencies.append(sent)
        }
        do throws(Refusal) {
            try submission.send(send)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func single() throws -> Submission {
        // With --cwd, the directory of this process may be gone, or its name no text. A fresh workspace is no place here, and what
        // gets files of this host has one.
        let runsHere =
            settings["cwd"] == nil && send.isEmpty && settings["workspace"]?.last != Workspace.fresh.rawValue
        let directory = runsHere ? try Surroundings.currentDirectory() : nil
        var template = Template(work: Work(.commands([command]), directory: directory))
        var entry = Entry(name: name, dependencies: dependencies)
        if !arraySources.isEmpty {
            let sources = try arraySources.compactMap { try ArrayOption(rawValue: $0.name)?.source($0.text) }
            let elements = try ArraySource.elements(of: sources)
            entry.array = elements.values
            template.work.columns = elements.columns
            for source in arraySources where source.name == ArrayOption.array.rawValue {
                if let limit = try ArrayLimit.split(source.text).limit { template.maxConcurrent = limit }
            }
        }
        let words = shellCommand(in: entry, columns: template.work.columns) ?? command
        template.work.kind = .commands([words])
        for option in OperationOption.onCommandLine where option.key != "stdin" || !sendsStandardInput {
            for (setting, value) in try option.settings(of: settings[option.name]) {
                guard setting.set(value, in: &template, &entry) else {
                    throw CommandFailure(
                        ExitStatus.refusedInput,
                        code: "invalid",
                        "The value of --\(option.name) is not allowed."
                    )
                }
            }
        }
        if let begin { entry.delay = begin }
        let given = template.work.environment
        template.work.environment = try variables(adding: given)
        if entry.array != nil {
            let columns = template.work.columns
            let placeholders = Placeholders(columns: columns)
            try placeholders.check(given, advice: "give this text itself with --env-file")
            // Without --cwd, the directory is the client's own, whatever its name.
            try placeholders.check(path: directory == nil ? template.work.directory : nil, "working directory")
            try placeholders.check(path: template.work.standardInput, "file of standard input")
            if let line = template.shellHook { template.onFinish = ShellLine.words(line, columns: columns) }
            try placeholders.check([words], hook: template.onFinish ?? [])
        }
        // Last, so that nobody types a long text for options that are refused.
        if sendsStandardInput { template.work.input = try Self.standardInput() }
        var submission = Submission(
            name: name,
            queueNames: [queue ?? Submission.defaultQueue],
            templates: [template],
            entries: [entry]
        )
        submission.settings.maxFailures = maxFailures
        submission.settings.cancelRunning = cancelRunning
        submission.settings.tags = tag.values
        submission.settings.keepFiles = keepFiles
        submission.settings.filesLimit = filesLimit
        try addSent(to: &submission)
        return submission
    }

    /// The command as a line for the shell of `--shell`; nil without one.
    private func shellCommand(in entry: Entry, columns: [String]) -> [String]? {
        guard let shell, let line = command.first else { return nil }
        return entry.array == nil ? shell.command(line) : ShellLine.words(line, columns: columns, shell: shell)
    }

    /// The variables of `--env-all` and `--env-file`, with those of `--env`, which take precedence.
    private func variables(adding given: [String: String]) throws -> [String: String] {
        let variables = try (envAll ? ClientEnvironment.all() : [:]).merging(EnvironmentFile.variables(in: envFile)) {
            $1
        }
        return variables.merging(given) { $1 }
    }

    /// What the options add to a graph file.
    private func additions() throws -> GraphFileAdditions {
        var (template, entry) = (Template(work: Work(.noOperation)), Entry())
        for option in OperationOption.onCommandLine {
            guard let value = try option.value(of: settings[option.name]) else { continue }
            option.set(value, in: &template, &entry)
        }
        return GraphFileAdditions(
            name: name,
            queue: queue,
            priority: settings["priority"] == nil ? nil : entry.priority,
            environment: try variables(adding: template.work.environment),
            tags: tag.values,
            maxFailures: maxFailures,
            cancelRunning: cancelRunning,
            deadline: template.deadline,
            keepFiles: keepFiles,
            filesLimit: filesLimit,
            send: send,
            isHeld: entry.isHeld,
            delay: begin,
            dependencies: dependencies,
            shell: shell
        )
    }

    /// The bytes of standard input, to their end.
    private static func standardInput() throws(CommandFailure) -> [UInt8] {
        do throws(CommandFailure) {
            return try InputFile.bytes(of: "-", atMost: Work.maximumInputLength)
        } catch {
            guard error.code == "tooLarge" else { throw error }
            var failure = error
            failure.advice = "Write it to a file that the workers can read, and give --stdin the file."
            throw failure
        }
    }

    private var dependencies: [Dependency] {
        after.map { Dependency(on: $0.target, condition: .any) }
            + needs.map { Dependency(on: $0.target, condition: .success) }
            + onFailure.map { Dependency(on: $0.target, condition: all ? .failureOfAll : .failure) }
    }
}

extension Submission {
    /// Gives the submitter's mask to the commands without one of their own.
    ///
    /// The usual mask is left out: it is that of nearly all workers, too, and works without it share more.
    mutating func takeMask(_ mask: FileMask?) {
        guard let mask, mask != .usual else { return }
        for position in templates.indices where templates[position].work.umask == nil {
            if case .commands = templates[position].work.kind { templates[position].work.umask = mask }
        }
    }
}
