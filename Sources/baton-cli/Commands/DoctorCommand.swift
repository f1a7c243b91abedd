@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments

/// The command `baton doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Checks what this host needs to reach the coordinator: key, name, TCP, protocol, role, record, clock, disk, limits.",
        discussion: """
            Each check has a line of its own, with what to do about a fault. Each key of the state directory is checked: that of \
            commands, and that of workers. Of a record on a PostgreSQL server, the replicas and the coordinators that stand by are \
            checked; with --store or BATON_STORE, the server itself is asked, too. The exit status is 0 if no check has failed; \
            otherwise it is that of the first failed check: 69 for an unreachable coordinator, 77 for a key that is missing or not \
            admitted.
            """,
        examples: [
            Example("baton doctor"),
            Example("baton doctor --coordinator tcp://10.0.0.1:7461", "Check the way to another coordinator"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Record on a PostgreSQL server to look at from here, as the coordinator would (env: BATON_STORE).",
            valueName: "store"
        )
    )
    var store: String?

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        var doctor = Doctor(global, record: try StoreName.server(store, global))
        await doctor.examine()
        if global.json {
            try Output.document(DoctorDocument(checks: doctor.checks))
        } else {
            for check in doctor.checks where !global.quiet || check.status == .failed || check.status == .warning {
                try Output.line(Self.line(check))
            }
        }
        if doctor.status != ExitStatus.success { throw QuietExit(status: doctor.status) }
    }

    private static func line(_ check: DoctorDocument.Check) -> String {
        let tone: Style.Tone? =
            switch check.status {
            case .ok: .good
            case .warning: .warning
            case .failed: .bad
            case .skipped: nil
            }
        func padded(_ text: String, to width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let status = padded(check.status.rawValue, to: 7)
        let text = ([check.message] + (check.advice.map { [$0] } ?? [])).joined(separator: " ").printable
        return "\(tone.map { Output.style.apply($0, to: status) } ?? status)  \(padded(check.check, to: 8))  \(text)"
    }
}
