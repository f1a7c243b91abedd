@_spi(Baton) import BatonOperations

/// An entry in its form on disk.
struct EntryRow {
    /// The values that distinguish the elements of an array.
    enum Elements {
        case none
        case numbers(first: Int64, step: Int64)
        case lines
        case picked
    }

    /// The index of the first operation.
    var first: UInt32
    /// How many operations the entry contains.
    var count: UInt32
    /// The entry without its dependencies and elements; the queue is a position in the job's queue names.
    var entry: Entry
    var dependencies: [DependencyText.Item]
    var elements: Elements

    /// Whether each element has a number of its own on disk.
    var hasNumbers: Bool {
        if case .picked = elements { true } else { false }
    }

    /// The operations of the entry.
    var range: ClosedRange<UInt32> { first...(first + count - 1) }

    /// Reads the current row of ``Statements/entriesFrom``.
    init(_ row: Statement) throws(SQLError) {
        typealias Column = EntryColumn
        first = try row.number(Column.first)
        count = try row.number(Column.count)
        guard count > 0, !first.addingReportingOverflow(count).overflow else { throw row.damaged(Column.count) }
        entry = Entry(
            name: try row.optionalText(Column.name),
            template: try row.number(Column.template),
            queue: try row.number(Column.queue),
            isCancelled: try row.flag(Column.isCancelled)
        )
        if let settings = try row.optionalText(Column.settings) { try OptionText.read(settings, into: &entry) }
        dependencies = try row.withBytes(Column.dependencies) { bytes throws(SQLError) in
            try DependencyText.read(bytes)
        }
        guard !row.isNull(Column.array) else {
            guard count == 1 else { throw row.damaged(Column.count) }
            elements = .none
            return
        }
        switch try row.text(Column.array) {
        case "numbers":
            let start: Int64 = try row.number(Column.arrayFirst)
            let step: Int64 = try row.number(Column.arrayStep)
            elements = .numbers(first: start, step: step)
        case "lines": elements = .lines
        case "picked": elements = .picked
        default: throw row.damaged(Column.array)
        }
    }
}
