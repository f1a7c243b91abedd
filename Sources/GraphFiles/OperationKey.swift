/// The keys of an operation in a graph file.
enum OperationKey: String, GraphFileKey {
    static let table = KeyTable<OperationKey>()

    case name, command, commands, kind, type, argument, array, eachLine
    case after, needs, onFailure
    case queue, priority, qos, retries, retryDelay, timeout, grace, delay, env, cwd, stdin
    case hold, barrier, onFinish, restart, cancelled

    /// Whether the key is allowed in `defaults`; keys that distinguish operations are not allowed.
    var mayBeDefault: Bool {
        switch self {
        case .name, .command, .commands, .kind, .type, .argument, .array, .eachLine: false
        case .after, .needs, .onFailure, .cancelled: false
        case .queue, .priority, .qos, .retries, .retryDelay, .timeout, .grace, .delay, .env, .cwd, .stdin: true
        case .hold, .barrier, .onFinish, .restart: true
        }
    }
}

/// The keys of the whole job in a graph file.
enum GraphKey: String, GraphFileKey {
    static let table = KeyTable<GraphKey>()

    case name, queue, key, queues, defaults, operations
}

/// The keys of a queue in a graph file.
enum QueueKey: String, GraphFileKey {
    static let table = KeyTable<QueueKey>()

    case maxConcurrent, qos, total
}
