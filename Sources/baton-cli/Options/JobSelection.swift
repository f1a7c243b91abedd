@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The options of `failures` and `retry` that choose jobs in place of addresses.
struct JobSelection: ParsableArguments {
    private static let pageLength: UInt32 = 1000

    @Option(
        help: ArgumentHelp(
            "Take the jobs with this tag, key=value; can be given several times, for jobs with all of them.",
            valueName: "tag"
        ),
        transform: { (text: String) in try TagArgument.read(text) }
    )
    var tag: [JobTag] = []

    @Option(
        help: ArgumentHelp(
            """
            Take the jobs submitted or finished since a moment: a time ago such as 2h, or a local time such as \
            '2026-11-21 04:00'.
            """,
            valueName: "moment"
        ),
        transform: { (text: String) in try Moment(text) }
    )
    var since: Moment?

    func validate() throws { try TagArgument.check(tag) }

    /// Refuses a command line that chooses no jobs, or in two ways.
    ///
    /// - Parameter hasAddresses: whether addresses are given.
    func check(hasAddresses: Bool) throws(ValidationError) {
        if isEmpty, !hasAddresses {
            throw ValidationError("Give a job, such as 12 or last, or choose jobs by --tag or --since.")
        }
        if !isEmpty, hasAddresses {
            throw ValidationError("Give either addresses, or --tag and --since, which choose jobs in their place.")
        }
    }

    /// Whether no jobs are chosen by their properties.
    var isEmpty: Bool { tag.isEmpty && since == nil }

    /// The chosen jobs that meet a condition, oldest first.
    ///
    /// A retried job is left out: its retry has the same tags, and stands in its place.
    func jobs(
        on connection: ClientConnection,
        where isWanted: (JobListDocument.Job) -> Bool
    ) async throws -> [JobNumber] {
        var filter = ListFilter(tags: tag.values)
        filter.since = try await since?.time { try await connection.presentTime() }
        var found: [JobNumber] = []
        var before: JobNumber?
        repeat {
            let bytes = try await connection.document(
                .jobs(before: before, limit: Self.pageLength, filter: filter),
                timeout: GlobalOptions.answerTimeout
            )
            let page = try DocumentReader.exact(JobListDocument.self, from: bytes)
            found += page.jobs.filter { $0.retriedAs.isEmpty && isWanted($0) }.map(\.job)
            before = page.next
        } while before != nil
        return found.reversed()
    }
}
