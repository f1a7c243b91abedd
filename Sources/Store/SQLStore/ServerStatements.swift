@_spi(Baton) import BatonOperations

/// The statements that only a server gets: each asks at once what a file is asked step by step, for less than a round trip would take.
final class ServerStatements {
    /// What is known of some failed operations, which a JSON array describes.
    ///
    /// A row has the place of a record in the array, and an operation of it that is in a group already, or the end of the standard error
    /// of its attempt. OFFSET 0 has the server look up each record by the keys of the tables: it would else compare all with all.
    let factsOfFailures = Statement(
        form: .named,
        {
            """
            WITH failed AS (
                SELECT place, job, first, last, attempt FROM json_to_recordset(CAST(:value AS json))
                    AS f (place bigint, job bigint, first bigint, last bigint, attempt bigint)
            )
            SELECT failed.place, known.operation, CAST(NULL AS bytea)
            FROM failed CROSS JOIN LATERAL (
                SELECT operation FROM failures
                WHERE job = failed.job AND operation BETWEEN failed.first AND failed.last OFFSET 0
            ) AS known
            UNION ALL
            SELECT failed.place, CAST(NULL AS bigint), known.bytes
            FROM failed CROSS JOIN LATERAL (
                SELECT \(ServerStatements.endOfStandardError) AS bytes FROM outputs
                WHERE job = failed.job AND operation = failed.first AND attempt = failed.attempt OFFSET 0
            ) AS known
            """
        }
    )

    /// How many operations ended in each second since a moment, of the unfinished jobs, and of those that finished since another moment.
    let endsBySecond = Statement(
        form: .named,
        {
            """
            SELECT r.second, r.outcome, CAST(sum(r.operations) AS bigint) FROM \(ServerStatements.recentJobs) AS j
            CROSS JOIN LATERAL (
                SELECT finished_at / 1000000 AS second, outcome, last - first + 1 AS operations FROM operations
                WHERE job = j.job AND finished_at >= :since AND outcome IN ('succeeded', 'failed') OFFSET 0
            ) AS r GROUP BY r.second, r.outcome
            """
        }
    )
    /// How many attempts were started in each second since a moment, of the same jobs.
    let startsBySecond = Statement(
        form: .named,
        {
            """
            SELECT r.second, count(*) FROM \(ServerStatements.recentJobs) AS j
            CROSS JOIN LATERAL (
                SELECT started_at / 1000000 AS second FROM operations
                WHERE job = j.job AND started_at >= :since OFFSET 0
            ) AS r GROUP BY r.second
            """
        }
    )

    /// Deletes a bounded number of a job's rows in each table, and tells how many rows of all tables it were, and of the table with most.
    let deleteRows = Statement(
        form: .named,
        {
            let tables = Statements.Removal.tablesOfJobs.map(\.table)
            let deletions = tables.map { "\($0)_gone AS (\(ServerStatements.deletionOfRows(of: $0)) RETURNING 1)" }
            let counts = tables.map { "(SELECT count(*) FROM \($0)_gone)" }
            return """
                WITH \(deletions.joined(separator: ",\n"))
                SELECT \(counts.joined(separator: " + ")), greatest(\(counts.joined(separator: ", ")))
                """
        }
    )

    /// The unfinished jobs, and those that finished since a moment by the record's own clock.
    private static let recentJobs =
        "(SELECT job FROM jobs WHERE finished_at IS NULL UNION ALL SELECT job FROM jobs WHERE finished_clock >= :clock OFFSET 0)"

    /// Every statement.
    var all: [Statement] { [factsOfFailures, endsBySecond, startsBySecond, deleteRows] }

    /// Makes the statements for the connections of a store.
    init(_ session: ServerSession) throws(SQLError) {
        for statement in all { try statement.attach(to: session) }
    }

    /// Reads what is known of the failed operations of some records, in their order.
    func facts(of records: [OperationRecord]) throws(SQLError) -> [FailureFacts] {
        var text = "["
        for (place, record) in records.enumerated() {
            text += place == 0 ? "" : ","
            text += "{\"place\":\(place),\"job\":\(record.id.job.rawValue),\"first\":\(record.id.index),"
            text += "\"last\":\(record.lastIndex),\"attempt\":\(record.attempt)}"
        }
        var facts = [FailureFacts](repeating: FailureFacts(), count: records.count)
        factsOfFailures.bind(.value, text: text + "]")
        try factsOfFailures.forEach { row throws(SQLError) in
            let place: Int = try row.number(0)
            guard facts.indices.contains(place) else { throw row.damaged(0) }
            if let index = try row.optional(1, as: UInt32.self) {
                facts[place].known.insert(index)
            } else {
                facts[place].standardErrorEnd = row.optionalBytes(2)
            }
            return true
        }
        return facts
    }

    /// Reads what happened in the last hour, in the same way as a file is asked job by job.
    ///
    /// - Parameter clock: the moment by the record's own clock before which finished jobs do not count.
    func recentEnds(before now: Timestamp, ofJobsFinishedSince clock: Int64) throws(SQLError) -> RecentEnds {
        let since = (now + RecentEnds.back).rawValue
        let end = now.rawValue / 1_000_000
        var recent = RecentEnds()
        endsBySecond.bind((.clock, clock), (.since, since))
        try endsBySecond.forEach { row throws(SQLError) in
            try recent.countEnds(in: row, until: end)
            return true
        }
        startsBySecond.bind((.clock, clock), (.since, since))
        try startsBySecond.forEach { row throws(SQLError) in
            let second: Int64 = try row.number(0)
            let count: Int = try row.number(1)
            if second <= end { recent.seconds[second, default: .init()].started += count }
            return true
        }
        return recent
    }

    /// Deletes rows of a removed job.
    ///
    /// - Parameter limit: the most rows of each table.
    /// - Returns: how many rows were deleted, and whether none is left.
    func deleteRows(of job: JobNumber, atMost limit: Int) throws(SQLError) -> (count: Int, isAll: Bool) {
        deleteRows.bind((.job, Int64(job.rawValue)), (.limit, Int64(limit)))
        let found = try deleteRows.first { row throws(SQLError) in
            (count: try row.number(0, as: Int.self), most: try row.number(1, as: Int.self))
        }
        guard let found else { return (0, true) }
        return (found.count, found.most < limit)
    }

    // MARK: Expressions of PostgreSQL

    /// The statement that deletes a bounded number of a job's rows in a table.
    ///
    /// The order is that of the key, by which the server then finds the rows: it would else look for a few of many by reading all.
    static func deletionOfRows(of table: String) -> String {
        let key = Schema.shapes.first { $0.name == table }?.key.joined(separator: ", ") ?? "job"
        return """
            DELETE FROM \(table) WHERE ctid = ANY (ARRAY(SELECT ctid FROM \(table) WHERE job = :job ORDER BY \(key) LIMIT :limit))
            """
    }

    /// The last bytes of the column `stderr`, enough for the kind of a failure.
    static let endOfStandardError =
        "substring(stderr FROM greatest(octet_length(stderr) - \(FailureKind.mostBytes - 1), 1))"

    /// The sum of a column, 0 without rows, and never too large for a number.
    static func total(of column: String) -> String {
        "CAST(least(coalesce(sum(\(column)), 0), \(Int64.max)) AS bigint)"
    }
}

/// What is known of the failed operations of a record.
struct FailureFacts {
    /// The operations that are in a group already.
    var known: Set<UInt32> = []
    /// The end of the standard error of the attempt; nil without one.
    var standardErrorEnd: [UInt8]?
}
