extension Statements {
    /// When operations ended and started, for figures.
    struct Times {
        let endsBySecond = Statement(
            """
            SELECT finished_at / 1000000, outcome, last - first + 1 FROM operations
            WHERE job = :job AND finished_at >= :since AND outcome IN ('succeeded', 'failed')
            """
        )
        let startsBySecond = Statement(
            "SELECT started_at / 1000000 FROM operations WHERE job = :job AND started_at >= :since"
        )
        let endsInQueue = Statement(
            """
            SELECT o.outcome, o.last - o.first + 1, o.reason, o.root FROM operations o
            JOIN entries e ON e.job = o.job
                AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
            JOIN jobs j ON j.job = o.job
            WHERE o.job = :job AND o.finished_at >= :since AND json_extract(j.queue_names, '$[' || e.queue || ']') = :name
            """,
            server: """
                SELECT o.outcome, o.last - o.first + 1, o.reason, o.root FROM operations o
                JOIN entries e ON e.job = o.job
                    AND e.first = (SELECT max(first) FROM entries WHERE job = o.job AND first <= o.first)
                JOIN jobs j ON j.job = o.job
                WHERE o.job = :job AND o.finished_at >= :since
                    AND CAST(j.queue_names AS json) ->> CAST(e.queue AS integer) = :name
                """
        )
        let runTimes = Statement(
            """
            SELECT first, worker, ready_at, started_at, finished_at FROM operations
            WHERE job = :job AND started_at IS NOT NULL AND finished_at IS NOT NULL
            """
        )
        let earlierRunTimes = Statement("SELECT worker, started_at, ended_at FROM attempts WHERE job = :job")
        let lastFinished = Statement(
            """
            SELECT first, started_at, max(finished_at) FROM operations
            WHERE job = :job AND first BETWEEN :from AND :last AND last >= :first AND finished_at <= :until
                AND (:has_run = 0 OR started_at IS NOT NULL)
            """,
            server: """
                SELECT first, started_at, finished_at FROM operations
                WHERE job = :job AND first BETWEEN :from AND :last AND last >= :first AND finished_at <= :until
                    AND (:has_run = 0 OR started_at IS NOT NULL)
                ORDER BY finished_at DESC, first LIMIT 1
                """
        )
    }
}
