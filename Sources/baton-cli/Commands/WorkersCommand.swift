@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton workers`.
struct WorkersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Lists workers, shows some in detail, or removes lost ones from the list.",
        discussion: """
            For workers by name, the command shows what they execute, how many attempts have ended there, and the last 20 of \
            them. A worker that has left in order is not listed, unless it is drained; --all lists it for an hour, and for an \
            hour it can be shown by name. The coordinator remembers departures and ended attempts until it ends. --forget \
            removes workers that are lost, and drained workers that have left, with their drain.
            """,
        examples: [
            Example("baton workers"), Example("baton workers --json"),
            Example("baton workers --all", "Also those that have left during the last hour"),
            Example("baton workers w1", "What a worker executes, and what it ran last"),
            Example("baton workers --forget w1", "Remove a lost worker"),
        ]
    )

    @Flag(help: "Also list workers that have left during the last hour.")
    var all = false

    @Flag(help: "Remove the named workers, which are lost or have left, from the list.")
    var forget = false

    @Argument(
        help: ArgumentHelp("Workers to show, or with --forget to remove.", valueName: "worker"),
        completion: CompletionSubject.workers.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var names: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if forget, names.isEmpty { throw ValidationError("Name the workers to remove.") }
        if all, !names.isEmpty { throw ValidationError("--all lists all workers. Give either --all or names.") }
    }

    func run() async throws {
        guard !forget else {
            let report = try await global.connect().change(.forget(names), timeout: GlobalOptions.answerTimeout)
            return try ChangeOutput(global).show(report, of: "worker") { "Removed \($0)." }
        }
        guard names.isEmpty else { return try await show() }
        let bytes = try await global.connect().document(
            all ? .allWorkers : .workers,
            timeout: GlobalOptions.answerTimeout
        )
        if global.json { return try Output.document(bytes) }
        let workers = try DocumentReader.read(WorkersDocument.self, from: bytes).workers
        guard !workers.isEmpty else {
            if !global.quiet { Output.note("There are no workers. Start one with \"baton worker\".") }
            return
        }
        // A column stands where a worker has something to show in it.
        let columns = WorkerColumn.allCases.filter { column in workers.contains { column.isOfInterest(to: $0) } }
        var table = TextTable(columns.map(\.column))
        for worker in workers { table.append(columns.map { $0.cell(of: worker) }) }
        try Output.table(table)
        if workers.allSatisfy({ $0.keeper == true }), !global.quiet {
            Output.note("No worker runs operations. Start one with \"baton worker\".")
        }
        for worker in workers {
            if let reason = worker.reason { Output.note("\(worker.worker) is failing: \(reason)") }
            if let since = worker.drainedAt {
                Output.note(
                    "\(worker.worker.asShown) has been drained since \(since.localText)"
                        + "\(worker.drainedBy.map { ", by \($0)" } ?? ""). "
                        + "\"baton undrain \(worker.worker.asShown)\" lets it start operations again."
                )
            }
        }
    }

    /// Shows the named workers, a document a line with `--json`.
    private func show() async throws {
        let connection = try global.connect()
        for (index, name) in names.enumerated() {
            let bytes = try await connection.document(.worker(name), timeout: GlobalOptions.answerTimeout)
            if global.json {
                try Output.document(bytes)
                continue
            }
            let document = try DocumentReader.read(WorkerDocument.self, from: bytes)
            if index > 0 { try Output.line("") }
            try Output.line(WorkerText.lines(of: document))
            let tables = [
                WorkerText.executing(in: document), WorkerText.fetching(in: document), WorkerText.ended(in: document),
            ]
            for case let table? in tables {
                try Output.line("")
                try Output.table(table)
            }
        }
    }
}
