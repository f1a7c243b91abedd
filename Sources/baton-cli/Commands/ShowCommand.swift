@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the details of a job, an array or an operation.",
        discussion: """
            Of an operation, show also lists the last 20 attempts that ended before the operation: those that failed before a \
            retry, and those that were lost with their worker. For an array, show prints the number of operations in each state and a line per operation; with --json, an object \
            with "array", "job", "name", "first" (the index of the first operation), "count", "operations", "state" and \
            "counts".
            """,
        examples: [
            Example("baton show 12", "A job and its operations"),
            Example("baton show 12/sepia", "One operation, or all of an array"),
            Example("baton show 12 --json", "The same as JSON"),
        ]
    )

    /// The maximum number of table rows on a terminal; more rows would not help a reader.
    private static let mostRowsOnTerminal = 200

    @Argument(help: "Job (12, last or nightly), or operation or array (12/3 or 12/sepia).")
    var address: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let address = try await AddressResolver(on: connection).address(of: address)
        if case .job(let job) = address {
            let pages = JobPages(of: job, on: connection)
            return try await global.json ? pages.print() : show(pages)
        }
        let bytes = try await connection.document(.operation(address), timeout: GlobalOptions.answerTimeout)
        if ArrayDocument.isDocument(bytes) {
            return try await show(DocumentReader.read(ArrayDocument.self, from: bytes), on: connection)
        }
        if global.json { return try Output.document(bytes) }
        try Output.line(OperationText.lines(of: DocumentReader.read(OperationDocument.self, from: bytes)))
    }

    private func show(_ array: ArrayDocument, on connection: ClientConnection) async throws {
        let most = Terminal.isStandardOutput ? Self.mostRowsOnTerminal : Int.max
        var counts = JobCounts()
        var shown: [OperationDocument] = []
        var writer = JSONWriter()
        writer.beginObject()
        array.writeMembers(to: &writer)
        writer.key("operations")
        writer.beginArray()
        try await JobPages(of: array.job, operations: array.operations, on: connection).read { page in
            for operation in page.operations {
                counts.count(operation)
                if global.json { operation.write(to: &writer) } else if shown.count < most { shown.append(operation) }
            }
            if global.json { try Output.write(writer.takeBytes(), to: STDOUT_FILENO) }
            return true
        }
        if global.json {
            writer.endArray()
            writer.member("state", description: counts.state)
            writer.member("counts", counts)
            writer.endObject()
            return try Output.document(writer.bytes)
        }
        var lines = KeyValueLines()
        lines.append("array", array.array)
        lines.append("job", array.job.description)
        lines.append("state", counts.state.description)
        lines.append("operations", "\(counts.total): \(counts.brief)")
        try Output.line(lines.text + "\n")
        try Output.table(OperationText.table(of: shown))
        if counts.total > shown.count, !global.quiet {
            Output.note("There are \(counts.total) operations; see all with \"baton show \(array.array) | less\".")
        }
    }

    /// When a job was submitted, and who submitted it if somebody is known.
    static func submission(of job: JobDocument) -> String {
        job.submittedAt.localText + (job.by.map { " by \($0)" } ?? "")
    }

    private func show(_ pages: JobPages) async throws {
        let most = Terminal.isStandardOutput ? Self.mostRowsOnTerminal : Int.max
        var head: JobDocument?
        var operations: [OperationDocument] = []
        try await pages.read { page in
            operations += page.operations
            if head == nil { head = page }
            return operations.count < most
        }
        guard let head else { return }
        var lines = KeyValueLines()
        lines.append("job", head.job.description)
        lines.append("name", head.name)
        lines.append("key", head.key)
        lines.append("state", head.outcome?.description ?? head.state.description)
        lines.append("retry of", head.retryOf.map { "\($0)" })
        lines.append(
            "retried as",
            head.retriedAs.isEmpty ? nil : head.retriedAs.map { "\($0)" }.joined(separator: ", ")
        )
        lines.append("submitted", Self.submission(of: head))
        lines.append("operations", "\(head.counts.total): \(head.counts.brief)")
        lines.append("progress", head.state == .finished ? nil : head.progress.percentage)
        try Output.line(lines.text + "\n")
        try Output.table(OperationText.table(of: operations.prefix(most)))
        if head.counts.total > min(most, operations.count), !global.quiet {
            Output.note("There are \(head.counts.total) operations; see all with \"baton show \(head.job) | less\".")
        }
    }
}
