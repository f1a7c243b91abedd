import BatonOperations

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
    var name: String?
    var template: Int
    /// A position in the job's queue names.
    var queue: Int
    var priority: Priority
    var delay: Duration?
    var dependencies: [DependencyText.Item]
    var elements: Elements
    var isHeld: Bool
    var isBarrier: Bool
    var isCancelled: Bool

    /// Whether each element has a number of its own on disk.
    var hasNumbers: Bool {
        if case .picked = elements { true } else { false }
    }

    /// The operations of the entry.
    var range: ClosedRange<UInt32> { first...(first + count - 1) }

    /// Reads the current row of ``Statements/entriesFrom``.
    init(_ row: Statement) throws(SQLiteError) {
        first = try row.number(0)
        count = try row.number(1)
        guard count > 0, !first.addingReportingOverflow(count).overflow else { throw row.damaged(1) }
        name = try row.optionalText(2)
        template = try row.number(3)
        queue = try row.number(4)
        guard let priority = Priority(rawValue: try row.number(5)) else { throw row.damaged(5) }
        self.priority = priority
        delay = try row.optionalDuration(6)
        dependencies = try row.withBytes(7) { bytes throws(SQLiteError) in try DependencyText.read(bytes) }
        isHeld = try row.flag(11)
        isBarrier = try row.flag(12)
        isCancelled = try row.flag(13)
        guard !row.isNull(8) else {
            guard count == 1 else { throw row.damaged(1) }
            elements = .none
            return
        }
        switch try row.text(8) {
        case "numbers":
            let start: Int64 = try row.number(9)
            let step: Int64 = try row.number(10)
            elements = .numbers(first: start, step: step)
        case "lines": elements = .lines
        case "picked": elements = .picked
        default: throw row.damaged(8)
        }
    }
}
