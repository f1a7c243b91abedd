@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// The templates and entries of jobs, as they are written.
extension SQLStore {
    /// How many lines of an array one row holds.
    static let itemsPerRow = 256

    /// Stores some templates of a submission.
    ///
    /// - Parameter base: the number of the job's earlier templates.
    static func insert(
        _ templates: ArraySlice<Template>,
        of job: JobNumber,
        from base: Int,
        _ statements: Statements
    ) throws(SQLError) {
        statements.entries.insertTemplate.bind(TemplateColumn.job, job.rawValue)
        for position in templates.indices {
            statements.entries.insertTemplate.bind(TemplateColumn.template, base + position)
            statements.entries.insertTemplate.bind(templates[position])
            try statements.entries.insertTemplate.run()
        }
    }

    /// Where entries have their place in a job; by default at its beginning.
    struct EntryPlace {
        /// The index of the first operation.
        var first: UInt32 = 0
        /// The position of the first template.
        var template = 0
        /// The positions of the queues in the job; nil if they are those of the submission.
        var queues: [Int]?
        /// The first operations of earlier entries that are targets of dependencies.
        var earlier: [UInt32] = []

        /// The index of the first operation of each entry; nil if there are more operations than an index can count.
        static func firsts(of entries: [Entry], from first: UInt32) -> [UInt32]? {
            var firsts: [UInt32] = []
            firsts.reserveCapacity(entries.count)
            var next = first
            for entry in entries {
                firsts.append(next)
                guard let count = UInt32(exactly: entry.count), count <= UInt32.max - next else { return nil }
                next += count
            }
            return firsts
        }
    }

    /// Stores entries of a job.
    static func insert(
        _ entries: [Entry],
        of job: JobNumber,
        _ place: EntryPlace,
        _ statements: Statements
    ) throws(SQLError) {
        guard let own = EntryPlace.firsts(of: entries, from: place.first) else {
            throw SQLError(.constraint, "job \(job) has more operations than an index can count")
        }
        let firsts = own + place.earlier
        try insert(entries[...], of: job, firsts, place, statements)
        try insertNames(of: entries, NameOrder.positions(of: entries)[...], of: job, firsts, statements)
    }

    /// Stores some entries of a submission, without their names.
    ///
    /// - Parameter firsts: the index of the first operation of each entry of the submission, and of ``EntryPlace/earlier``.
    static func insert(
        _ entries: ArraySlice<Entry>,
        of job: JobNumber,
        _ firsts: [UInt32],
        _ place: EntryPlace,
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.entries.insertEntry
        typealias Column = EntryColumn
        statement.bind(Column.job, job.rawValue)
        var dependencies: [UInt8] = []
        for (entry, first) in zip(entries, firsts[entries.startIndex...]) {
            dependencies.removeAll(keepingCapacity: true)
            try DependencyText.write(entry.dependencies, firsts: firsts, to: &dependencies)
            statement.bind(Column.first, first)
            statement.bind(Column.count, entry.count)
            statement.bind(Column.name, text: entry.name)
            statement.bind(Column.template, place.template + entry.template)
            statement.bind(Column.queue, place.queues?[entry.queue] ?? entry.queue)
            let settings = entry.hasDefaultOptions ? nil : OptionText.text(of: Entry.options.settings(of: entry))
            statement.bind(Column.settings, text: settings)
            statement.bind(Column.isCancelled, entry.isCancelled ? 1 : 0)
            dependencies.withUnsafeBufferPointer { statement.bind(Column.dependencies, utf8: $0) }
            statement.bind(Column.arrayFirst, nil)
            statement.bind(Column.arrayStep, nil)
            switch entry.array {
            case .numbers(let start, let step, _):
                statement.bind(Column.array, text: "numbers")
                statement.bind(Column.arrayFirst, start)
                statement.bind(Column.arrayStep, step)
            case .lines(let lines):
                statement.bind(Column.array, text: "lines")
                try insert(lines, nil, of: job, first, statements)
            case .picked(let elements):
                statement.bind(Column.array, text: "picked")
                try insert(elements.map(\.item), elements.map(\.number), of: job, first, statements)
            case nil:
                statement.bind(Column.array, text: nil)
            }
            try statement.run()
        }
    }

    /// Stores some names of a submission's entries.
    ///
    /// - Parameters:
    ///   - positions: the positions of the entries, in the order of the names.
    ///   - firsts: the index of the first operation of each entry.
    static func insertNames(
        of entries: [Entry],
        _ positions: ArraySlice<Int32>,
        of job: JobNumber,
        _ firsts: [UInt32],
        _ statements: Statements
    ) throws(SQLError) {
        let statement = statements.entries.insertEntryName
        statement.bind(EntryNameColumn.job, job.rawValue)
        for position in positions {
            statement.bind(EntryNameColumn.name, text: entries[Int(position)].name)
            statement.bind(EntryNameColumn.first, firsts[Int(position)])
            try statement.run()
        }
    }

    /// Stores the lines of an array, and of an array with chosen numbers the numbers.
    private static func insert(
        _ lines: [String],
        _ numbers: [Int64]?,
        of job: JobNumber,
        _ first: UInt32,
        _ statements: Statements
    ) throws(SQLError) {
        for position in stride(from: 0, to: lines.count, by: itemsPerRow) {
            let positions = position..<min(position + itemsPerRow, lines.count)
            statements.entries.insertItems.bind(ItemColumn.job, job.rawValue)
            statements.entries.insertItems.bind(ItemColumn.first, first)
            statements.entries.insertItems.bind(ItemColumn.position, position)
            statements.entries.insertItems.bind(ItemColumn.items, text: JSONValue.strings(lines[positions]).text)
            let picked = numbers.map { JSONValue.array($0[positions].map { .integer($0) }).text }
            statements.entries.insertItems.bind(ItemColumn.numbers, text: picked)
            try statements.entries.insertItems.run()
        }
    }
}
