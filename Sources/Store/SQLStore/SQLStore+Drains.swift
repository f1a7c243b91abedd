@_spi(Baton) import BatonOperations

/// The workers that are to get nothing new.
extension SQLStore {
    static func write(_ drain: DrainRecord?, of id: WorkerID, _ statements: Statements) throws(SQLError) {
        guard let drain else {
            statements.cluster.deleteDrain.bind(.id, Int64(bitPattern: id.rawValue))
            return try statements.cluster.deleteDrain.run()
        }
        let statement = statements.cluster.writeDrain
        typealias Column = DrainColumn
        statement.bind(Column.id, Int64(bitPattern: id.rawValue))
        statement.bind(Column.name, text: drain.name)
        statement.bind(Column.requestedBy, text: drain.by)
        statement.bind(Column.since, drain.since.inColumn)
        try statement.run()
    }

    static func drains(_ statements: Statements) throws(SQLError) -> [WorkerID: DrainRecord] {
        var drains: [WorkerID: DrainRecord] = [:]
        try statements.cluster.drains.forEach { row throws(SQLError) in
            let id = UInt64(bitPattern: try row.number(DrainColumn.id, as: Int64.self))
            drains[WorkerID(rawValue: id)] = DrainRecord(
                name: try row.text(DrainColumn.name),
                by: try row.optionalText(DrainColumn.requestedBy),
                since: try row.time(DrainColumn.since)
            )
            return true
        }
        return drains
    }
}
