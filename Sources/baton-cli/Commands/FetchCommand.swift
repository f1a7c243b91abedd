@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The command `baton fetch`.
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Copies the files that operations have left to this host.",
        discussion: """
            The files of one operation go to their paths below the directory of --output. The files of several operations go to a \
            directory there for each operation, with its name, such as align/out.bam. A job's only operation counts as one \
            operation. An existing file is replaced once all bytes of the new one are there and have the digest of the record. \
            Nothing outside of the directory is written, and no link below it is followed. The files keep their permissions, \
            except those that the umask of this command excludes.

            The exit status is 0 only if all bytes of all files are there. It is 74 if a file has no copy at a connected worker, and \
            66 if an operation that was to leave files has not succeeded, if nothing matches a pattern that does not end in '?', \
            or if there are no files at all. The other files are fetched nevertheless. With --json, a document for each file says \
            where it is, a line each.
            """,
        examples: [
            Example("baton fetch 12/align", "The files of an operation, into the current directory"),
            Example("baton fetch 12 --output results", "The files of a job, such as results/align/out.bam"),
            Example("baton fetch 12 '*.bam' report/", "Some of them: by name, and all below a directory"),
            Example("baton fetch '12/align-*' --output bam '*.bam'", "Of several operations"),
        ]
    )

    /// The most missing files that are named.
    private static let notedFiles = 10

    @Option(
        help: ArgumentHelp(
            "Directory for the files; it is made if it is missing.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var output = "."

    @Argument(help: "Job or operations (12, last, nightly, 12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var address: AddressPattern

    @Argument(
        help: ArgumentHelp(
            """
            Patterns for the paths of the files, in the form of --outputs, such as '*.bam' or report/ (default: all files).
            """,
            valueName: "pattern"
        ),
        transform: { (text: String) in try FetchCommand.pattern(text) }
    )
    var patterns: [OutputPattern] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        try Surroundings.refuseMisplaced(output)
        let connection = try global.connect()
        let target = try await OutputTarget(address, on: connection)
        let plan = try await FetchPlan(target, patterns, on: connection)
        guard !plan.fetches.isEmpty || plan.mayBeEmpty else { throw failure(of: plan) ?? nothing }
        let directory: FetchDirectory
        do throws(FetchError) {
            directory = try FetchDirectory(output)
        } catch {
            throw CommandFailure(error)
        }
        let run = FetchRun(plan.fetches, into: directory, over: connection, timeout: GlobalOptions.answerTimeout)
        try await finish(run, plan, directory, connection)
        let missing = run.missing
        if global.json { try write(plan, missing) }
        if !global.quiet {
            if !global.json { note(missing) }
            let progress = run.progress
            let files = "\(progress.files) file\(progress.files == 1 ? "" : "s")"
            Output.note("Fetched \(files), \(ByteSize.roughText(of: progress.bytes)), into \(output.printable).")
        }
        if !missing.isEmpty { throw incomplete(missing.count, of: plan.fetches.count) }
        if let failure = failure(of: plan) { throw failure }
    }

    /// Runs to the end or to a signal, after which no part of a file is left.
    private func finish(
        _ run: FetchRun,
        _ plan: FetchPlan,
        _ directory: FetchDirectory,
        _ connection: ClientConnection
    ) async throws {
        let interruption = Interruption()
        interruption.beforeLeaving { directory.removeRest() }
        let isWanted = !global.quiet && !global.json
        let display = FetchDisplay(bytes: plan.bytes, files: plan.fetches.count)
        let shown = Task { await display.show(run, isWanted: isWanted) }
        let isTold = !global.quiet
        let watched = Task { await FetchWatch(connection: connection).watch(run, isWanted: isTold) }
        let task = Task { try await run.run() }
        interruption.onFirst { task.cancel() }
        let result = await task.result
        watched.cancel()
        shown.cancel()
        await shown.value
        if let signal = interruption.signal { throw QuietExit(signal: signal) }
        do {
            try result.get()
        } catch let error as FetchError {
            throw CommandFailure(error)
        }
    }

    /// Tells why files are missing, of many only the first ones.
    private func note(_ missing: [Int: String]) {
        for (_, sentence) in missing.sorted(by: { $0.key < $1.key }).prefix(Self.notedFiles) { Output.note(sentence) }
        if missing.count > Self.notedFiles { Output.note("\(missing.count - Self.notedFiles) more files are missing.") }
    }

    /// Writes a document for each file.
    private func write(_ plan: FetchPlan, _ missing: [Int: String]) throws {
        for (place, fetch) in plan.fetches.enumerated() {
            try Output.document { writer in
                writer.member("operation", fetch.operation.description)
                writer.member("path", fetch.file.path)
                writer.member("size", fetch.file.size)
                writer.member("digest", fetch.file.digest.hexadecimal)
                writer.member("file", missing[place] == nil ? "\(output)/\(fetch.place)" : nil)
                writer.member("missing", missing[place])
            }
        }
    }

    /// The failure of a fetch after which everything that there is has come; nil if nothing was to come besides.
    private func failure(of plan: FetchPlan) -> CommandFailure? {
        if let first = plan.unsuccessful.first {
            let count = plan.unsuccessful.count
            let operations = count == 1 ? "\(first)" : "\(count) operations, such as \(first),"
            return CommandFailure(
                ExitStatus.notFound,
                code: "noFiles",
                "\(operations) left no files: \(count == 1 ? "it has" : "they have") not succeeded.",
                advice: "See \"baton show \(first.job)\"."
            )
        }
        guard let pattern = plan.unmatched.first else { return nil }
        return CommandFailure(
            ExitStatus.notFound,
            code: "noFiles",
            "No file of \(address.text.asShown) matches \"\(pattern.asShown)\".",
            advice: Advice.files(of: address.text.asShown)
        )
    }

    /// The failure of a fetch of operations without files.
    private var nothing: CommandFailure {
        CommandFailure(
            ExitStatus.notFound,
            code: "noFiles",
            "There are no files of \(address.text.asShown) to fetch.",
            advice: "The option --outputs of submit and run says which files an operation leaves."
        )
    }

    private func incomplete(_ count: Int, of all: Int) -> CommandFailure {
        CommandFailure(
            ExitStatus.incomplete,
            code: "incomplete",
            "\(count) of \(all) files \(count == 1 ? "is" : "are") missing.",
            advice: Advice.files(of: address.text.asShown)
        )
    }

    /// Reads a pattern.
    private static func pattern(_ text: String) throws -> OutputPattern {
        do throws(Refusal) {
            return try OutputPattern(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}

extension CommandFailure {
    /// Converts the reason why a file cannot be written.
    fileprivate init(_ error: FetchError) {
        switch error.code {
        case .notWritable:
            self.init(
                ExitStatus.ofUnwritable(error.systemCode),
                code: "output",
                error.message,
                advice: "Name another directory with --output."
            )
        default: self.init(ExitStatus.notAllowed, code: error.code.rawValue, error.message)
        }
    }
}
