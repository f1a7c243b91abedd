@_spi(Baton) import BatonOperations

/// The keys of an operation in a graph file: the keys of this file, and the options of ``OperationOption/all`` but the ends of ranges.
enum OperationKey: GraphFileKey, Hashable {
    /// The keys that are no options.
    enum Fixed: String, CaseIterable, Sendable {
        case name, command, commands, kind, type, argument, array, each, eachLine, eachRow
        case after, needs, onFailure, all
        case queue, cancelled
        case begin
        case shell
    }

    /// The keys of dependencies, each with the condition that it stands for; with `all`, the last one stands for its own.
    static let conditions: [(condition: DependencyCondition, key: Fixed)] = [
        (.any, .after), (.success, .needs), (.failure, .onFailure), (.failureOfAll, .onFailure),
    ]

    case fixed(Fixed)
    /// An option, as a position in the table of options.
    case option(Int)

    static let allCases =
        Fixed.allCases.map(Self.fixed)
        + OperationOption.all.indices.filter { !OperationOption.all[$0].isRangeEnd }.map(Self.option)
    static let table = KeyTable<OperationKey>()

    init?(rawValue: String) {
        guard let key = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = key
    }

    var rawValue: String {
        switch self {
        case .fixed(let key): key.rawValue
        case .option(let position): OperationOption.all[position].key
        }
    }

    /// Whether the key is allowed in `defaults`; keys that distinguish operations are not allowed.
    var mayBeDefault: Bool {
        switch self {
        case .fixed(let key): key == .queue || key == .begin || key == .shell
        case .option: true
        }
    }
}

/// The keys of the whole job in a graph file.
enum GraphKey: String, GraphFileKey {
    static let table = KeyTable<GraphKey>()

    case name, queue, key, tags, maxFailures, cancelRunning, deadline, keepFiles, filesLimit, send, hooks, queues,
        defaults,
        operations
}

/// The keys of the hooks of a job in a graph file.
enum HookKey: String, GraphFileKey {
    static let table = KeyTable<HookKey>()

    case finish, success, failure, cwd, timeout, env
}

/// The keys of a queue in a graph file.
enum QueueKey: String, GraphFileKey {
    static let table = KeyTable<QueueKey>()

    case maxConcurrent, qos, total, rate
}
