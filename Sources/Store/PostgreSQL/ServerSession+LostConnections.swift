@_spi(Baton) import BatonThreads

/// What happens when the connection for changes is lost.
extension ServerSession {
    /// Makes a lost connection for changes again, and takes the lock again.
    func regainIfLost() throws(SQLError) {
        if let end { throw end }
        guard let term, writer.isLost || term.lockedGeneration != writer.generation else { return }
        // A proof whose answer is missing may have counted.
        let row = try regain(term)
        self.term?.commits = row.commits
    }

    /// Makes the connection for changes again, and takes the lock again, once.
    ///
    /// - Returns: the leader's row, which is still this leader's.
    private func regain(_ term: Term) throws(SQLError) -> LeaderRow {
        if writer.isLost { try writer.reconnect() }
        do throws(SQLError) {
            // The lock comes first: once it is free, the transaction of the lost session is over.
            let isLocked = try ServerLock.take(writer, schema: server.schema)
            guard let row = try LeaderRow(writer) else {
                throw SQLError(.wentBack, "the record has no leader any more: it is another one")
            }
            // The epoch of a leader that has not begun is another's.
            guard row.epoch == term.epoch else { throw SQLError(.deposed, Self.sentence(row)) }
            guard isLocked else {
                if let lease { try ServerLock.endStuckHolder(writer, schema: server.schema, lease: lease) }
                throw SQLError(.unreachable, "the lost session still has the lock of the record")
            }
            guard row.commits >= term.commits else {
                let count = term.commits - row.commits
                throw SQLError(
                    .wentBack,
                    "The record lost \(count) commits that were acknowledged: the database server that was promoted had not got them."
                )
            }
            self.term?.lockedGeneration = writer.generation
            return row
        } catch {
            // The lock goes with the connection.
            writer.close()
            throw note(error)
        }
    }

    private static func sentence(_ row: LeaderRow) -> String {
        guard let writer = row.writer else { return "another coordinator leads" }
        return row.isOfCopy ? "\(writer) had the record" : "\(writer) leads"
    }

    /// Finds out whether a commit without an answer took place.
    ///
    /// The commit counts only after a later transaction is acknowledged: a session that ends while it waits for a replica leaves a commit
    /// that other sessions see, and that the replica may lack.
    ///
    /// - Throws: `unreachable` without an end if somebody interrupts the wait; nothing more is written then.
    func settle(_ error: SQLError) throws(SQLError) -> Bool {
        guard let term, term.beginning == nil else {
            // A start fails, and the next one skips a number.
            end = SQLError(.unreachable, error.message)
            throw error
        }
        let lostAt = ContinuousClock.now
        var isCommitted = true
        var isTold = false
        var latest = error
        while true {
            do throws(SQLError) {
                let row = try regain(term)
                if row.commits == term.commits { isCommitted = false }
                try proveNow()
                return isCommitted
            } catch {
                if error.code == .deposed || error.code == .wentBack { throw error }
                latest = error
            }
            if interrupt.isSet {
                end = SQLError(.unreachable, "whether the last commit took place is not known: \(latest.message)")
                throw SQLError(.unreachable, latest.message)
            }
            if !isTold, ContinuousClock.now - lostAt >= Self.patienceOfSettling {
                isTold = true
                onTrouble?(SQLError(.unreachable, latest.message))
            }
            Self.wait()
        }
    }

    static func wait() { _ = ThreadSemaphore().wait(for: pause) }
}
