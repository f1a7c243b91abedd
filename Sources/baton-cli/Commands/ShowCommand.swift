import Arguments
import Client
import Documents
import Operations
import Wire

/// The command `baton show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows everything about a job or an operation.",
        examples: [
            Example("baton show 12", "A job and its operations"),
            Example("baton show 12/sepia", "One operation"),
            Example("baton show 12 --json", "The same as JSON"),
        ]
    )

    /// On a terminal more lines than this help nobody.
    private static let mostRowsOnTerminal = 200

    @Argument(help: "A job (12) or an operation (12/3 or 12/sepia).")
    var address: Address

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        if case .job(let job) = address {
            let pages = JobPages(of: job, on: connection)
            return try await global.json ? pages.print() : show(pages)
        }
        let bytes = try await connection.document(.operation(address), timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        try Output.line(OperationText.lines(of: DocumentReader.read(OperationDocument.self, from: bytes)))
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
        lines.append("state", head.outcome?.description ?? head.state.description)
        lines.append("retry of", head.retryOf.map { "\($0)" })
        lines.append(
            "retried as",
            head.retriedAs.isEmpty ? nil : head.retriedAs.map { "\($0)" }.joined(separator: ", ")
        )
        lines.append("submitted", head.submittedAt.localText)
        lines.append("operations", "\(head.counts.total): \(head.counts.brief)")
        lines.append("progress", head.state == .finished ? nil : head.progress.percentage)
        try Output.line(lines.text + "\n")
        try Output.table(OperationText.table(of: operations.prefix(most)))
        if head.counts.total > min(most, operations.count), !global.quiet {
            Output.note("There are \(head.counts.total) operations; see all with \"baton show \(head.job) | less\".")
        }
    }
}
