@_spi(Baton) public import BatonOperations

/// Arrays on whose elements other arrays depend one by one.
@_spi(Baton) extension SQLStore {
    /// Reads how the finished elements of an array have ended.
    ///
    /// - Complexity: O(rows of the elements), one for each that was executed.
    public func elements(of address: Address) throws(StoreError) -> StoredElements? {
        try with { statements throws(SQLError) in
            statements.jobs.job.bind(.job, address.job.rawValue)
            let summary = try statements.jobs.job.first { row throws(SQLError) in try row.jobSummary() }
            guard let summary else { return nil }
            let range: Range<UInt32>?
            switch address {
            case .job(let job):
                let whole = try Self.array(at: 0, of: job, statements)
                range = whole?.count == summary.operations ? whole : nil
            case .named(let job, let name):
                guard let named = try Self.operations(named: name, in: job, statements) else { return nil }
                range = try Self.array(at: named.lowerBound, of: job, statements)
            case .operations(_, let operations):
                guard operations.upperBound <= summary.operations else { return nil }
                range = operations
            case .operation: range = nil
            }
            guard let range else { return StoredElements(range: nil) }
            return StoredElements(range: range, ends: try Self.elementEnds(of: address.job, in: range, statements).ends)
        }
    }

    /// Returns the operations of the entry that begins with an index; nil unless it is an array.
    private static func array(
        at first: UInt32,
        of job: JobNumber,
        _ statements: Statements
    ) throws(SQLError) -> Range<UInt32>? {
        guard let entry = try entries(of: job, from: first, limit: 1, statements).first, entry.first == first else {
            return nil
        }
        if case .none = entry.elements { return nil }
        return first..<first + entry.count
    }

    /// Returns how the finished ones of some operations have ended, and when the last of them did; nil for none.
    static func elementEnds(
        of job: JobNumber,
        in range: Range<UInt32>,
        _ statements: Statements
    ) throws(SQLError) -> (ends: ElementEnds, last: Timestamp?) {
        var ends = ElementEnds()
        var last: Timestamp?
        let covering = try record(of: OperationID(job: job, index: range.lowerBound), statements)
        statements.operations.operationsFrom.bind((.job, job.rawValue), (.from, covering?.id.index ?? range.lowerBound))
        try statements.operations.operationsFrom.forEach { row throws(SQLError) in
            let record = try row.operationRecord(of: job)
            guard record.id.index < range.upperBound else { return false }
            ends.insert(record, in: range)
            if record.outcome != nil, let time = record.finishedAt { last = max(last ?? time, time) }
            return true
        }
        return (ends, last)
    }
}
