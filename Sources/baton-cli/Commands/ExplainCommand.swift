import Arguments
import Client
import Documents
import Operations
import Wire

/// The command `baton explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why an operation is not running.",
        examples: [Example("baton explain 12/sepia"), Example("baton explain 12", "The first operation of a job")]
    )

    @Argument(help: "The operation (12/3 or 12/sepia; 12 for the first one of a job).")
    var operation: Address

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(
            .explain(operation.operation),
            timeout: GlobalOptions.answerTimeout
        )
        if global.json { return try Output.document(bytes) }
        let document = try DocumentReader.read(ExplainDocument.self, from: bytes)
        try Output.line(([document.message] + document.waitsFor.map { "- \($0.message)" }).joined(separator: "\n"))
    }
}
