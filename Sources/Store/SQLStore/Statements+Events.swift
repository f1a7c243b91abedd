extension Statements {
    /// Events and actions.
    struct Events {
        let insertEvents = makeInsertEvents()
        let deleteEvents = Statement("DELETE FROM events WHERE total <= (SELECT max(total) FROM events) - :limit")
        let eventsAfter = Statement("SELECT first, last, data FROM events WHERE last > :event ORDER BY last")
        let newestEvent = Statement("SELECT max(last) FROM events")
        let insertAction = Statement(inserting: ActionColumn.self, into: "actions")
        /// Delete the actions that are older than all events.
        let deleteActions = Statement(
            "DELETE FROM actions WHERE event < (SELECT first FROM events WHERE last = (SELECT min(last) FROM events))"
        )

        /// Inserts a row of events behind all others.
        ///
        /// A row that does not come behind them is not inserted into a file, and violates a constraint of a server, which then need not
        /// be asked whether there is a new row.
        static func makeInsertEvents() -> Statement {
            Statement(
                """
                INSERT INTO events SELECT :last, :first, :count + coalesce((SELECT max(total) FROM events), 0), :data
                WHERE :first > coalesce((SELECT max(last) FROM events), 0)
                """,
                server: """
                    INSERT INTO events (last, first, total, data)
                    SELECT CASE WHEN :first > coalesce((SELECT max(last) FROM events), 0) THEN :last END, :first,
                        :count + coalesce((SELECT max(total) FROM events), 0), :data
                    """
            )
        }
    }
}
