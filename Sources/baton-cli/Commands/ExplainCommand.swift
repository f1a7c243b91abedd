import BatonArguments
import BatonClient
import BatonDocuments
import BatonOperations
import BatonWire

/// The command `baton explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains why an operation is not running.",
        discussion: """
            Each line is one reason, with the change that would resolve it; below a dependency are its own reasons, indented.
            """,
        examples: [Example("baton explain 12/sepia"), Example("baton explain 12", "The first operation of a job")]
    )

    @Argument(help: "Operation (12/3 or 12/sepia; 12 for the first operation of a job).")
    var operation: Address

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(
            .explain(operation.operation),
            timeout: GlobalOptions.answerTimeout
        )
        if global.json { return try Output.document(bytes) }
        let document = try DocumentReader.read(ExplainDocument.self, from: bytes)
        try Output.line(([document.message] + Self.lines(of: document.waitsFor)).joined(separator: "\n"))
    }

    /// A line for each reason; the reasons of a dependency follow below with more indentation.
    static func lines(of reasons: [WaitReason], indentation: String = "") -> [String] {
        reasons.flatMap { reason in
            ["\(indentation)- \(reason.message)"]
                + lines(of: reason.waitsFor ?? [], indentation: indentation + "  ")
        }
    }
}
