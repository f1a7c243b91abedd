@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The command `baton store copy`.
struct StoreCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies the record to another place, where coordinators then go on with it.",
        discussion: """
            Each place is a file, or the address of a database of PostgreSQL (postgres://USER@HOST/DATABASE, with ?schema=NAME for \
            another schema than baton). No coordinator may have either of them: stop it first. The copy has all jobs, finished and \
            unfinished, and the numbers go on; an existing record is not replaced, and after a failure nothing of the copy is left. \
            Then the record is marked as moved: a coordinator that is started on it says where it is now, and ends. Workers wait \
            meanwhile, and find the coordinator that starts on the copy. The keys of the cluster and the files that clients have \
            sent are in the state directory, and not in the record. Passwords of databases come from PGPASSFILE or PGPASSWORD.
            """,
        examples: [
            Example(
                "baton store copy baton.db postgres://baton@db1,db2/baton",
                "To a database, of which there is a replica"
            ),
            Example("baton store copy postgres://baton@db1/baton baton.db", "Back to a file"),
            Example("baton store copy --keep baton.db trial.db", "For a trial: the record itself goes on"),
        ]
    )

    @Flag(help: "Let coordinators go on with the record, too; also after an earlier move.")
    var keep = false

    @Argument(
        help: ArgumentHelp("The record: a file, or the address of a database.", valueName: "from"),
        completion: .file(extensions: ["db"])
    )
    var from: String

    @Argument(
        help: ArgumentHelp("Where the copy goes: a new file, or the address of a database.", valueName: "to"),
        completion: .file(extensions: ["db"])
    )
    var to: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let (source, target) = (try StoreName.place(onCommandLine: from), try StoreName.place(onCommandLine: to))
        var transfer: RecordTransfer
        do throws(StoreError) {
            transfer = try RecordTransfer(from: source, to: target, keepingOriginal: keep)
        } catch {
            throw CommandFailure(error, missing: "Name the record of a coordinator.")
        }
        let partialFile = transfer.partialFile
        let progress = CopyProgress("Copied", isWanted: !global.quiet && !global.json) {
            if let partialFile { RecordTransfer.remove(partialFile: partialFile) }
        }
        let contents: RecordContents
        do throws(StoreError) {
            contents = try transfer.run { rows in progress.step(rows: rows) }
        } catch {
            throw progress.failure(CommandFailure(error, missing: nil))
        }
        progress.clear()
        if global.json {
            return try Output.document(
                BackupDocument(
                    record: source.shown,
                    file: target.shown,
                    jobs: contents.jobs,
                    newestJob: contents.newestJob?.rawValue,
                    bytes: contents.bytes
                )
            )
        }
        guard !global.quiet else { return }
        for sentence in Self.sentences(contents, source.shown, target.shown, isKept: keep) { Output.note(sentence) }
    }

    /// The sentences that tell the user what was copied, and with which record coordinators go on.
    static func sentences(
        _ contents: RecordContents,
        _ source: String,
        _ target: String,
        isKept: Bool
    ) -> [String] {
        let jobs = contents.jobs == 1 ? "one job" : "\(contents.jobs) jobs"
        let newest = contents.newestJob.map { ", the newest is \($0)" } ?? ""
        let rest =
            isKept
            ? "Coordinators can go on with each of the two; no two of them may have the same workers."
            : "Start the coordinator with --store '\(target)'. The record \(source) is marked as moved."
        return ["Copied \(jobs)\(newest), in \(ByteSize.roughText(of: contents.bytes)): \(target)", rest]
    }
}
