@_spi(Baton) import BatonOperations

/// The settings and counts of queues.
extension SQLStore {
    /// Stores a queue in place of its earlier settings and counts.
    static func write(
        _ queue: QueueRecord,
        named name: String,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.cluster.writeQueue
        typealias Column = QueueColumn
        statement.bind(Column.name, text: name)
        statement.bind(Column.maxConcurrent, queue.settings.maxConcurrent.map(Int64.init))
        statement.bind(Column.qualityOfService, text: queue.settings.qualityOfService?.description)
        statement.bind(Column.isSuspended, queue.settings.isSuspended ? 1 : 0)
        statement.bind(Column.total, queue.settings.total.map(Int64.init))
        statement.bind(Column.completed, Int64(clamping: queue.completed))
        statement.bind(Column.rate, text: queue.settings.startRate?.description)
        try statement.run()
    }
}
