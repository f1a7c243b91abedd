import Arguments
import Client
import Operations
import Wire

/// The command `baton log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Prints what an operation has printed on its standard output.",
        discussion: """
            The worker keeps the last --output-limit of each stream for a while, and the record the last 64 KiB for good; what \
            is missing is said on standard error.
            """,
        examples: [
            Example("baton log 12/sepia", "Print its output so far"),
            Example("baton log -f 12/3", "Go on printing until it is finished"),
            Example("baton log --stderr --attempt 1 12/3", "Print the errors of its first attempt"),
        ]
    )

    @Flag(name: [.customShort("f"), .customLong("follow")], help: "Go on until it is finished.")
    var follow = false

    @Flag(help: "Print standard error instead.")
    var stderr = false

    @Option(help: ArgumentHelp("An earlier attempt, from 1; the last one unless given.", valueName: "n"))
    var attempt: UInt32?

    @Argument(help: "The operation (12/3 or 12/sepia; 12 for the first one of a job).")
    var operation: Address

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if attempt == 0 { throw ValidationError("Attempts are counted from 1.") }
    }

    func run() async throws {
        let connection = try global.connect()
        let address = operation.operation
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
