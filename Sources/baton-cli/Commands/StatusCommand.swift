@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows a summary of the cluster.",
        examples: [Example("baton status"), Example("baton status --json")]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(.status, timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let status = try DocumentReader.read(StatusDocument.self, from: bytes)
        var lines = KeyValueLines()
        lines.append("coordinator", status.coordinator)
        lines.append("version", status.version)
        lines.append("security", Self.security(of: status))
        if let store = Self.store(of: status) { lines.append("store", store) }
        for standby in Self.standbys(of: status) { lines.append("standby", standby) }
        lines.append("up", "\(uptime(status.uptimeSeconds)) (start number \(status.epoch))")
        lines.append("workers", "\(status.workers) with \(status.slots) slots")
        if let first = status.awaitedWorkers.first {
            let others = status.awaitedWorkers.count > 1 ? " and \(status.awaitedWorkers.count - 1) more" : ""
            lines.append("waits for", "\(first)\(others), not back since the coordinator's restart")
        }
        for worker in status.failing { lines.append("failing", "\(worker.worker): \(worker.reason)") }
        lines.append("queues", "\(status.queues)")
        lines.append("operations", status.counts.total == 0 ? "none" : status.counts.brief)
        try Output.line(lines.text)
    }

    /// The protection of the coordinator in words, with the key of this command.
    static func security(of status: StatusDocument) -> String {
        switch status.security {
        case .curve: "keys" + (status.key.map { "; this command uses \($0.name) (\($0.role))" } ?? "")
        case .none: "none (--insecure): everybody who reaches the port can run commands"
        }
    }

    /// What the record is in, in words; nil for the usual file, and from a coordinator of an earlier version.
    static func store(of status: StatusDocument) -> String? {
        guard status.store == "postgresql" else { return nil }
        return switch status.replication {
        case "synchronous": "PostgreSQL, with a synchronous replica"
        case "asynchronous":
            "PostgreSQL, with an asynchronous replica: if the server is lost, the last moments may be missing"
        case "none": "PostgreSQL, without a replica"
        default: "PostgreSQL"
        }
    }

    /// The coordinators that stand by, in words; empty if the coordinator does not report them.
    static func standbys(of status: StatusDocument) -> [String] {
        guard let standbys = status.standbys else { return [] }
        guard !standbys.isEmpty else { return ["none: if the host of this coordinator is lost, nobody takes over"] }
        return standbys.map { standby in
            var text = standby.address
            if let host = standby.host { text += " on \(host)" }
            if let time = status.time { text += ", for \(max(.zero, time - standby.since).roughText)" }
            if standby.sharesKeys == false { text += "; it has other keys: workers and commands would not follow" }
            return text
        }
    }

    /// Seconds for a duration below a minute; otherwise the rounded text.
    private func uptime(_ seconds: Int) -> String {
        seconds < 60 ? "\(seconds)s" : Duration.seconds(seconds).roughText
    }
}
