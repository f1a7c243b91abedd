import BatonArguments
import BatonClient
import BatonDocuments
import Foundation
import BatonOperations

/// The command `baton retry`.
struct RetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Submits again what failed, with its dependents, as a new job for each job.",
        discussion: """
            Of a job that is what failed, what was skipped because of a failure, and everything that depends on these, since it \
            ran without their results. Of single operations it is these, with what they need and did not get. What was \
            cancelled, and what was skipped because of that, is left out unless --cancelled is given. It prints the number of \
            each new job; the old one stays as it is. A job that is not finished is refused, and so is one with nothing to \
            submit again, and one that depends on a job that was removed since.
            """,
        examples: [
            Example("baton retry 12"), Example("baton retry 13/8 13/9", "Two operations and what depends on them"),
            Example("baton retry 12 13 --cancelled", "Two jobs, with what was cancelled in them"),
            Example("baton wait $(baton retry 12)", "Try again, and wait for it"),
        ]
    )

    @Flag(help: "Submit again what was cancelled too, and what was skipped because of that.")
    var cancelled = false

    @Flag(help: "Leave out what depends on it and ran, or was not needed.")
    var noDependents = false

    @Argument(help: "Jobs (12) and operations (12/3 or 12/sepia).")
    var addresses: [Address]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        for (job, operations) in addressesByJob {
            // With a key, the connection can repeat the request without creating a second job.
            let new = try await connection.retry(
                job,
                operations: operations,
                cancelled: cancelled,
                dependents: !noDependents,
                key: "retry-\(UUID().uuidString)",
                timeout: GlobalOptions.answerTimeout
            )
            if global.json {
                try Output.document(SubmitDocument(job: new.number, operations: new.operations))
            } else {
                try Output.line(new.number.description)
            }
        }
    }

    /// The jobs in the order of first mention, with the operations of each; an empty list stands for the whole job.
    private var addressesByJob: [(job: JobNumber, operations: [Address])] {
        var jobs: [(job: JobNumber, operations: [Address])] = []
        let whole = Set(addresses.filter { $0 == .job($0.job) }.map(\.job))
        for address in addresses {
            let operations = whole.contains(address.job) ? [] : [address]
            if let place = jobs.firstIndex(where: { $0.job == address.job }) {
                jobs[place].operations += operations
            } else {
                jobs.append((address.job, operations))
            }
        }
        return jobs
    }
}
