@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A column of the list of workers.
enum WorkerColumn: CaseIterable {
    case worker, state, slots, executing, cpus, memory, resources, labels, host, process, roundTrip, ends, left, types

    /// The heading.
    var column: TextTable.Column {
        switch self {
        case .worker: .init("WORKER", isFlexible: true)
        case .state: .init("STATE")
        case .slots: .init("SLOTS", alignment: .right)
        case .executing: .init("EXECUTING", alignment: .right)
        case .cpus: .init("CPUS", alignment: .right)
        case .memory: .init("MEMORY", alignment: .right)
        case .resources: .init("RESOURCES", isFlexible: true)
        case .labels: .init("LABELS", isFlexible: true)
        case .host: .init("HOST", isFlexible: true)
        case .process: .init("PROCESS", alignment: .right)
        case .roundTrip: .init("ROUND TRIP", alignment: .right)
        case .ends: .init("ENDS")
        case .left: .init("LEFT")
        case .types: .init("TYPES", isFlexible: true)
        }
    }

    /// Whether the column is shown because of a worker: most clusters run commands that ask for nothing, on hosts nearby.
    func isOfInterest(to worker: WorkersDocument.Worker) -> Bool {
        switch self {
        case .worker, .state, .slots, .executing, .host, .process: true
        case .cpus: worker.cpus.map { $0 > 0 } ?? false
        case .memory: worker.memory.map { $0 > 0 } ?? false
        case .resources: !worker.resources.isEmpty
        case .labels: !worker.labels.isEmpty
        case .roundTrip: worker.roundTripSeconds != nil
        case .ends: worker.endsAt != nil
        case .left: worker.leftAt != nil
        case .types: !worker.types.isEmpty
        }
    }

    /// What the column shows of a worker.
    func cell(of worker: WorkersDocument.Worker) -> TextTable.Cell {
        let isAway = worker.absent || worker.state == .left
        switch self {
        case .worker: return .init(worker.worker.asShown)
        case .state: return .init(Self.words(of: worker), tone: Self.tone(of: worker.state))
        case .slots: return .init(isAway || worker.keeper == true ? "-" : "\(worker.slots)")
        case .executing: return .init(worker.keeper == true ? "-" : "\(worker.executing)")
        case .cpus:
            return .init(
                Self.share(worker.used?.cpus, of: worker.cpus) { Thousandths.text(of: Int(min($0, 1e12) * 1000)) }
            )
        case .memory: return .init(Self.memory(of: worker))
        case .resources:
            let amounts = worker.resources.sorted { $0.key < $1.key }.map { name, amount in
                "\(name)=\(worker.used?.resources[name] ?? 0)/\(amount)"
            }
            return .init(Self.list(amounts))
        case .labels: return .init(Self.list(worker.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }))
        case .host:
            return .init(
                worker.absent
                    ? "not back since the coordinator's restart" : isAway && worker.host.isEmpty ? "-" : worker.host
            )
        case .process: return .init(isAway ? "-" : "\(worker.processID)")
        case .roundTrip: return .init(worker.roundTripSeconds.map(Self.milliseconds) ?? "-")
        case .ends: return .init(worker.endsAt?.localText ?? "-")
        case .left: return .init(worker.leftAt?.localText ?? "-")
        case .types: return .init(worker.types.map(\.asShown).joined(separator: " "))
        }
    }

    /// The used amount and the total, such as `1.5/4`.
    private static func share<Number>(_ used: Number?, of total: Number?, _ text: (Number) -> String) -> String {
        guard let used, let total else { return "-" }
        return "\(text(used))/\(text(total))"
    }

    /// The memory, and whether the worker measures it instead of leaving its limits to the kernel.
    private static func memory(of worker: WorkersDocument.Worker) -> String {
        let share = share(worker.used?.memory, of: worker.memory) { ByteSize.roughText(of: $0) }
        return worker.memoryControl == "sampling" ? share + " sampled" : share
    }

    private static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "-" : texts.map(\.asShown).joined(separator: " ")
    }

    /// The worker's state, whether it is draining if the state does not say so, and whether it only keeps files.
    private static func words(of worker: WorkersDocument.Worker) -> String {
        if worker.keeper == true { return "\(worker.state.rawValue), keeps files" }
        return worker.state.rawValue + (worker.draining && worker.state != .draining ? ", draining" : "")
    }

    /// A round trip for people, in milliseconds.
    private static func milliseconds(_ seconds: Double) -> String {
        Duration.microseconds(Int64(min(max(seconds, 0), 3600) * 1_000_000)).roughText
    }

    private static func tone(of state: WorkersDocument.State) -> Style.Tone {
        switch state {
        case .alive: .good
        case .suspect, .draining, .left: .warning
        case .failing, .lost: .bad
        }
    }
}
