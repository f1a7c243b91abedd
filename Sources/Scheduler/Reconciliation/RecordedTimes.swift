@_spi(Baton) import BatonOperations

/// The times of operations in a record from which a scheduler is restored.
///
/// Nothing is gathered beforehand: only operations that wait for nothing at the restart ask.
struct RecordedTimes {
    /// The operations of the unfinished jobs with any history, by job and in the order of their indices.
    private var records: [JobNumber: [OperationRecord]] = [:]
    /// When what is not in memory has finished.
    private let endTimes: [Address: Timestamp]
    /// What ``lastEnd(in:of:)`` has found before.
    private var lastEnds: [JobNumber: [Range<UInt32>: Timestamp]] = [:]

    /// Describes a record.
    ///
    /// - Parameter endTimes: when operations, arrays and jobs finished that are not in memory.
    init(_ jobs: [RestoredJob], endTimes: [Address: Timestamp]) {
        for job in jobs where !job.records.isEmpty { records[job.job.number] = job.records }
        self.endTimes = endTimes
    }

    /// When an operation or job that is not in memory finished, or an array of such a job; nil if the record does not tell.
    func end(of address: Address) -> Timestamp? {
        if let time = endTimes[address] { return time }
        guard case .operation(let id) = address else { return nil }
        return record(of: id)?.finishedAt
    }

    /// When an operation last became ready according to its own record; nil if the record does not tell.
    func readiness(of id: OperationID) -> Timestamp? { record(of: id)?.readyAt }

    /// When the last of some operations of an unfinished job finished; nil if none has.
    ///
    /// - Complexity: O(the operations' records), for the same operations again O(1).
    mutating func lastEnd(in range: Range<UInt32>, of job: JobNumber) -> Timestamp? {
        if let known = lastEnds[job]?[range] { return known }
        guard let records = records[job] else { return nil }
        let first = Self.place(of: range.lowerBound, in: records)
        let members = records[first...].prefix { $0.id.index < range.upperBound }
        let last = members.lazy.compactMap(\.finishedAt).max()
        if let last { lastEnds[job, default: [:]][range] = last }
        return last
    }

    /// The record of an operation of an unfinished job, possibly together with its neighbours; nil for an operation without history.
    ///
    /// - Complexity: O(log records).
    private func record(of id: OperationID) -> OperationRecord? {
        guard let records = records[id.job] else { return nil }
        let place = Self.place(of: id.index, in: records)
        return place < records.count && records[place].id.index <= id.index ? records[place] : nil
    }

    /// The position of the first record with an operation at or behind an index.
    private static func place(of index: UInt32, in records: [OperationRecord]) -> Int {
        (0..<records.count).binarySearch { position in
            UInt64(records[position].id.index) + UInt64(records[position].count) > UInt64(index)
        }
    }
}
