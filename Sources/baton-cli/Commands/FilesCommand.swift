@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The command `baton files`.
struct FilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "Lists the files that operations have left.",
        discussion: """
            The list has the files that match the option --outputs of operations that succeeded, and files that were sent with --send. \
            HOLDERS are the workers that have a copy, and DIGEST is the beginning of the SHA-256 of the bytes, which --json has in \
            full. COPIES is the number of copies and the number that the operation wants, such as 1/2, if it wants several. \
            A file in the state lost has no copy: if an operation that has not started needs the file, the operation that made \
            it runs again.
            """,
        examples: [
            Example("baton files 12", "The files of a job"),
            Example("baton files 12/align --columns file,size,holders"),
            Example("baton files 12 --json", "With whole digests, for a script"),
        ]
    )

    @Option(
        help: ArgumentHelp("Columns of the table, separated by commas: \(FileColumn.names).", valueName: "columns"),
        transform: { (text: String) in try FileColumn.read(text) }
    )
    var columns: [FileColumn]?

    @Argument(help: "Job or operations (12, last, nightly, 12/3, 12/sepia, 12/[3-9,20], 12/test-*).")
    var address: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if columns != nil, global.json { throw ValidationError("--columns is for the table, and --json has all keys.") }
    }

    func run() async throws {
        let connection = try global.connect()
        let target = try await OutputTarget(address, on: connection)
        let files = try await FilePages(of: target, on: connection).all(isExact: global.json)
        if global.json {
            return try Output.document(
                FilesDocument(job: target.job, count: files.count, bytes: files.bytes, files: files, next: nil)
            )
        }
        guard !files.isEmpty else {
            if !global.quiet { Output.note("There are no files of \(address.text.asShown).") }
            return
        }
        try Output.table(FileColumn.table(of: files, columns: columns))
        let lost = files.filter { $0.state == .lost }
        if !global.quiet { Output.note("\(files.amount)\(lost.isEmpty ? "" : "; \(lost.count) lost").") }
    }
}
