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
            anything is retried of a job that has been retried already, retry asks on a terminal; elsewhere it needs --again. \
            retry looks at all jobs before it submits anything: if one of them is not finished, has nothing to retry, or is \
            not to be retried again, none is retried. Single operations are looked at when their job is retried. --tag and \
            --since choose all failed jobs, except those that were retried: their retries have the same tags.

            --memory and --timeout are for the operations that failed or were cancelled, and for the arrays of which an element did; what \
            is submitted again because of them keeps its own. --file names a graph with other commands, settings and queues for \
            the operations: they are found by their names, and those without a name if the graph has the same operations in the \
            same order. The holds, begins and delays of the file count too. The retry keeps the dependencies and the arrays of the \
            job, and takes nothing else of the file.
            """,
        examples: [
            Example("baton retry 12"), Example("baton retry 13/8 13/9", "Two operations and their dependents"),
            Example("baton retry 12 --group 2", "The operations of the second group of \"baton failures 12\""),
            Example("baton retry 12 13 --cancelled", "Two jobs, with their cancelled operations"),
            Example("baton retry 12 --memory 16G --timeout 2h", "What ran out of memory or time, with more of both"),
            Example("baton retry 12 --file graph.json", "With the commands and settings of a corrected graph"),
            Example("baton wait $(baton retry 12)", "Retry a job, and wait for the new job"),
            Example("baton retry --tag rule=count --since 1h", "The failed jobs of the last hour with a tag"),
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

    @Option(
        help: ArgumentHelp(
            "Memory of the operations that failed, such as 16G, or a range such as 4G..16G (default: as before).",
            valueName: "size"
        ),
        transform: { (text: String) in try RetryLimit("memory", text) }
    )
    var memory: RetryLimit?

    @Option(
        help: ArgumentHelp(
            "Timeout of the operations that failed, such as 2h, or a range such as 2h..8h (default: as before).",
            valueName: "duration"
        ),
        transform: { (text: String) in try RetryLimit("timeout", text) }
    )
    var timeout: RetryLimit?

    @Option(
        help: ArgumentHelp(
            "Graph file with other commands, settings and queues of the operations; - reads standard input.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json", "json5", "jsonl"])
    )
    var file: String?

    @OptionGroup var selection: JobSelection

    @Argument(help: "Jobs (12, last, nightly) and operations (12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var addresses: [AddressPattern] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        try selection.check(hasAddresses: !addresses.isEmpty)
        guard !group.isEmpty else { return }
        guard addresses.count == 1, addresses[0].part == .all else {
            throw ValidationError("With --group, give one job.")
        }
        guard !group.contains(0) else { throw ValidationError("Groups have numbers from 1.") }
    }

    func run() async throws {
        let connection = try global.connect()
        let changes = try changes()
        let targets = try await targets(on: connection)
        var parts = Self.parts(of: targets)
        if changes.graph != nil, parts.count > 1 {
            throw CommandFailure(
                ExitStatus.usage,
                code: "usage",
                "--file describes the operations of one job, and \(parts.count) jobs would be retried. Nothing was retried."
            )
        }
        if parts.count > 1 { try await look(at: &parts, on: connection) }
        for part in parts {
            let new: SubmittedJob
            do throws(ClientError) {
                new = try await retry(part, changes, again: again || part.isRetriedAgain, on: connection)
            } catch {
                guard let refusal = error.refusal, refusal.code == .retried else { throw error }
                try Self.askAgain([refusal.message], orElse: "Job \(part.job) was not retried again.")
                new = try await retry(part, changes, again: true, on: connection)
            }
            try Output.submitted(
                SubmitDocument(job: new.number, operations: new.operations),
                as: new.number.description,
                asJSON: global.json
            )
        }
    }

    /// What the command line names or chooses.
    private func targets(on connection: ClientConnection) async throws -> [Address] {
        guard !selection.isEmpty else { return try await AddressResolver(on: connection).addresses(of: addresses) }
        let jobs = try await selection.jobs(on: connection) { $0.outcome == .failed }
        guard !jobs.isEmpty else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "No job that meets the conditions has failed without a retry.",
                advice: "See \"baton list\", which takes the same conditions."
            )
        }
        return jobs.map { .job($0) }
    }

    /// What is retried of a job.
    private struct Part {
        let job: JobNumber
        /// The operations; an empty list stands for the whole job.
        var operations: [Address]
        /// Whether the user was told that the job has been retried already, and wants another retry.
        var isRetriedAgain = false
    }

    /// Looks at jobs before any of them is retried, so that all are retried or none; asks about those that were retried already.
    ///
    /// The coordinator still decides on each: somebody else may change or retry a job meanwhile. Jobs that the
    /// coordinator will refuse come first, so that the command fails before another job is retried.
    private func look(at parts: inout [Part], on connection: ClientConnection) async throws {
        var refused: [Part] = []
        var others: [Part] = []
        var sentences: [JobNumber: String] = [:]
        for part in parts {
            let head = try await connection.head(of: part.job)
            if !again { sentences[part.job] = head.sentenceAboutRetries }
            if isRefused(part, of: head) { refused.append(part) } else { others.append(part) }
        }
        parts = refused + others
        guard refused.isEmpty, !sentences.isEmpty else { return }
        let refusal = "Nothing was retried."
        try Self.askAgain(parts.compactMap { sentences[$0.job] }, effect: refusal + " ", orElse: refusal)
        for place in parts.indices { parts[place].isRetriedAgain = sentences[parts[place].job] != nil }
    }

    /// Whether the coordinator will refuse a retry: the job is not finished, or has nothing to retry.
    private func isRefused(_ part: Part, of head: JobDocument) -> Bool {
        switch head.outcome {
        case nil: true
        case .failed: false
        case .cancelled: part.operations.isEmpty && !cancelled
        case .succeeded, .skipped: part.operations.isEmpty
        }
    }

    /// Asks whether to retry jobs that were retried already.
    ///
    /// - Parameters:
    ///   - sentences: what has become of the last retry of each.
    ///   - effect: the sentence before these for a user without a terminal.
    ///   - refusal: what has happened after another answer than yes.
    private static func askAgain(_ sentences: [String], effect: String = "", orElse refusal: String) throws {
        let sentence = sentences.joined(separator: " ")
        try Confirmation(
            question: "\(sentence) Retry \(sentences.count == 1 ? "it" : "them") again?",
            effect: effect + sentence,
            refusal: refusal,
            option: "--again",
            status: ExitStatus.refusedInput
        ).ask()
    }

    /// What the options change of the operations.
    private func changes() throws -> RetryChanges {
        var graph = try file.map { try GraphInput.submission(in: $0) }
        graph?.takeMask(Surroundings.fileMask)
        return RetryChanges(
            memory: RetryLimit.bytes(memory?.first),
            memoryUpTo: RetryLimit.bytes(memory?.last),
            timeout: RetryLimit.duration(timeout?.first),
            timeoutUpTo: RetryLimit.duration(timeout?.last),
            graph: graph
        )
    }

    private func retry(
        _ part: Part,
        _ changes: RetryChanges,
        again: Bool,
        on connection: ClientConnection
    ) async throws(ClientError) -> SubmittedJob {
        try await ClientConnection.telling(!rejectUnplaceable && !global.quiet) { isRejected throws(ClientError) in
            // With a key, the connection can repeat the request without creating a second job.
            try await connection.retry(
                part.job,
                operations: part.operations,
                groups: group,
                cancelled: cancelled,
                dependents: !noDependents,
                again: again,
                rejectsUnplaceable: rejectUnplaceable || isRejected,
                key: "retry-\(UUID().uuidString)",
                changes: changes,
                timeout: GlobalOptions.answerTimeout
            )
        }
    }

    /// What is retried of each job, in the order of first mention.
    private static func parts(of addresses: [Address]) -> [Part] {
        var parts: [Part] = []
        let whole = Set(addresses.filter { $0 == .job($0.job) }.map(\.job))
        for address in addresses {
            let operations = whole.contains(address.job) ? [] : [address]
            if let place = parts.firstIndex(where: { $0.job == address.job }) {
                parts[place].operations += operations
            } else {
                parts.append(Part(job: address.job, operations: operations))
            }
        }
        return parts
    }
}
