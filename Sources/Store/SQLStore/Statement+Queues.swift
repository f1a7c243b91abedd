@_spi(Baton) import BatonOperations

/// Queues in rows.
extension Statement {
    /// The settings in the current row.
    func queueRecord() throws(SQLError) -> QueueRecord {
        typealias Column = QueueColumn
        let limit: Int? = try optional(Column.maxConcurrent)
        guard limit.map({ (0...Int(Int32.max)).contains($0) }) ?? true else { throw damaged(Column.maxConcurrent) }
        let total: Int? = try optional(Column.total)
        guard total.map({ (0...Int(Int32.max)).contains($0) }) ?? true else { throw damaged(Column.total) }
        let rate = try optionalText(Column.rate)
        let startRate = rate.flatMap { StartRate($0) }
        guard rate == nil || startRate != nil else { throw damaged(Column.rate) }
        let settings = QueueSettings(
            maxConcurrent: limit,
            qualityOfService: try optionalWord(Column.qualityOfService),
            isSuspended: try flag(Column.isSuspended),
            total: total,
            startRate: startRate
        )
        return QueueRecord(settings: settings, completed: try number(Column.completed))
    }
}
