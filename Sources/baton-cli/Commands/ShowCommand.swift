@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the details of a job, an array or an operation.",
        discussion: """
            Of an operation, show also lists the last 20 attempts that ended before the operation: those that failed before a \
            retry, and those that were lost with their worker. For an array, show prints the number of operations in each \
            state and a line per operation; with --json, an object with "array", "job", "name", "first" (the index of the \
            first operation), "count", "operations", "state" and "counts". Several operations are shown like those of an array, \
            with --json in an object with "job", "operations", "state" and "counts".

            For jobs and arrays, options say which operations to list. The conditions of all options have to be met; of \
            --state, --outcome and --failed, one is enough. The counts of a job stay those of the whole job; the counts of \
            an array are those of the listed operations.
            """,
        examples: [
            Example("baton show 12", "A job and its operations"),
            Example("baton show 12/sepia", "One operation, or all of an array"),
            Example("baton show '12/[3-9,20]'", "Some operations"),
            Example("baton show 12 --failed --limit 20", "The first operations that failed"),
            Example("baton show 12 --worker w1 --state executing --columns operation,item,time"),
            Example("baton show 12 --json", "The same as JSON"),
        ]
    )

    /// The maximum number of table rows on a terminal; more rows would not help a reader.
    private static let mostRowsOnTerminal = 200

    @OptionGroup var conditions: FilterOptions

    @Option(
        help: ArgumentHelp("List only operations whose last attempt was on this worker.", valueName: "worker"),
        completion: CompletionSubject.workers.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var worker: String?

    @Option(
        help: ArgumentHelp(
            "Maximum number of operations (default: \(mostRowsOnTerminal) on a terminal, otherwise all).",
            valueName: "n"
        )
    )
    var limit: UInt32?

    @Option(
        help: ArgumentHelp(
            "Columns of the table, separated by commas: \(OperationColumn.names).",
            valueName: "columns"
        ),
        transform: { (text: String) in try OperationColumn.read(text) }
    )
    var columns: [OperationColumn]?

    @Argument(
        help: "Job (12, last or nightly), operation or array (12/3 or 12/sepia), or several (12/[3-9,20] or 12/test-*)."
    )
    var address: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if limit == 0 { throw ValidationError("List at least one operation.") }
        if columns != nil, global.json { throw ValidationError("--columns is for the table, and --json has all keys.") }
    }

    func run() async throws {
        let connection = try global.connect()
        var filter = try await conditions.filter { try await connection.presentTime() }
        filter.worker = worker
        let addresses = try await AddressResolver(on: connection).addresses(of: [address])
        guard addresses.count == 1, let address = addresses.first, !address.isRange else {
            let ranges = addresses.compactMap(\.range)
            try await check(ranges, of: addresses[0].job, on: connection)
            return try await show(ranges, of: addresses[0].job, nil, filter, on: connection)
        }
        if case .job(let job) = address {
            let pages = JobPages(
                of: job,
                filter: filter,
                pageLength: limit ?? .max,
                isExact: global.json,
                on: connection
            )
            return try await global.json && limit == nil ? pages.print() : show(pages, filter, on: connection)
        }
        let bytes = try await connection.document(.operation(address), timeout: GlobalOptions.answerTimeout)
        if ArrayDocument.isDocument(bytes) {
            let array = try DocumentReader.read(ArrayDocument.self, from: bytes, isExact: global.json)
            return try await show([array.operations], of: array.job, array, filter, on: connection)
        }
        guard filter.isEmpty, limit == nil, columns == nil else {
            throw CommandFailure(
                ExitStatus.usage,
                code: "usage",
                "\(address.asShown) is a single operation, and conditions, --limit and --columns are for jobs and arrays."
            )
        }
        if global.json { return try Output.document(bytes) }
        let operation = try DocumentReader.read(OperationDocument.self, from: bytes)
        let present = try await presentTime(for: [operation], on: connection)
        try Output.line(OperationText.lines(of: operation, at: present))
    }

    /// The present time by the coordinator's clock, which only executing operations need.
    private func presentTime(
        for operations: [OperationDocument],
        on connection: ClientConnection
    ) async throws -> Timestamp {
        operations.contains { $0.state == .executing } ? try await connection.presentTime() : .now
    }

    private func table(of operations: [OperationDocument], on connection: ClientConnection) async throws -> TextTable {
        let present = try await presentTime(for: operations, on: connection)
        return OperationColumn.table(of: operations.map { Dated(document: $0, present: present) }, columns: columns)
    }

    /// The most operations to list.
    private var most: Int {
        limit.map { Int($0) } ?? (Terminal.isStandardOutput && !global.json ? Self.mostRowsOnTerminal : Int.max)
    }

    /// Refuses operations that a job does not have.
    private func check(_ ranges: [Range<UInt32>], of job: JobNumber, on connection: ClientConnection) async throws {
        let bytes = try await connection.document(.job(job, from: 0, limit: 0), timeout: GlobalOptions.answerTimeout)
        let count = try DocumentReader.read(JobDocument.self, from: bytes).counts.total
        guard let beyond = ranges.first(where: { $0.upperBound > count }) else { return }
        let (first, last) = ("\(job)/\(beyond.lowerBound)", "\(job)/\(beyond.upperBound - 1)")
        throw CommandFailure(
            ExitStatus.notFound,
            code: "notFound",
            first == last
                ? "There is no operation \(first)."
                : "Job \(job) does not have all operations from \(first) to \(last).",
            advice: "See \"baton show \(job)\"."
        )
    }

    /// Shows some operations of a job.
    ///
    /// - Parameter array: the array whose elements the operations are; nil for operations that a pattern selects.
    private func show(
        _ ranges: [Range<UInt32>],
        of job: JobNumber,
        _ array: ArrayDocument?,
        _ filter: ListFilter,
        on connection: ClientConnection
    ) async throws {
        var counts = JobCounts()
        var shown: [OperationDocument] = []
        var listed = 0
        var writer = JSONWriter()
        writer.beginObject()
        if let array { array.writeMembers(to: &writer) } else { writer.member("job", job.rawValue) }
        writer.key("operations")
        writer.beginArray()
        for range in ranges {
            let pages = JobPages(of: job, operations: range, filter: filter, isExact: global.json, on: connection)
            try await pages.read { page in
                for operation in page.operations {
                    counts.count(operation)
                    listed += 1
                    guard listed <= most else { continue }
                    if global.json { operation.write(to: &writer) } else { shown.append(operation) }
                }
                if global.json { try Output.write(writer.takeBytes(), to: STDOUT_FILENO) }
                return true
            }
        }
        if global.json {
            writer.endArray()
            writer.member("state", description: counts.state)
            writer.member("counts", counts)
            writer.endObject()
            return try Output.document(writer.bytes)
        }
        var lines = KeyValueLines()
        lines.append("array", array?.array)
        lines.append("job", job.description)
        lines.append("state", filter.isEmpty ? counts.state.description : nil)
        lines.append(filter.isEmpty ? "operations" : "listed", "\(counts.total): \(counts.failuresFirst)")
        try Output.line(lines.text + "\n")
        try Output.table(await table(of: shown, on: connection))
        noteMore(listed - shown.count)
    }

    /// Notes how many operations the table leaves out; nil stands for an unknown number.
    private func noteMore(_ count: Int?) {
        guard count != 0, !global.quiet else { return }
        let operations = count.map { $0 == 1 ? "is 1 more operation" : "are \($0) more operations" }
        Output.note("There \(operations ?? "are more operations"); list more with --limit.")
    }

    /// The number of a job's operations that meet the conditions; nil if the counts do not tell.
    private func total(_ counts: JobCounts, _ filter: ListFilter) -> Int? {
        if filter.isEmpty { return counts.total }
        guard filter == ListFilter(states: filter.states, outcomes: filter.outcomes) else { return nil }
        let states = Set(filter.states)
        let outcomes = states.contains(.finished) ? [] : Set(filter.outcomes)
        return states.reduce(0) { $0 + counts[$1] } + outcomes.reduce(0) { $0 + counts[$1] }
    }

    /// When a job was submitted, and who submitted it if somebody is known.
    static func submission(of job: JobDocument) -> String {
        job.submittedAt.localText + (job.by.map { " by \($0)" } ?? "")
    }

    /// The moment of a job's deadline, and how long after the submission it is; nil without a deadline.
    static func deadline(of job: JobDocument) -> String? {
        guard let deadline = job.deadline.flatMap({ Duration(text: $0) }) else { return nil }
        return "\((job.submittedAt + deadline).localText), \(deadline.roughText) after the submission"
    }

    private func show(_ pages: JobPages, _ filter: ListFilter, on connection: ClientConnection) async throws {
        var head: JobDocument?
        var operations: [OperationDocument] = []
        var next: UInt32?
        try await pages.read { page in
            operations += page.operations
            next = page.next
            if head == nil { head = page }
            return operations.count < most
        }
        guard var head else { return }
        if operations.count > most {
            next = operations[most].operation.index
            operations.removeSubrange(most...)
        }
        if global.json {
            head.operations = operations
            head.next = next
            return try Output.document(head)
        }
        var lines = KeyValueLines()
        lines.append("job", head.job.description)
        lines.append("name", head.name)
        lines.append("key", head.key)
        lines.append("state", head.outcome?.description ?? head.state.description)
        lines.append("open", head.open ? "yes; \"baton close \(head.job)\" ends it" : nil)
        lines.append("retry of", head.retryOf.map { "\($0)" })
        lines.append(
            "retried as",
            head.retries.isEmpty ? nil : head.retries.map(\.text).joined(separator: ", ")
        )
        lines.append("reuses", head.reuse.map { "the results of \($0)" })
        lines.append("tags", JobTag.text(of: head.tags))
        let consequence = head.cancelRunning == true ? "; then what executes is cancelled, too" : ""
        lines.append("max failures", head.maxFailures.map { "\($0)\(consequence)" })
        lines.append("deadline", Self.deadline(of: head))
        lines.append("files limit", head.filesLimit.map { ByteSize.text(of: $0) })
        for (moment, command) in (head.hooks ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("on \(moment)", OperationText.commandLine(command))
            OperationText.append(head.hookRuns?[moment], as: "\(moment) hook", to: &lines)
        }
        for state in [HookDocument.State.waiting, .executing, .failed] {
            let found = operations.filter { $0.hook?.state == state }
            guard let first = found.first else { continue }
            lines.append("hooks \(state.rawValue)", "\(found.count), the first of \(first.operation)")
        }
        lines.append("submitted", Self.submission(of: head))
        let counts = head.counts.total == 0 ? "none" : "\(head.counts.total): \(head.counts.failuresFirst)"
        lines.append("operations", counts)
        lines.append("progress", head.state == .finished ? nil : head.progress.percentage)
        let isEmpty = operations.isEmpty
        try Output.line(isEmpty ? lines.text : lines.text + "\n")
        if isEmpty {
            if !global.quiet, !filter.isEmpty { Output.note("No operation meets the conditions.") }
            return
        }
        try Output.table(await table(of: operations, on: connection))
        guard next != nil else { return }
        noteMore(total(head.counts, filter).map { max(1, $0 - operations.count) })
    }
}

extension Address {
    /// Whether the address stands for consecutive operations.
    fileprivate var isRange: Bool {
        if case .operations = self { true } else { false }
    }

    /// The operations of an address by index; nil for any other address.
    fileprivate var range: Range<UInt32>? {
        switch self {
        case .operations(_, let range): range
        case .operation(let id): id.index..<id.index + 1
        case .job, .named: nil
        }
    }
}
