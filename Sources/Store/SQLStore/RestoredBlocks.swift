@_spi(Baton) import BatonOperations

/// The rows of unfinished jobs on a server, some hundred jobs at a time in a database in memory, from which a start reads them.
///
/// A job takes a dozen questions, and as many round trips over a network. A block of jobs takes no more.
final class RestoredBlocks {
    /// The most operations of a job that is read by way of a block; the questions of a larger one do not matter.
    private static let mostOperations: UInt32 = 1000
    /// About how many operations the jobs of a block have.
    private static let operationsOfBlock = 20_000
    /// The tables of which a job's restoration reads rows.
    private static let tables: Set<String> = [
        "jobs", "templates", "entries", "array_items", "additions", "operations", "attempts", "operation_dependencies",
        "operation_commands", "files",
    ]

    private let database: Database
    private let statements: Statements
    private let copies: [TableCopy]
    /// The jobs that are read by way of a block.
    private var jobs: Set<UInt32> = []
    /// The first and the last job of each block that is still to come, in ascending order.
    private var blocks: ArraySlice<ClosedRange<UInt32>> = []
    /// The jobs in memory.
    private var present: ClosedRange<UInt32>?

    /// Plans the blocks.
    ///
    /// - Parameter server: what keeps the tables.
    init(of server: SQLStore.Engine) throws(SQLError) {
        let database = try Database.inMemory()
        try database.execute(Schema.current.tables)
        self.database = database
        statements = try Statements(database)
        var copies: [TableCopy] = []
        for shape in Schema.shapes where Self.tables.contains(shape.name) {
            copies.append(
                try TableCopy(
                    shape,
                    reading: Self.text(shape),
                    from: { statement throws(SQLError) in try server.attach(statement) },
                    to: { statement throws(SQLError) in try statement.attach(to: database) }
                )
            )
        }
        self.copies = copies
        try plan(server)
    }

    /// The condition for jobs that are read by way of a block.
    private static let condition = "finished_at IS NULL AND operations <= \(mostOperations)"

    /// The statement that reads the rows of a table of the jobs of a block.
    ///
    /// OFFSET 0 has the server look up each job by the key of the table; it would else look at all rows between the first and the last job.
    static func text(_ shape: TableShape) -> String {
        let names = shape.columns.map(\.name)
        return """
            SELECT \(names.map { "r." + $0 }.joined(separator: ", ")) FROM (
                SELECT job FROM jobs WHERE \(condition) AND job BETWEEN :from AND :last OFFSET 0
            ) AS j CROSS JOIN LATERAL (
                SELECT \(names.joined(separator: ", ")) FROM \(shape.name) WHERE job = j.job OFFSET 0
            ) AS r
            """
    }

    private func plan(_ server: SQLStore.Engine) throws(SQLError) {
        let statement = Statement("SELECT job, operations FROM jobs WHERE \(Self.condition) ORDER BY job")
        try server.attach(statement)
        var blocks: [ClosedRange<UInt32>] = []
        var (first, operations): (UInt32?, Int) = (nil, 0)
        var last: UInt32 = 0
        try statement.forEach { row throws(SQLError) in
            let job: UInt32 = try row.number(0)
            jobs.insert(job)
            if let start = first, operations >= Self.operationsOfBlock {
                blocks.append(start...last)
                (first, operations) = (nil, 0)
            }
            first = first ?? job
            last = job
            // A job without operations has rows, too.
            operations += try row.number(1, as: Int.self) + 1
            return true
        }
        if let first { blocks.append(first...last) }
        self.blocks = blocks[...]
    }

    /// The statements that read a job from memory; nil for a job that is not read by way of a block.
    ///
    /// Jobs have to be asked for in the order of their numbers.
    func statements(holding job: JobNumber) throws(SQLError) -> Statements? {
        guard jobs.contains(job.rawValue) else { return nil }
        while present?.contains(job.rawValue) != true {
            guard let block = blocks.popFirst() else { return nil }
            if block.upperBound >= job.rawValue { try load(block) }
        }
        return statements
    }

    private func load(_ block: ClosedRange<UInt32>) throws(SQLError) {
        try database.transaction { () throws(SQLError) in
            for copy in copies {
                copy.reading.bind((.from, block.lowerBound), (.last, block.upperBound))
                _ = try copy.run(leavingOut: { _ in false }, onRow: { true })
            }
        }
        present = block
    }
}
