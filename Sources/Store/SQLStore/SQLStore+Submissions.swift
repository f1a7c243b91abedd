@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// Submissions, as they are written.
extension SQLStore {
    /// Stores a new job; the rows of a large one may have come before.
    static func insert(
        _ job: JobRecord,
        clockOffset: Int64,
        _ statements: Statements
    ) throws(SQLError) {
        let submission = job.submission
        let number = job.number.rawValue
        let firstQueue = submission.entries.first.map(\.queue) ?? 0
        let statement = statements.jobs.insertJob
        typealias Column = NewJobColumn
        statement.bind(Column.job, number)
        statement.bind(Column.name, text: submission.name)
        statement.bind(Column.key, text: submission.key)
        statement.bind(
            Column.queue,
            text: submission.queueNames.indices.contains(firstQueue)
                ? submission.queueNames[firstQueue] : Submission.defaultQueue
        )
        statement.bind(Column.operations, submission.operationCount)
        statement.bind(Column.submittedAt, job.submittedAt.inColumn)
        statement.bind(Column.queueNames, text: JSONValue.strings(submission.queueNames).text)
        statement.bind(Column.queueChanges, text: JSONValue.array(submission.queueChanges.map(\.json)).text)
        statement.bind(Column.firstOrder, Int64(clamping: job.order))
        statement.bind(Column.retryOf, submission.retryOf.map { Int64($0.rawValue) })
        statement.bind(Column.keyDigest, submission.keyDigest.map { Int64(bitPattern: $0) })
        statement.bind(Column.submittedClock, job.submittedAt.inColumn(ofClockBehindBy: clockOffset))
        statement.bind(Column.submittedBy, text: job.submittedBy)
        statement.bind(Column.settings, text: submission.settings.recordText)
        statement.bind(Column.isOpen, submission.isOpen ? 1 : 0)
        try statement.run()
        try insertTags(of: job, statements)
        guard !job.areRowsStored else { return try endParts(of: job.number, statements) }
        try insert(submission.templates[...], of: job.number, from: 0, statements)
        try insert(submission.entries, of: job.number, EntryPlace(), statements)
    }
}
