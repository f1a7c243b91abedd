@_spi(Baton) import BatonOperations

/// The limits that several queues share.
extension SQLStore {
    static func write(_ change: LimitChange, _ statements: Statements) throws(SQLError) {
        guard let units = change.units else {
            statements.cluster.deleteSharedLimit.bind(.name, text: change.name)
            return try statements.cluster.deleteSharedLimit.run()
        }
        statements.cluster.writeSharedLimit.bind(SharedLimitColumn.name, text: change.name)
        statements.cluster.writeSharedLimit.bind(SharedLimitColumn.units, Int64(units))
        try statements.cluster.writeSharedLimit.run()
    }

    static func sharedLimits(_ statements: Statements) throws(SQLError) -> [String: Int] {
        var limits: [String: Int] = [:]
        try statements.cluster.sharedLimits.forEach { row throws(SQLError) in
            let name = try row.text(SharedLimitColumn.name)
            limits[name] = try row.number(SharedLimitColumn.units, as: Int.self)
            return true
        }
        return limits
    }
}
