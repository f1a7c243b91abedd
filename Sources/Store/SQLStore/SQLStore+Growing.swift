@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// What was added to jobs after their submission.
@_spi(Baton) extension SQLStore {
    /// Looks an addition up by its key.
    ///
    /// - Complexity: O(log additions).
    public func addition(to job: JobNumber, withKey key: String) throws(StoreError) -> AddedPart? {
        try with { statements throws(SQLError) in
            guard try Self.exists(job, statements) else { return nil }
            for spelling in Name.spellings(of: key) {
                statements.jobs.additionWithKey.bind(.job, job.rawValue)
                statements.jobs.additionWithKey.bind(.key, text: spelling)
                let part = try statements.jobs.additionWithKey.first { row throws(SQLError) in try row.addedPart() }
                if let part { return part }
            }
            return nil
        }
    }

    /// Looks up the job of an addition by the addition's key.
    ///
    /// - Complexity: O(log additions).
    public func jobOfAddition(withKey key: String) throws(StoreError) -> JobNumber? {
        try with { statements throws(SQLError) in
            for spelling in Name.spellings(of: key) {
                statements.jobs.jobOfAddition.bind(.key, text: spelling)
                let job = try statements.jobs.jobOfAddition.first { row throws(SQLError) in
                    JobNumber(try row.number(0))
                }
                if let job { return job }
            }
            return nil
        }
    }

    /// Stores an addition: the operations go behind those of the job.
    ///
    /// - Complexity: O(the addition · log entries), plus O(queues of the job).
    static func insert(
        _ addition: JobAddition,
        clockOffset: Int64,
        _ statements: Statements
    ) throws(SQLError) {
        let (job, submission) = (addition.job, addition.submission)
        statements.jobs.jobShape.bind(.job, job.rawValue)
        let shape = try statements.jobs.jobShape.first { row throws(SQLError) in
            (
                operations: try row.number(0, as: UInt32.self), queues: try row.strings(1),
                templates: try row.number(2, as: Int.self)
            )
        }
        guard let shape, shape.operations == addition.first else {
            throw SQLError(
                .constraint,
                "operations from \(addition.first) on are added to job \(job), which has \(shape?.operations ?? 0)"
            )
        }
        var queues = shape.queues
        let positions = submission.queueNames.map { name in
            if let known = queues.firstIndex(of: name) { return known }
            queues.append(name)
            return queues.count - 1
        }
        statements.jobs.extendJob.bind((.job, job.rawValue), (.count, submission.operationCount))
        statements.jobs.extendJob.bind(.queues, text: JSONValue.strings(queues).text)
        try statements.jobs.extendJob.run()
        if shape.operations == 0, let first = submission.entries.first {
            statements.jobs.setJobQueue.bind(.job, job.rawValue)
            statements.jobs.setJobQueue.bind(.name, text: submission.queueNames[first.queue])
            try statements.jobs.setJobQueue.run()
        }
        let statement = statements.jobs.insertAddition
        typealias Column = AdditionColumn
        statement.bind(Column.job, job.rawValue)
        statement.bind(Column.first, addition.first)
        statement.bind(Column.operations, submission.operationCount)
        statement.bind(Column.firstOrder, Int64(clamping: addition.order))
        statement.bind(Column.key, text: submission.key)
        statement.bind(Column.keyDigest, submission.keyDigest.map { Int64(bitPattern: $0) })
        statement.bind(Column.addedAt, addition.addedAt.inColumn)
        statement.bind(Column.addedClock, addition.addedAt.inColumn(ofClockBehindBy: clockOffset))
        statement.bind(Column.addedBy, text: addition.addedBy)
        try statement.run()
        try insert(submission.templates[...], of: job, from: shape.templates, statements)
        let place = EntryPlace(
            first: addition.first,
            template: shape.templates,
            queues: positions,
            earlier: addition.earlier
        )
        try insert(submission.entries, of: job, place, statements)
    }

    /// Returns the additions of a job, in the order of the indices.
    ///
    /// - Parameter acceptedAt: receives when they were made, by the clock that users see.
    static func additions(
        of job: JobNumber,
        _ acceptedAt: inout [Timestamp],
        _ statements: Statements
    ) throws(SQLError) -> [AddedPart] {
        var parts: [AddedPart] = []
        statements.jobs.additionsFrom.bind((.job, job.rawValue), (.from, 0))
        try statements.jobs.additionsFrom.forEach { row throws(SQLError) in
            let part = try row.addedPart()
            if let last = parts.last, UInt64(part.first) < UInt64(last.first) + UInt64(last.operations) {
                throw row.damaged(AdditionColumn.first)
            }
            parts.append(part)
            acceptedAt.append(try row.time(AdditionColumn.addedAt))
            return true
        }
        return parts
    }

    /// Returns when an operation was added to its job; nil if the job was submitted with it.
    static func additionTime(of operation: OperationID, _ statements: Statements) throws(SQLError) -> Timestamp? {
        statements.jobs.additionTime.bind(operation)
        return try statements.jobs.additionTime.first { row throws(SQLError) in try row.time(0) }
    }
}

extension Statement {
    /// Reads a row of additions, with the time by the record's own clock.
    fileprivate func addedPart() throws(SQLError) -> AddedPart {
        typealias Column = AdditionColumn
        let order: UInt64 = try number(Column.firstOrder)
        guard order < UInt64(1) << 56 else { throw damaged(Column.firstOrder) }
        return AddedPart(
            first: try number(Column.first),
            operations: try number(Column.operations),
            addedAt: try time(Column.addedClock),
            order: order,
            key: try optionalText(Column.key),
            keyDigest: try optional(Column.keyDigest, as: Int64.self).map { UInt64(bitPattern: $0) }
        )
    }
}
