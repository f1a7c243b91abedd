/// What a graph file may say of an operation, by the key that says it.
enum OperationKey: String, GraphFileKey {
    static let table = KeyTable<OperationKey>()

    case name, command, commands, kind, type, argument, array, eachLine
    case after, needs, onFailure
    case queue, priority, qos, retries, retryDelay, timeout, grace, delay, env, cwd, stdin
    case hold, barrier, onFinish, restart, cancelled

    /// Whether `defaults` may say it for all operations: what tells operations apart is their own.
    var mayBeDefault: Bool {
        switch self {
        case .name, .command, .commands, .kind, .type, .argument, .array, .eachLine: false
        case .after, .needs, .onFailure, .cancelled: false
        case .queue, .priority, .qos, .retries, .retryDelay, .timeout, .grace, .delay, .env, .cwd, .stdin: true
        case .hold, .barrier, .onFinish, .restart: true
        }
    }
}

/// What a graph file may say of the job as a whole, by the key that says it.
enum GraphKey: String, GraphFileKey {
    static let table = KeyTable<GraphKey>()

    case name, queue, key, queues, defaults, operations
}

/// What a graph file may say of a queue, by the key that says it.
enum QueueKey: String, GraphFileKey {
    static let table = KeyTable<QueueKey>()

    case maxConcurrent, qos, total
}
