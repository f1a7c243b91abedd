import Arguments
import Client
import Documents
import Foundation
import Operations

/// The command `baton retry`.
struct RetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Submits again what failed or was skipped in a job, as a new job.",
        discussion: """
            It prints the number of the new job; the old one stays as it is. What was cancelled is submitted again only where \
            something that was skipped needs it; what another job skipped or cancelled is not. A job in which nothing failed \
            or was skipped is refused, and so is one that depends on a job that was removed since.
            """,
        examples: [Example("baton retry 12"), Example("baton wait $(baton retry 12)", "Try again, and wait for it")]
    )

    @Argument(help: "The job (12).")
    var job: JobNumber

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        // The key is for the connection, which may have to ask twice.
        let key = "retry-\(UUID().uuidString)"
        let new = try await global.connect().retry(job, key: key, timeout: GlobalOptions.answerTimeout)
        if global.json {
            try Output.document(SubmitDocument(job: new.number, operations: new.operations))
        } else {
            try Output.line(new.number.description)
        }
    }
}
