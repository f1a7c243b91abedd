@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The command `baton restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the coordinator's record.",
        discussion: """
            Works on the host and as the user of the coordinator, while no coordinator has the record. The backup is copied and \
            checked first; if that fails, nothing has changed. The record that is in the place is kept under a name that the \
            command says, and the copy then takes the place at once. Jobs that were accepted after the backup are lost; their \
            numbers are not given again if the earlier record can be read, or with --next-job. Workers notice an older record, and \
            drop what it does not know. Restore the directory keys beside the record, too, if this is another host: see 'baton \
            help backup'.
            """,
        examples: [
            Example("baton restore /backups/monday.db"),
            Example("baton restore monday.db --home /srv/baton --next-job 5000", "On another host"),
        ]
    )

    @Option(
        help: ArgumentHelp("The --store of the coordinator, if it has one (env: BATON_STORE).", valueName: "file"),
        completion: .file(extensions: ["db"])
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            "Lowest number of the next job, above all that were given (default: the one after the newest known job).",
            valueName: "number"
        ),
        transform: { (text: String) in try RestoreCommand.number(text) }
    )
    var nextJob: JobNumber?

    @Argument(help: "The backup.", completion: .file(extensions: ["db"]))
    var file: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let record = try StoreName.file(
            store,
            global,
            otherwise:
                "baton restore puts a file in the place of another; fill a database with pg_restore, or with baton store copy."
        )
        let path = try Surroundings.absolutePath(file)
        let restore = RecordRestore(of: path, to: record, nextJob: nextJob)
        let progress = CopyProgress("Copied", isWanted: !global.quiet && !global.json, removeRest: restore.removeRest)
        let report: RecordRestore.Report
        do throws(StoreError) {
            report = try restore.perform(at: .now, onStep: progress.step)
        } catch {
            throw progress.failure(CommandFailure(error, missing: "Name a file that \"baton backup\" has written."))
        }
        progress.clear()
        if global.json {
            return try Output.document(
                RestoreDocument(
                    record: record,
                    file: path,
                    jobs: report.contents.jobs,
                    newestJob: report.contents.newestJob?.rawValue,
                    newestJobBefore: report.newestJobBefore?.rawValue,
                    setAside: report.setAside,
                    nextJob: report.nextJob.rawValue
                )
            )
        }
        guard !global.quiet else { return }
        for sentence in Self.sentences(report, record, isNextJobGiven: nextJob != nil) { Output.note(sentence) }
    }

    private static func number(_ text: String) throws(ValidationError) -> JobNumber {
        guard let number = UInt32(text, radix: 10), number > 0, number < .max else {
            throw ValidationError("Please provide a number from 1.")
        }
        return JobNumber(number)
    }

    /// The sentences that tell the user what was restored, and what the restored record lacks.
    ///
    /// - Parameter isNextJobGiven: whether the user has said from which number on jobs are numbered.
    static func sentences(_ report: RecordRestore.Report, _ record: String, isNextJobGiven: Bool) -> [String] {
        let jobs = report.contents.jobs == 1 ? "one job" : "\(report.contents.jobs) jobs"
        var sentences = ["Restored \(jobs) to \(record)."]
        if let setAside = report.setAside { sentences.append("The earlier record is now \(setAside).") }
        let newest = report.contents.newestJob?.rawValue ?? 0
        if let before = report.newestJobBefore?.rawValue, before > newest {
            sentences.append(
                before == newest + 1
                    ? "Job \(before) was accepted after the backup and is not in it; its number is not given again."
                    : "Jobs \(newest + 1) to \(before) were accepted after the backup and are not in it; their numbers are not "
                        + "given again."
            )
        } else if report.newestJobBefore == nil {
            sentences.append(
                isNextJobGiven
                    ? "Jobs that were accepted after the backup are not known here; numbers below \(report.nextJob) are not given "
                        + "again."
                    : "Jobs that were accepted after the backup are not known here, and their numbers are given again from "
                        + "\(report.nextJob) on; with --next-job they are not."
            )
        }
        sentences.append("The next job has the number \(report.nextJob).")
        return sentences
    }
}
