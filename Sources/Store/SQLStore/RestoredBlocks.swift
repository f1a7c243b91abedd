@_spi(Baton) import BatonOperations

/// The rows of many jobs on a server, some thousand jobs at a time in a database in memory, from which a start reads them.
///
/// A job takes a dozen questions, and as many round trips over a network. A block of jobs takes no more.
final class RestoredBlocks {
    /// The tables of which the restoration of an unfinished job reads rows.
    static let tablesOfUnfinished: Set<String> = [
        "jobs", "templates", "entries", "array_items", "additions", "operations", "attempts", "operation_dependencies",
        "operation_commands", "files",
    ]
    /// The tables that tell how jobs and their operations ended.
    static let tablesOfEnds: Set<String> = ["jobs", "entries", "entry_names", "operations", "files"]

    /// The most operations of a job that is read by way of a block; the questions of a larger one do not matter.
    private static let mostOperations: Int64 = 1000
    /// About how many operations the jobs of a block have.
    private static let operationsOfBlock: Int64 = 20_000

    private let database: Database
    private let statements: Statements
    private let copies: [TableCopy]
    /// The jobs of the blocks that are still to come, in ascending order.
    private var blocks: ArraySlice<[UInt32]> = []
    /// The jobs in memory.
    private var present: Set<UInt32> = []
    /// The jobs that are read by way of a block.
    private var jobs: Set<UInt32> = []

    /// Plans the blocks.
    ///
    /// - Parameters:
    ///   - jobs: the jobs to read, in ascending order; those that are not there, or large, are left out.
    ///   - server: what keeps the tables.
    ///   - tables: the tables with rows to read.
    init(of jobs: [UInt32], in server: SQLStore.Engine, _ tables: Set<String>) throws(SQLError) {
        let database = try Database.inMemory()
        try database.execute(Schema.current.tables)
        self.database = database
        statements = try Statements(database)
        var copies: [TableCopy] = []
        for shape in Schema.shapes where tables.contains(shape.name) {
            copies.append(
                try TableCopy(
                    shape,
                    reading: Self.text(of: shape.name, shape.columns.map(\.name)),
                    from: { statement throws(SQLError) in try server.attach(statement) },
                    to: { statement throws(SQLError) in try statement.attach(to: database) }
                )
            )
        }
        self.copies = copies
        try plan(jobs, server)
    }

    /// The statement that reads columns of a table's rows of the jobs in a JSON array.
    ///
    /// OFFSET 0 has the server look up each job by the key of the table; it would else read the table as a whole.
    private static func text(of table: String, _ columns: [String]) -> String {
        """
        SELECT \(columns.map { "r." + $0 }.joined(separator: ", ")) FROM (
            SELECT CAST(value AS bigint) AS job FROM json_array_elements_text(CAST(:value AS json)) OFFSET 0
        ) AS j CROSS JOIN LATERAL (
            SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE job = j.job OFFSET 0
        ) AS r
        """
    }

    private func plan(_ wanted: [UInt32], _ server: SQLStore.Engine) throws(SQLError) {
        let statement = Statement(Self.text(of: "jobs", ["job", "operations"]))
        try server.attach(statement)
        statement.bind(.value, text: Self.json(wanted))
        var sizes: [UInt32: Int64] = [:]
        try statement.forEach { row throws(SQLError) in
            let size: Int64 = try row.number(1)
            if size <= Self.mostOperations { sizes[try row.number(0)] = size }
            return true
        }
        jobs = Set(sizes.keys)
        var blocks: [[UInt32]] = []
        var operations = Self.operationsOfBlock
        for job in wanted {
            guard let size = sizes[job] else { continue }
            if operations >= Self.operationsOfBlock {
                blocks.append([])
                operations = 0
            }
            blocks[blocks.count - 1].append(job)
            // A job without operations has rows, too.
            operations += size + 1
        }
        self.blocks = blocks[...]
    }

    private static func json(_ jobs: [UInt32]) -> String {
        "[" + jobs.map { String($0) }.joined(separator: ",") + "]"
    }

    /// The statements that read a job from memory; nil for a job that is not read by way of a block.
    ///
    /// Jobs have to be asked for in the order of their numbers.
    func statements(holding job: JobNumber) throws(SQLError) -> Statements? {
        guard jobs.contains(job.rawValue) else { return nil }
        while !present.contains(job.rawValue) {
            guard let block = blocks.popFirst() else { return nil }
            guard let last = block.last, last >= job.rawValue else { continue }
            try load(block)
        }
        return statements
    }

    private func load(_ block: [UInt32]) throws(SQLError) {
        let list = Self.json(block)
        try database.transaction { () throws(SQLError) in
            for copy in copies {
                copy.reading.bind(.value, text: list)
                _ = try copy.run(leavingOut: { _ in false }, onRow: { true })
            }
        }
        present = Set(block)
    }
}
