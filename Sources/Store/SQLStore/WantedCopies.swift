@_spi(Baton) import BatonOperations

/// How many copies the operations of a job want of their files, asked for in the order of their indices.
///
/// A job in which no operation wants several costs one question, and an array one more.
struct WantedCopies {
    private let job: JobNumber
    /// The copies of the templates that want several; nil before the first question.
    private var templates: [Int: Int]?
    /// The operations of the entry that was looked at last, with their copies.
    private var known: (operations: ClosedRange<UInt32>, copies: Int)?

    init(of job: JobNumber) { self.job = job }

    /// The copies that an operation wants.
    mutating func copies(of index: UInt32, _ statements: Statements) throws(SQLError) -> Int {
        if templates == nil { templates = try Self.templates(of: job, statements) }
        guard let templates, !templates.isEmpty else { return 1 }
        if let known, known.operations.contains(index) { return known.copies }
        statements.entries.entryCovering.bind((.job, job.rawValue), (.operation, index))
        let entry = try statements.entries.entryCovering.first { row throws(SQLError) in
            (
                first: try row.number(0, as: UInt32.self), count: try row.number(1, as: UInt32.self),
                template: try row.number(2, as: Int.self)
            )
        }
        guard let entry, entry.count > 0, index - entry.first < entry.count else { return 1 }
        let copies = templates[entry.template] ?? 1
        known = (entry.first...entry.first + (entry.count - 1), copies)
        return copies
    }

    private static func templates(of job: JobNumber, _ statements: Statements) throws(SQLError) -> [Int: Int] {
        var found: [Int: Int] = [:]
        statements.entries.templatesWithCopies.bind(.job, job.rawValue)
        try statements.entries.templatesWithCopies.forEach { row throws(SQLError) in
            let position: Int = try row.number(TemplateColumn.template)
            let copies = try row.template().work.copies
            if copies > 1 { found[position] = copies }
            return true
        }
        return found
    }
}
