extension Statements {
    /// Completion hooks.
    struct Hooks {
        let jobHasHooks = Statement("SELECT EXISTS (SELECT 1 FROM hooks WHERE job = :job)")
        /// SQLite numbers a new hook by itself, one above the highest number.
        let insertHook = Statement(
            writing: HookColumn.self,
            """
            INSERT INTO hooks (\(HookColumn.list)) VALUES (\(HookColumn.parameters))
            ON CONFLICT (job, operation) DO UPDATE SET is_cancelled = excluded.is_cancelled
            """,
            server: """
                INSERT INTO hooks (number, \(HookColumn.list))
                VALUES ((SELECT coalesce(max(number), 0) + 1 FROM hooks), \(HookColumn.parameters))
                ON CONFLICT (job, operation) DO UPDATE SET is_cancelled = excluded.is_cancelled
                """
        )
        let deleteHook = Statement("DELETE FROM hooks WHERE job = :job AND operation = :operation")
        let hooks = Statement(reading: HookColumn.self, "FROM hooks ORDER BY number")
        let isHookPending = Statement("SELECT 1 FROM hooks WHERE job = :job AND operation = :operation")
        let insertHookEnd = Statement(replacing: HookEndColumn.self, in: "hook_ends")
        let hookEnd = Statement(
            reading: HookEndColumn.self,
            "FROM hook_ends WHERE job = :job AND operation = :operation"
        )
    }
}
