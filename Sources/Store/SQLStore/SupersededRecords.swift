@_spi(Baton) import BatonOperations

/// The records of operations that a later record in the same transaction replaces, so that only the last one is written.
///
/// A record of several neighbours is always written: it may replace earlier records of one operation, and later ones may replace
/// a part of it.
struct SupersededRecords {
    /// Whether the record at each position is superseded; empty if none is.
    private var isSuperseded: [Bool] = []

    /// Finds the superseded records among the changes of a transaction.
    ///
    /// - Complexity: O(changes).
    init(_ changes: [RecordChange]) {
        guard changes.count > 1 else { return }
        var newest = NewestRecords(capacity: changes.count)
        for (position, change) in changes.enumerated() {
            guard case .operation(let record) = change, record.count == 1,
                let earlier = newest.replace(record.id, by: position)
            else { continue }
            if isSuperseded.isEmpty { isSuperseded = Array(repeating: false, count: changes.count) }
            isSuperseded[earlier] = true
        }
    }

    /// Whether the change at a position is a superseded record.
    func contains(_ position: Int) -> Bool { !isSuperseded.isEmpty && isSuperseded[position] }
}

/// The position of the newest record of each operation.
///
/// A table with open addressing: a dictionary would take several times as long, mostly for its hashes. Operations of one job have
/// neighbouring numbers, which a multiplication scatters well enough.
private struct NewestRecords {
    private var operations: [OperationID]
    /// The positions, -1 for a free place.
    private var positions: [Int32]
    private let mask: Int

    /// Makes a table that stays at most half full.
    init(capacity: Int) {
        var size = 16
        while size < 2 * capacity { size *= 2 }
        operations = Array(repeating: OperationID(job: JobNumber(0), index: 0), count: size)
        positions = Array(repeating: -1, count: size)
        mask = size - 1
    }

    /// Notes the newest position of an operation.
    ///
    /// - Returns: the position of the earlier record; nil if there is none.
    mutating func replace(_ operation: OperationID, by position: Int) -> Int? {
        let number = UInt64(operation.job.rawValue) << 32 | UInt64(operation.index)
        var place = Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while positions[place] >= 0, operations[place] != operation { place = (place + 1) & mask }
        let earlier = positions[place]
        operations[place] = operation
        positions[place] = Int32(clamping: position)
        return earlier >= 0 ? Int(earlier) : nil
    }
}
