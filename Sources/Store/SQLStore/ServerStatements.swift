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

    /// Every statement.
    var all: [Statement] { [factsOfFailures] }

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

    // MARK: Expressions of PostgreSQL

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
