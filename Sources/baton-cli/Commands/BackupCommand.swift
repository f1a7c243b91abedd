@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the record to a file, also while the coordinator runs.",
        discussion: """
            Works on the host and as the user of the coordinator, on the record in the state directory, and needs no key and no \
            network. The copy has the state of the moment at which it began. The coordinator goes on meanwhile and does not wait; \
            its write-ahead log grows until the end of the copy. The copy is checked before it gets its name: its structure, and \
            all that a coordinator reads at its start. An existing file is not replaced, and after a failure nothing is left. Only \
            the user can read the file, because commands and their environments may hold secrets. The keys of the cluster are in \
            the directory keys beside the record, and not in the copy. 'baton restore' puts a copy back.
            """,
        examples: [
            Example("baton backup /backups/monday.db"),
            Example("podman exec baton baton backup - > monday.db", "Out of a container"),
            Example("runuser -u baton -- baton backup --home /var/lib/baton - > monday.db", "Of the package's service"),
        ]
    )

    @Option(
        help: ArgumentHelp("The --store of the coordinator, if it has one (env: BATON_STORE).", valueName: "file"),
        completion: .file(extensions: ["db"])
    )
    var store: String?

    @Argument(
        help: "File to write; - for standard output, by way of a file beside the record.",
        completion: .file(extensions: ["db"])
    )
    var file: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if file == "-", global.json {
            throw ValidationError("- writes the copy to standard output, and --json its description. Give one of them.")
        }
    }

    func run() async throws {
        let record = try StoreName.file(
            store,
            global,
            otherwise: "baton backup copies a file; copy a record on PostgreSQL with pg_dump, or with baton store copy."
        )
        let isStreamed = file == "-"
        guard !isStreamed || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError("A copy is nothing for a terminal. Send standard output to a file.")
        }
        let random = String(UInt32.random(in: .min ... .max), radix: 16)
        let path = isStreamed ? "\(record).backup-\(random)" : try Surroundings.absolutePath(file)
        let backup = RecordBackup(of: record, to: path)
        let progress = CopyProgress("Copied", isWanted: !global.quiet && !global.json, removeRest: backup.removeRest)
        let contents: RecordContents
        do throws(StoreError) {
            contents = try backup.write(onStep: progress.step)
        } catch {
            throw progress.failure(
                CommandFailure(error, missing: "Another record can be named with --home or --store.")
            )
        }
        progress.clear()
        if isStreamed { return try Self.stream(path) }
        let document = BackupDocument(
            record: record,
            file: path,
            jobs: contents.jobs,
            newestJob: contents.newestJob?.rawValue,
            bytes: contents.bytes
        )
        if global.json { return try Output.document(document) }
        guard !global.quiet else { return }
        let jobs = contents.jobs == 1 ? "one job" : "\(contents.jobs) jobs"
        let newest = contents.newestJob.map { ", the newest is \($0)" } ?? ""
        Output.note("Backed up \(jobs)\(newest), in \(ByteSize.roughText(of: contents.bytes)): \(path)")
    }

    /// Writes a file to standard output, and removes it.
    private static func stream(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let failure = errno
        unlink(path)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(failure))
            throw CommandFailure(ExitStatus.fault, code: "fault", "The copy \(path) cannot be read back: \(reason).")
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let reason = String(cString: strerror(errno))
                throw CommandFailure(
                    ExitStatus.fault,
                    code: "fault",
                    "The copy \(path) cannot be read back: \(reason)."
                )
            }
            guard count > 0 else { return }
            try Output.write(Array(buffer[..<count]), to: STDOUT_FILENO)
        }
    }
}
