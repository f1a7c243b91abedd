/// What the statements of the store need of their connections.
extension ServerSession {
    /// Notes that a statement has rows to send.
    func noteBatch(of statement: RemoteStatement) { batching.append(statement) }

    /// Sends the waiting rows of a table, or of all, without waiting for an answer.
    func sendBatches(of table: String? = nil) throws(SQLError) {
        guard !batching.isEmpty else { return }
        var others: [RemoteStatement] = []
        for statement in batching {
            if table == nil || statement.table == table {
                try statement.sendRows()
            } else {
                others.append(statement)
            }
        }
        batching = others
    }

    /// Waits for the answers to all that was sent over the present connection.
    ///
    /// - Returns: the rows that somebody wants.
    func synchronize() throws(SQLError) -> [ServerResult] {
        do throws(SQLError) {
            let results = try current.synchronize()
            try proveIfDue()
            return results
        } catch {
            if isInTransaction, failure == nil { failure = error }
            throw error
        }
    }

    /// Runs a question over the connection for questions, once more if the connection was lost.
    ///
    /// Inside of a transaction, of a moment or of an iteration nothing can be asked again: it would be about another moment.
    func asking<Value>(_ body: () throws(SQLError) -> Value) throws(SQLError) -> Value {
        guard !isInTransaction, !isAtOneMoment, openReadings == 0 else { return try body() }
        if reader.isLost { try reader.reconnect() }
        do throws(SQLError) {
            return try body()
        } catch {
            guard error.code == .unreachable, reader.isLost else {
                // The failure of a message leaves the others of its group without an answer.
                reader.rollBack()
                throw error
            }
            try reader.reconnect()
            return try body()
        }
    }

    /// Begins an iteration over rows, which outside of transactions needs one.
    func beginReading() throws(SQLError) {
        guard !isInTransaction else { return }
        if openReadings == 0, !isAtOneMoment { try reader.open().send("BEGIN READ ONLY") }
        openReadings += 1
    }

    /// Ends an iteration over rows.
    ///
    /// - Parameter hasFailed: whether answers are still to come, of which nobody knows what they are.
    func endReading(hasFailed: Bool = false) {
        guard !isInTransaction else { return }
        openReadings -= 1
        guard openReadings == 0, !isAtOneMoment else { return }
        if hasFailed { reader.rollBack() } else { reader.endReading() }
    }

    /// Runs a body whose questions all are about one moment.
    func atOneMoment(_ body: () -> Void) {
        guard !isInTransaction, !isAtOneMoment, openReadings == 0 else { return body() }
        do throws(SQLError) {
            if reader.isLost { try reader.reconnect() }
            try reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        } catch {
            // The questions of the body meet the same error, and report it.
            return body()
        }
        isAtOneMoment = true
        body()
        isAtOneMoment = false
        reader.endReading()
    }
}
