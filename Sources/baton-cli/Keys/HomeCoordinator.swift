@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonKeys

/// The coordinator that runs in a state directory, for commands that change the keys of the directory.
enum HomeCoordinator {
    /// How long a coordinator may take to answer; a command does not wait longer for a silent coordinator.
    private static let patience = Duration.seconds(2)
    /// How long a coordinator may take to write a change of keys to its record; another database server may take over meanwhile.
    private static let patienceOfKeeping = Duration.seconds(10)
    /// The time between two looks whether it has.
    private static let pauseOfKeeping = Duration.milliseconds(20)

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

    /// Waits until the coordinator has written the table of keys to its record, from which the coordinators that stand by take it.
    ///
    /// Without a coordinator, or with a record in a file, there is nothing to wait for.
    ///
    /// - Parameters:
    ///   - change: what was changed in the directory, in a sentence.
    ///   - consequence: what a coordinator would do that takes over without the change, in a sentence.
    static func awaitKept(
        _ directory: KeyDirectory,
        _ global: GlobalOptions,
        _ change: String,
        or consequence: String
    ) async throws {
        let deadline = ContinuousClock.now + patienceOfKeeping
        while true {
            // The place tells that its record is on a server, also of a coordinator that does not answer at present.
            guard let report = try answer(global, coordinator: "coordinator") else { return }
            if report.duty == .leads, report.keyTable == nil { return }
            if let kept = report.keyTable, try directory.table()?.fingerprint == kept { return }
            guard report.duty != .standsBy, ContinuousClock.now < deadline else {
                throw CommandFailure(
                    ExitStatus.unreachable,
                    code: "notInRecord",
                    "\(change) That is not in the record yet, so that it counts with this coordinator alone: \(consequence) "
                        + report.message,
                    advice:
                        "Do not repeat the command: this coordinator writes the table of keys once it leads and can write its "
                        + "record, which \"baton health --ready\" tells."
                )
            }
            try await Task.sleep(for: pauseOfKeeping)
        }
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
    ///
    /// - Parameter name: what the names of its own files begin with in the directory; one with a record on a server is found in any case.
    private static func answer(
        _ global: GlobalOptions,
        coordinator name: String = "baton.db"
    ) throws(CommandFailure) -> HealthDocument.Process? {
        let home = try global.homeDirectory
        return try? HomeProcesses(in: home, coordinator: "\(home)/\(name)").coordinator(within: patience)
    }
}
