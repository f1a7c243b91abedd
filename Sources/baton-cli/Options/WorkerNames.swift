@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The workers that a command is about.
struct WorkerNames: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Workers, by name.", valueName: "worker"),
        completion: CompletionSubject.workers.kind,
        transform: { (text: String) in try NameArgument.read(text) }
    )
    var workers: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The workers whose labels meet a condition, such as zone=a, zone!=b or "arch in (x,y)"; of several, all must hold. \
            Workers that join later are not meant.
            """,
            valueName: "condition"
        ),
        transform: { (text: String) in try ResourceArgument.condition(text) }
    )
    var label: [LabelCondition] = []

    func validate() throws {
        if workers.isEmpty, label.isEmpty { throw ValidationError("Name the workers, or choose them with --label.") }
    }

    /// The named workers, and those that meet the conditions for labels.
    ///
    /// - Throws: ``CommandFailure`` if no worker meets the conditions.
    func resolved(by connection: ClientConnection) async throws -> [String] {
        guard !label.isEmpty else { return workers }
        let bytes = try await connection.document(.workers, timeout: GlobalOptions.answerTimeout)
        let listed = try DocumentReader.exact(WorkersDocument.self, from: bytes).workers
        let chosen = listed.filter { worker in
            !worker.absent && worker.state != .left && worker.keeper != true
                && label.allSatisfy { $0.holds(for: worker.labels) }
        }.map(\.worker)
        guard !chosen.isEmpty else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "No worker has labels that meet \(label.map(\.description).joined(separator: " and ")).",
                advice: "\"baton workers\" lists the workers with their labels."
            )
        }
        return workers + chosen.filter { !workers.contains($0) }
    }

    /// Some names for sentences: `worker w1`, `workers w1 and w2`.
    static func subject(_ workers: [String]) -> String {
        let names = workers.map(\.asShown)
        guard let last = names.last, names.count > 1 else { return "worker \(names.first ?? "")" }
        return "workers \(names.dropLast().joined(separator: ", ")) and \(last)"
    }
}
