@_spi(Baton) import BatonOperations

/// A running attempt of an operation, or a running completion hook.
final class SimulatedProcess {
    let token: AttemptToken
    let operation: OperationID
    let attempt: UInt32
    let queue: String
    /// The outcome given to a completion hook; nil for an attempt.
    let hookOutcome: Outcome?
    /// The index and the life of the worker.
    let worker: Int
    let life: Int
    let startedAt: Timestamp
    /// The words of its command.
    let command: [String]
    /// The time limit that it was given.
    let timeout: Duration?
    /// The patterns of the files that it leaves.
    let outputs: [String]
    /// The files that it has left, once its worker keeps them.
    var files: [KeptFile] = []
    /// Whether it only makes files of a finished operation once more.
    var isMadeAgain = false
    /// When its worker kept the files that it left.
    var leftAt: Timestamp?
    /// When the end of an attempt that left files was acknowledged.
    var acknowledgedAt: Timestamp?
    /// The time of the end; nil while the process runs.
    var endedAt: Timestamp?
    /// The kind of the end; nil while the process runs, or after a kill with its worker.
    var end: AttemptEnd?
    /// Whether the process was asked to end.
    var isEnding = false
    /// Whether the process is stopped until somebody continues or ends it.
    var isPaused = false
    /// The end that a stopped process has once it goes on; nil if it has not come so far.
    var endWhenContinued: AttemptEnd?
    /// Whether the operation may run again because of its worker.
    ///
    /// During the run, or before the acknowledgement of the end, the worker was killed, told to leave, or out of
    /// contact for long.
    var isExcused = false
    /// Whether the record has the dispatch to the worker, as of the last end of a coordinator, or of its start after
    /// the end.
    var isRecorded = false

    init(_ item: Item, worker: Int, life: Int, at now: Timestamp) {
        token = item.token
        operation = item.operation
        attempt = item.attempt
        queue = item.queue
        hookOutcome = item.hookOutcome
        command = item.command
        timeout = item.timeout
        outputs = item.outputs
        self.worker = worker
        self.life = life
        startedAt = now
    }

    /// What the worker reports of an end: some attempts print something or leave a result, and some were measured.
    func result(of end: AttemptEnd) -> AttemptResult {
        var result = AttemptResult(end: end)
        guard hookOutcome == nil, case .exited(let status) = end else { return result }
        let text = Array("\(operation) in attempt \(attempt)".utf8)
        let tail = OutputTail(totalLength: UInt64(text.count), bytes: text)
        if status != 0 { result.standardError = tail }
        if status == 0 { result.files = files }
        switch (operation.index + attempt) % 4 {
        case 1: result.standardOutput = tail
        case 2: if status == 0 { result.result = text }
        case 3: result.usage = AttemptUsage(processorMicroseconds: Int64(attempt), peakMemory: Int64(text.count))
        default: break
        }
        return result
    }

    /// An attempt or hook to run.
    struct Item {
        var token: AttemptToken
        var operation: OperationID
        var attempt: UInt32
        var queue: String
        var hookOutcome: Outcome?
        /// The words of the operation's command.
        var command: [String]
        /// The time limit of the attempt.
        var timeout: Duration?
        /// The patterns of the files that the attempt leaves.
        var outputs: [String] = []
    }
}
