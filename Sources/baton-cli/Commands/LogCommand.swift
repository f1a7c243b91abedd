@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Prints the standard output or standard error of an operation.",
        discussion: """
            The worker keeps the last --output-limit of each stream for a limited time, and the coordinator keeps the last 64 \
            KiB as long as the job. A note on standard error gives the number of missing bytes. For an array, log prints the \
            outputs of the elements in the order of their indices, with a note on standard error; with -f it follows each \
            element to its end.
            """,
        examples: [
            Example("baton log 12/sepia", "Print the output so far, for an array that of all elements"),
            Example("baton log -f 12/3", "Follow the output until the operation is finished"),
            Example("baton log --stderr --attempt 1 12/3", "Print the standard error of the first attempt"),
        ]
    )

    @Flag(name: [.customShort("f"), .customLong("follow")], help: "Follow the output until the operation is finished.")
    var follow = false

    @Flag(help: "Print standard error instead of standard output.")
    var stderr = false

    @Option(help: ArgumentHelp("Number of the attempt, from 1 (default: the last attempt).", valueName: "n"))
    var attempt: UInt32?

    @Argument(help: "Operation or array (12/3 or 12/sepia; 12, last or nightly for the first operation of a job).")
    var operation: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if attempt == 0 { throw ValidationError("Attempts are counted from 1.") }
    }

    func run() async throws {
        let connection = try global.connect()
        let address = try await AddressResolver(on: connection).address(of: operation).operation
        guard let array = try await array(at: address, on: connection) else {
            return try await print(address, of: connection)
        }
        if !global.quiet, !global.json {
            Output.note(
                "\(address.asShown) is an array of \(array.count) operations. "
                    + "This is what each of them has printed, in the order of their indices."
            )
        }
        for index in array.operations {
            do {
                try await print(.operation(OperationID(job: array.job, index: index)), of: connection)
            } catch let error as ClientError where attempt != nil && error.refusal?.code == .notFound {
                // This operation had fewer attempts.
            }
        }
    }

    /// The array at the address; nil for an operation.
    private func array(at address: Address, on connection: ClientConnection) async throws -> ArrayDocument? {
        guard case .named = address else { return nil }
        let bytes = try await connection.document(.operation(address), timeout: GlobalOptions.answerTimeout)
        return ArrayDocument.isDocument(bytes) ? try DocumentReader.read(ArrayDocument.self, from: bytes) : nil
    }

    private func print(_ address: Address, of connection: ClientConnection) async throws {
        let stream = stderr ? OutputStream.standardError : .standardOutput
        let sink = OutputSink(
            operation: address,
            form: global.json ? .documents : .bytes(standardErrorApart: false),
            notesGaps: !global.quiet
        )
        if follow, attempt == nil {
            var follower = OutputFollower(of: address, [stream], on: connection, into: sink, by: global.waiter)
            try await follower.followToEnd()
            return
        }
        var reader = OutputReader(of: address, attempt: attempt, stream, on: connection, into: sink)
        var isOver = try await reader.readWhatIsThere()
        while follow, !isOver {
            _ = try await connection.progress(
                of: [address],
                by: global.waiter,
                atMost: OutputFollower.interval
            )
            isOver = try await reader.readWhatIsThere()
        }
    }
}
