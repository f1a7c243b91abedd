@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

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
        let reasons = Self.lines(of: document.waitsFor, waiter: document.operation.description)
        try Output.line(([document.message] + reasons).joined(separator: "\n"))
    }

    /// A line for each reason, with the advice; the reasons of a dependency follow below with more indentation.
    static func lines(of reasons: [WaitReason], waiter: String, indentation: String = "") -> [String] {
        reasons.flatMap { reason in
            let advice = Advice.about(reason, of: waiter).map { " " + $0 } ?? ""
            return ["\(indentation)- \(reason.message)\(advice)"]
                + lines(of: reason.waitsFor ?? [], waiter: reason.operation ?? waiter, indentation: indentation + "  ")
        }
    }
}
