@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `baton retry`.
struct RetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Submits failed operations and their dependents again, as one new job per job.",
        discussion: """
            For a job, retry submits the failed operations, the operations skipped because of a failure, and all their \
            dependents, which ran without their results. For single operations, it submits these with their unsuccessful \
            prerequisites. Cancelled operations, and operations skipped because of a cancellation, are left out unless \
            --cancelled is given. With --group, it submits the operations of groups of failures, as "baton failures" numbers \
            them. retry prints the number of each new job; the old job does not change. \
            The new operations have the options of the old ones, except --delay and --hold. A job is refused if it \
            is not finished, if it has no operations to retry, or if it depends on a job that has been removed. Before \
            anything is retried of a job that has been retried already, retry asks on a terminal; elsewhere it needs --again.
            """,
        examples: [
            Example("baton retry 12"), Example("baton retry 13/8 13/9", "Two operations and their dependents"),
            Example("baton retry 12 --group 2", "The operations of the second group of \"baton failures 12\""),
            Example("baton retry 12 13 --cancelled", "Two jobs, with their cancelled operations"),
            Example("baton wait $(baton retry 12)", "Retry a job, and wait for the new job"),
        ]
    )

    @Flag(help: "Also retry cancelled operations, and operations skipped because of a cancellation.")
    var cancelled = false

    @Flag(help: "Leave out dependents that ran or were not needed.")
    var noDependents = false

    @Flag(help: "Retry a job that has been retried already, without a question.")
    var again = false

    @Flag(help: "Refuse the retry if no worker that is connected can ever take one of its operations.")
    var rejectUnplaceable = false

    @Option(
        help: ArgumentHelp(
            "Retry the operations of this group of failures of a job, instead of all; can be given several times.",
            valueName: "number"
        )
    )
    var group: [UInt32] = []

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern]

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        guard !group.isEmpty else { return }
        guard addresses.count == 1, addresses[0].part == .all else {
            throw ValidationError("With --group, give one job.")
        }
        guard !group.contains(0) else { throw ValidationError("Groups have numbers from 1.") }
    }

    func run() async throws {
        let connection = try global.connect()
        let targets = try await AddressResolver(on: connection).addresses(of: addresses)
        let jobs = Self.byJob(targets)
        for (job, operations) in jobs {
            let new: SubmittedJob
            do throws(ClientError) {
                new = try await retry(job, operations, again: again, on: connection)
            } catch {
                guard let refusal = error.refusal, refusal.code == .retried else { throw error }
                try Confirmation(
                    question: "\(refusal.message) Retry it again?",
                    effect: refusal.message,
                    refusal: "Job \(job) was not retried again.",
                    option: "--again",
                    status: ExitStatus.refusedInput
                ).ask()
                new = try await retry(job, operations, again: true, on: connection)
            }
            try Output.submitted(
                SubmitDocument(job: new.number, operations: new.operations),
                as: new.number.description,
                asJSON: global.json
            )
        }
    }

    private func retry(
        _ job: JobNumber,
        _ operations: [Address],
        again: Bool,
        on connection: ClientConnection
    ) async throws(ClientError) -> SubmittedJob {
        try await ClientConnection.telling(!rejectUnplaceable && !global.quiet) { isRejected throws(ClientError) in
            // With a key, the connection can repeat the request without creating a second job.
            try await connection.retry(
                job,
                operations: operations,
                groups: group,
                cancelled: cancelled,
                dependents: !noDependents,
                again: again,
                rejectsUnplaceable: rejectUnplaceable || isRejected,
                key: "retry-\(UUID().uuidString)",
                timeout: GlobalOptions.answerTimeout
            )
        }
    }

    /// The jobs in the order of first mention, with the operations of each; an empty list stands for the whole job.
    private static func byJob(_ addresses: [Address]) -> [(job: JobNumber, operations: [Address])] {
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
