@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Prints the output of an operation, an array or a job.",
        discussion: """
            The worker keeps the last --output-limit of each stream for a limited time, and the coordinator keeps the last 64 \
            KiB as long as the job. If bytes of the output that is asked for are missing, the exit status is 74: a note on \
            standard error gives their number, and with --json a document has their place. The same holds for an attempt whose \
            output was lost with its worker.

            For several operations, log prints everything that they have printed so far, all attempts included, in the order \
            of their indices and with the operation in front of each line; an attempt after the first begins with a line that \
            says so. With -f, lines are printed as they come, also those of operations that start later, until all operations \
            are finished; with --keep-order also, those of an operation come once all before it are finished. With --all, each \
            line has its stream, out or err; standard output comes before standard error, because the order between the streams \
            is not kept.
            """,
        examples: [
            Example("baton log 12/sepia", "Print the output so far, for an array that of all elements"),
            Example("baton log -f 12", "Follow the output of a whole job"),
            Example("baton log -f --keep-order 12", "The same, one operation after the other"),
            Example("baton log 12 --failed --all --tail 5", "The end of both streams of what failed"),
            Example("baton log --stderr --attempt 1 12/3", "Print the standard error of the first attempt"),
        ]
    )

    @Flag(
        name: [.customShort("f"), .customLong("follow")],
        help: "Follow the output until the operations are finished."
    )
    var follow = false

    @Flag(help: "Print standard error instead of standard output.")
    var stderr = false

    @Flag(help: "Print both streams, with the stream in front of each line.")
    var all = false

    @Flag(help: "Print only the output of operations that failed.")
    var failed = false

    @Option(
        help: ArgumentHelp(
            "Print only the last lines of each operation's last attempt with output.",
            valueName: "n"
        )
    )
    var tail: UInt32?

    @Flag(help: "Print the lines of several operations without the operation and the stream in front.")
    var noPrefix = false

    @Option(help: ArgumentHelp("Number of the attempt, from 1 (default: see above).", valueName: "n"))
    var attempt: UInt32?

    @Flag(
        help: """
            With --follow, print the operations in the order of their indices, each to its end before the next, as without \
            --follow.
            """
    )
    var keepOrder = false

    @Argument(help: "Job or operations (12, last, nightly, 12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var operation: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if attempt == 0 { throw ValidationError("Attempts are counted from 1.") }
        if all, stderr { throw ValidationError("--all prints both streams. Leave out --stderr.") }
        guard keepOrder else { return }
        if !follow {
            throw ValidationError("--keep-order is for --follow: without it, the order is that of the indices anyway.")
        }
        if failed || tail != nil || attempt != nil {
            throw ValidationError("--keep-order is for whole outputs. Leave out --failed, --tail and --attempt.")
        }
    }

    func run() async throws {
        let missing = MissingOutput(global, countsLosses: true)
        try await print(missing)
        try missing.end()
    }

    private func print(_ missing: MissingOutput) async throws {
        let connection = try global.connect()
        let target = try await OutputTarget(operation, on: connection)
        if !global.quiet, !global.json {
            let note = OutputFileNote(of: target, on: connection)
            try await note.write(standardOutput: all || !stderr, standardError: all || stderr)
        }
        if let single = target.single, !all, !failed, tail == nil {
            return try await print(single, missing, of: connection)
        }
        if follow, attempt != nil {
            throw CommandFailure(
                ExitStatus.usage,
                code: "usage",
                "--attempt with --follow takes one operation and one stream from the beginning.",
                advice: "Leave out --follow, --all, --failed and --tail, or name one operation."
            )
        }
        var selection = OutputSelection(job: target.job, operations: target.operations)
        selection.stream = all ? nil : stderr ? .standardError : .standardOutput
        selection.attempt = attempt
        selection.isLastOnly = tail != nil && attempt == nil
        selection.isFailedOnly = failed
        selection.lines = tail
        var printer = printer(of: target, missing, on: connection)
        guard follow else { return try await printer.printAll(selection) }
        if keepOrder {
            var follower = OrderedOutputFollower(
                of: target,
                selection: selection,
                printer: printer,
                missing: missing,
                by: global.waiter,
                on: connection
            )
            return try await follower.followToEnd()
        }
        selection.isFailedOnly = false
        var follower = JobOutputFollower(
            of: target,
            failed ? .failures(lastAttempt: false) : .lines,
            selection: selection,
            printer: printer,
            missing: missing,
            on: connection
        )
        try await follower.followToEnd(by: global.waiter)
    }

    private func printer(
        of target: OutputTarget,
        _ missing: MissingOutput,
        on connection: ClientConnection
    ) -> OutputPrinter {
        let isSingle = target.single != nil
        let marks = LineOutput.Marks(
            operation: !isSingle && !noPrefix,
            stream: all && !noPrefix,
            attempt: !noPrefix && attempt == nil && (!isSingle || all || Terminal.isStandardOutput)
        )
        let lines = LineOutput(
            marks: marks,
            isJSON: global.json,
            isVerbatim: isSingle && !all && !marks.attempt,
            names: OperationNames(on: connection)
        )
        return OutputPrinter(lines: lines, mostLines: tail, missing: missing, on: connection)
    }

    /// Prints the bytes of a stream of one operation.
    private func print(
        _ operation: OperationID,
        _ missing: MissingOutput,
        of connection: ClientConnection
    ) async throws {
        let stream = stderr ? OutputStream.standardError : .standardOutput
        let sink = OutputSink(
            operation: operation,
            form: global.json ? .documents : .bytes(standardErrorApart: false),
            missing: missing,
            marksAttempts: follow && attempt == nil && Terminal.isStandardOutput
        )
        if follow, attempt == nil {
            var follower = OutputFollower(of: operation, [stream], on: connection, into: sink, by: global.waiter)
            let end = try await follower.followToEnd()
            for number in end.lostOutputs ?? [] {
                try missing.noteLoss(of: OutputSource(operation: operation, attempt: number, stream: stream))
            }
            return
        }
        let bytes = try await connection.document(
            .operation(.operation(operation)),
            timeout: GlobalOptions.answerTimeout
        )
        let document = try DocumentReader.read(OperationDocument.self, from: bytes)
        let number = attempt ?? document.attempt
        // Nothing has begun.
        guard number > 0 else { return }
        if document.lostOutputs?.contains(number) == true {
            try missing.noteLoss(of: OutputSource(operation: operation, attempt: number, stream: stream))
        }
        var reader = OutputReader(of: operation, attempt: number, stream, on: connection, into: sink)
        var isOver = try await reader.readWhatIsThere()
        while follow, !isOver {
            _ = try await connection.progress(
                of: [.operation(operation)],
                by: global.waiter,
                atMost: OutputFollower.interval
            )
            isOver = try await reader.readWhatIsThere()
        }
    }
}
