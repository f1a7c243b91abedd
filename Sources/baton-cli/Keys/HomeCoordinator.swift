@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth

/// The coordinator that runs in a state directory, for commands that change the keys of the directory.
enum HomeCoordinator {
    /// How long a coordinator may take to answer; a command does not wait longer for a silent coordinator.
    private static let patience = Duration.seconds(2)

    /// Refuses a change of keys where the coordinator stands by: the leader, which admits or refuses the key, would not know of it.
    ///
    /// - Parameters:
    ///   - consequence: what would become of the key, in a sentence.
    ///   - command: the command that does it at the leader.
    static func checkLeads(
        _ global: GlobalOptions,
        or consequence: String,
        command: String
    ) throws(CommandFailure) {
        guard let report = try answer(global), report.duty == .standsBy else { return }
        throw CommandFailure(
            ExitStatus.unreachable,
            code: "standby",
            "\(report.message) \(consequence)",
            advice: "Run \"\(command)\" on the host of the leader, as the user of its coordinator."
        )
    }

    /// Refuses new keys while a coordinator runs: the coordinator would go on with the keys that it has read.
    static func checkAbsent(_ global: GlobalOptions) throws(CommandFailure) {
        let home = try global.homeDirectory
        guard try answer(global) != nil else { return }
        throw CommandFailure(
            ExitStatus.notAllowed,
            code: "running",
            "A coordinator runs in \(home), and would go on with the keys that it has.",
            advice: "Stop it, join, and start it again."
        )
    }

    /// The health report of the coordinator; nil if no coordinator runs, or if this user may not ask.
    private static func answer(_ global: GlobalOptions) throws(CommandFailure) -> HealthDocument.Process? {
        let home = try global.homeDirectory
        return try? HomeProcesses(in: home, coordinator: "\(home)/baton.db").coordinator(within: patience)
    }
}
