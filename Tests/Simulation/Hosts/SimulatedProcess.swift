import BatonOperations

/// What runs as an attempt of an operation, or as its completion hook.
final class SimulatedProcess {
    let token: AttemptToken
    let operation: OperationID
    let attempt: UInt32
    let queue: String
    /// The outcome that a completion hook is told; nil for an attempt.
    let hookOutcome: Outcome?
    /// The worker, and which of its lives.
    let worker: Int
    let life: Int
    let startedAt: Timestamp
    /// The words of its command.
    let command: [String]
    /// When it ended; nil while it runs.
    var endedAt: Timestamp?
    /// How it ended; nil while it runs, and where it was killed with its worker.
    var end: AttemptEnd?
    /// It was asked to end.
    var isEnding = false
    /// Something has happened to its worker while it ran, or before its end was acknowledged, for which its operation may run
    /// again: it was killed, told to leave, or for long not in contact.
    var isExcused = false
    /// Whether the record says that its worker has it, or had: as of the last end of a coordinator, or of its start after that.
    var isRecorded = false

    init(_ item: Item, worker: Int, life: Int, at now: Timestamp) {
        token = item.token
        operation = item.operation
        attempt = item.attempt
        queue = item.queue
        hookOutcome = item.hookOutcome
        command = item.command
        self.worker = worker
        self.life = life
        startedAt = now
    }

    /// What is to run.
    struct Item {
        var token: AttemptToken
        var operation: OperationID
        var attempt: UInt32
        var queue: String
        var hookOutcome: Outcome?
        /// What the operation is to do: its command's words.
        var command: [String]
    }
}
