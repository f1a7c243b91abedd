extension Statements {
    /// What was submitted: templates, entries and the items of arrays.
    struct Entries {
        let insertTemplate = Statement(inserting: TemplateColumn.self, into: "templates")
        let templates = Statement(reading: TemplateColumn.self, "FROM templates WHERE job = :job ORDER BY template")
        let templateType = Statement("SELECT type FROM templates WHERE job = :job AND template = :template")
        let template = Statement(
            reading: TemplateColumn.self,
            "FROM templates WHERE job = :job AND template = :template"
        )

        let insertEntry = Statement(inserting: EntryColumn.self, into: "entries")
        let entriesFrom = Statement(
            reading: EntryColumn.self,
            "FROM entries WHERE job = :job AND first >= :from ORDER BY first"
        )
        let entryFirstCovering = Statement(
            "SELECT first FROM entries WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        let entryCovering = Statement(
            "SELECT first, count, template FROM entries WHERE job = :job AND first <= :operation ORDER BY first DESC LIMIT 1"
        )
        /// The templates of a job that may want several copies of files; a text in a variable may look the same.
        let templatesWithCopies = Statement(
            reading: TemplateColumn.self,
            "FROM templates WHERE job = :job AND instr(settings, '\"copies\"') > 0"
        )
        let entryName = Statement("SELECT name FROM entries WHERE job = :job AND first = :first")
        let entryCount = Statement("SELECT count FROM entries WHERE job = :job AND first = :first")
        let entryCounts = Statement(
            "SELECT first, count FROM entries WHERE job = :job AND first BETWEEN :first AND :last"
        )
        let insertEntryName = Statement(inserting: EntryNameColumn.self, into: "entry_names")
        let entryNamed = Statement(
            """
            SELECT e.first, e.count FROM entry_names n JOIN entries e ON e.job = n.job AND e.first = n.first
            WHERE n.job = :job AND n.name = :name
            """
        )
        /// The entries of a queue, or of all for NULL.
        let entriesOfQueue = Statement(
            """
            SELECT first, count, name FROM entries
            WHERE job = :job AND first < :end AND (:queue IS NULL OR queue = :queue)
                AND first >= coalesce((SELECT max(first) FROM entries WHERE job = :job AND first <= :from), :from)
            ORDER BY first
            """
        )
        let namesFrom = Statement(
            """
            SELECT first, count, name FROM entries
            WHERE job = :job AND name IS NOT NULL
                AND first >= coalesce((SELECT max(first) FROM entries WHERE job = :job AND first <= :from), :from)
            ORDER BY first LIMIT :limit
            """
        )
        let entryFirsts = Statement("SELECT first FROM entries WHERE job = :job ORDER BY first")
        let insertItems = Statement(inserting: ItemColumn.self, into: "array_items")
        let items = Statement(
            reading: ItemColumn.self,
            "FROM array_items WHERE job = :job AND first = :entry AND position BETWEEN :first AND :last ORDER BY position"
        )
    }
}
