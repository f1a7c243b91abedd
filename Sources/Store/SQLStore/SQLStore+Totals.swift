@_spi(Baton) import BatonOperations

/// What has happened in the life of the record.
extension SQLStore {
    /// Writes the totals of the cluster, and of those queues whose totals are new; deletes those of the dropped queues.
    ///
    /// - Complexity: O(queues with new totals).
    static func write(_ totals: ClusterTotals, _ statements: Statements) throws(SQLError) {
        let statement = statements.cluster.writeTotals
        typealias Column = TotalColumn
        for (column, count) in [
            (Column.attemptsStarted, totals.attempts.started), (.attemptsSucceeded, totals.attempts.succeeded),
            (.attemptsFailed, totals.attempts.failed), (.attemptsCancelled, totals.attempts.cancelled),
            (.attemptsLost, totals.attempts.lost), (.attemptsGivenBack, totals.attempts.givenBack),
            (.attemptsStopped, totals.attempts.stopped),
        ] {
            statement.bind(column, Int64(clamping: count))
        }
        statement.bind(Column.jobsSucceeded, totals.jobs.succeeded)
        statement.bind(Column.jobsFailed, totals.jobs.failed)
        statement.bind(Column.jobsCancelled, totals.jobs.cancelled)
        statement.bind(Column.othersSucceeded, totals.others.succeeded)
        statement.bind(Column.othersFailed, totals.others.failed)
        statement.bind(Column.othersCancelled, totals.others.cancelled)
        statement.bind(Column.othersSkipped, totals.others.skipped)
        statement.bind(Column.id, 1)
        try statement.run()
        for spelling in totals.dropped.lazy.flatMap(Name.spellings) {
            statements.cluster.deleteQueueTotals.bind(.name, text: spelling)
            try statements.cluster.deleteQueueTotals.run()
        }
        for (name, ends) in totals.queues { try write(ends, ofQueue: name, statements) }
    }

    private static func write(
        _ ends: EndCounts,
        ofQueue name: String,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.cluster.writeQueueTotals
        typealias Column = QueueTotalColumn
        statement.bind(Column.name, text: name)
        statement.bind(Column.succeeded, ends.succeeded)
        statement.bind(Column.failed, ends.failed)
        statement.bind(Column.cancelled, ends.cancelled)
        statement.bind(Column.skipped, ends.skipped)
        try statement.run()
    }

    /// Reads the totals.
    ///
    /// - Complexity: O(queues).
    static func totals(_ statements: Statements) throws(SQLError) -> ClusterTotals {
        var totals =
            try statements.cluster.totals.first { row throws(SQLError) in
                typealias Column = TotalColumn
                var totals = ClusterTotals()
                totals.attempts.started = try row.total(Column.attemptsStarted)
                totals.attempts.succeeded = try row.total(Column.attemptsSucceeded)
                totals.attempts.failed = try row.total(Column.attemptsFailed)
                totals.attempts.cancelled = try row.total(Column.attemptsCancelled)
                totals.attempts.lost = try row.total(Column.attemptsLost)
                totals.attempts.givenBack = try row.total(Column.attemptsGivenBack)
                totals.attempts.stopped = try row.total(Column.attemptsStopped)
                totals.jobs.succeeded = try row.total(Column.jobsSucceeded)
                totals.jobs.failed = try row.total(Column.jobsFailed)
                totals.jobs.cancelled = try row.total(Column.jobsCancelled)
                totals.others.succeeded = try row.total(Column.othersSucceeded)
                totals.others.failed = try row.total(Column.othersFailed)
                totals.others.cancelled = try row.total(Column.othersCancelled)
                totals.others.skipped = try row.total(Column.othersSkipped)
                return totals
            } ?? ClusterTotals()
        try statements.cluster.queueTotals.forEach { row throws(SQLError) in
            typealias Column = QueueTotalColumn
            var ends = EndCounts()
            ends.succeeded = try row.total(Column.succeeded)
            ends.failed = try row.total(Column.failed)
            ends.cancelled = try row.total(Column.cancelled)
            ends.skipped = try row.total(Column.skipped)
            totals.queues[try row.text(Column.name)] = ends
            return true
        }
        return totals
    }
}

extension Statement {
    /// A column with a total, which leaves room for all that may still happen.
    fileprivate func total<Value: FixedWidthInteger>(_ column: some RowColumn) throws(SQLError) -> Value {
        let total: Value = try number(column)
        guard total >= 0, total < 1 << 62 else { throw damaged(column) }
        return total
    }
}
