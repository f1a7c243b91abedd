@_spi(Baton) package import BatonOperations

/// Failures, in groups.
extension InMemoryStore {
    /// Groups the failures of a job.
    package func failureGroups(of job: JobNumber) throws(StoreError) -> [FailureGroup] {
        try failures(of: job).map { kind, operations in
            FailureGroup(
                kind: kind,
                count: operations.count,
                first: Array(operations.prefix(FailureGroup.mostListed))
            )
        }.sorted(by: FailureGroup.isBefore)
    }

    /// Lists failed operations from an index on.
    package func failures(of job: JobNumber, from index: UInt32, limit: Int) throws(StoreError) -> [UInt32] {
        Array(try failures(of: job).values.flatMap { $0 }.sorted().drop { $0 < index }.prefix(max(0, limit)))
    }

    /// Lists the operations of a group of failures.
    package func failures(of job: JobNumber, inGroup number: Int) throws(StoreError) -> [Range<UInt32>]? {
        let groups = try failureGroups(of: job)
        guard groups.indices.contains(number - 1) else { return nil }
        return try failures(of: job)[groups[number - 1].kind]?.reduce(into: [Range<UInt32>]()) { ranges, index in
            if let last = ranges.last, last.upperBound == index {
                ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
            } else {
                ranges.append(index..<(index + 1))
            }
        }
    }

    /// Returns the failed operations of each kind, in order.
    private func failures(of job: JobNumber) throws(StoreError) -> [FailureKind: [UInt32]] {
        var failures: [FailureKind: [UInt32]] = [:]
        for record in jobs[job]?.records.records ?? [] where record.outcome == .failed {
            let output = try output(of: record.id, attempt: record.attempt)
            let kind = FailureKind(record, standardError: output?.standardError.bytes ?? [])
            failures[kind, default: []] += record.id.index...record.lastIndex
        }
        return failures.mapValues { $0.sorted() }
    }
}
