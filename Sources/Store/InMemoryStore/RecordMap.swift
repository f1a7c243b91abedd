@_spi(Baton) import BatonOperations

/// The records of a job's operations, ordered by index, never overlapping.
struct RecordMap {
    /// All records, in the order of their indices.
    private(set) var records: [OperationRecord] = []

    /// Returns the record of an operation; nil for an operation without any history.
    func record(at index: UInt32) -> OperationRecord? {
        guard let position = position(reaching: index), records[position].id.index <= index else { return nil }
        return records[position].single(at: index)
    }

    /// Replaces the records of the same operations by a new record.
    mutating func set(_ record: OperationRecord) {
        let first = record.id.index
        let last = record.lastIndex
        let start = position(reaching: first) ?? records.count
        var end = start
        var replacement: [OperationRecord] = []
        var after: OperationRecord?
        while end < records.count, records[end].id.index <= last {
            if records[end].id.index < first { replacement.append(records[end].part(records[end].id.index, first - 1)) }
            if records[end].lastIndex > last { after = records[end].part(last + 1, records[end].lastIndex) }
            end += 1
        }
        replacement.append(record)
        if let after { replacement.append(after) }
        records.replaceSubrange(start..<end, with: replacement)
    }

    /// Returns the position of the first record that ends at an index or behind it.
    private func position(reaching index: UInt32) -> Int? {
        var low = 0
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].lastIndex < index { low = middle + 1 } else { high = middle }
        }
        return low < records.count ? low : nil
    }
}

extension OperationRecord {
    fileprivate func part(_ first: UInt32, _ last: UInt32) -> OperationRecord {
        var part = single(at: first)
        part.count = last - first + 1
        return part
    }
}
