@_spi(Baton) public import BatonOperations

/// All facts about one operation: `show OPERATION`, and each element of `show JOB`.
@_spi(Baton) public struct OperationDocument: Document {
    /// The operation's address by index.
    public var operation: OperationID
    /// The operation's name; nil for an operation without a name.
    public var name: String?
    /// The operation's queue.
    public var queue: String
    /// The operation's state.
    public var state: OperationState
    /// The operation's outcome; nil until the operation is finished.
    public var outcome: Outcome?
    /// Whether a cancellation was requested.
    public var cancelled: Bool
    /// The reason for an unsuccessful end, or for a success without a run, as a word; nil without either.
    public var reason: Reason.Code?
    /// The exit status of the last attempt, if the process exited.
    public var exitStatus: Int32?
    /// The signal that ended the last attempt, if any.
    public var signal: Int32?
    /// The operation's priority, as a number in JSON.
    public var priority: Priority
    /// The operation's own class; nil stands for the queue's class.
    public var qos: QualityOfService?
    /// The number of the last attempt, which may be running; numbers of attempts that never ran may be skipped (D3).
    public var attempt: UInt32
    /// The worker of the last attempt.
    public var worker: String?
    /// The dependencies, including finished prerequisites (DE10).
    public var dependencies: [DependencyDocument]
    /// The finished part of the operation, from 0 to 1: the reported fraction during execution, 1 after success.
    public var progress: Double
    /// The time of the job's submission.
    public var submittedAt: Timestamp
    /// The time of the last change to the state ready.
    public var readyAt: Timestamp?
    /// The start of the last attempt.
    public var startedAt: Timestamp?
    /// The end of the operation.
    public var finishedAt: Timestamp?
    /// The reason as a sentence; before the start of an operation, the sentence that its worker fetches files.
    public var message: String?
    /// The failed or cancelled operation that caused the skip; nil if the operation was not needed, or was not skipped (DE24).
    public var skippedBecauseOf: OperationID?
    /// The operation of an earlier job whose result this one took, so that it did not run; absent for others.
    @IfPresent public var reusedFrom: OperationID?
    /// The item of an array's element; nil for other operations.
    @Content public var item: String?
    /// The number of attempts lost with a worker.
    public var losses: UInt32
    /// Whether the operation left a result.
    public var hasResult: Bool
    /// The files that the operation left and workers keep (``FilesDocument`` lists them); absent if there are none.
    @IfPresent public var files: FileTotals?
    /// The operation's command; nil for an operation without commands or with several commands.
    @Content public var command: [String]?
    /// The operation's commands, if the operation has several; otherwise nil.
    @Content public var commands: [[String]]?
    /// The type of a Swift operation; nil for other operations.
    public var type: String?
    /// The argument of a Swift operation as text, usually JSON; nil if the argument is not text.
    @Content public var argument: String?
    /// The operation's progress message; nil without a message.
    @Content public var progressMessage: String?
    /// The signal that keeps the executing operation's process stopped, and since when; absent if none does.
    @IfPresent public var stop: StopDocument?
    /// Who paused the executing operation, and since when; absent if it is not paused.
    @IfPresent public var paused: PauseDocument?
    /// Whether the operation waits for a release.
    public var held: Bool
    /// Whether the operation is a barrier: the operation runs alone in its queue, between operations added before and after.
    public var barrier: Bool
    /// The command to run after the end of the operation; nil for none.
    @Content public var onFinish: [String]?
    /// The run of that command; nil before the end of the operation, without a command, and for runs that ended under Baton 0.1.0.
    public var hook: HookDocument?
    /// Whether the operation runs again after the loss of an attempt with its worker.
    public var restart: RestartPolicy
    /// The number of an array's element (`BATON_INDEX`); nil for other operations.
    public var index: Int64?
    /// All options as submitted, set or not.
    public var settings: SettingsDocument
    /// The attempts that ended before the operation, oldest first, at most the last 20; nil in the documents of jobs and arrays.
    public var attempts: [AttemptDocument]?
    /// The attempts whose output was lost with their workers; absent if there is none, and in the documents of jobs and arrays.
    ///
    /// An attempt whose worker reported no start, and after which another one came, is none of them: it has not printed anything,
    /// as far as anybody knows.
    @IfPresent public var lostOutputs: [UInt32]?
    /// The processor time of the last attempt's processes in seconds; nil if not known, and in the documents of jobs and arrays.
    public var cpuSeconds: Double?
    /// The most resident memory of a single process of the last attempt in bytes, at least that of the worker, in whose memory
    /// processes begin; nil if not known, and in the documents of jobs and arrays.
    public var peakMemory: Int64?
    /// The memory in bytes that the last attempt might use, and between attempts the one that the next may; absent unless the memory
    /// is a range, and in the documents of jobs and arrays.
    @IfPresent public var memory: Int64?
    /// The time limit of the last attempt, such as 2h, and between attempts that of the next; absent unless the timeout is a range,
    /// and in the documents of jobs and arrays.
    @IfPresent public var timeout: String?
    /// The commands as they run, with the item of an array's element in their places; absent if they have no places, and in the
    /// documents of jobs and arrays.
    @IfPresent public var filledCommands: [[String]]?

    /// Describes an operation from its record and its submission.
    ///
    /// - Parameters:
    ///   - record: the stored record; the id is the operation's own, even if the record stands for several operations.
    ///   - entry: the operation's entry in the submission.
    ///   - queue: the name of the queue.
    ///   - template: the settings shared with similar operations.
    ///   - item: the item of an array's element.
    ///   - index: the number of an array's element.
    ///   - dependencies: the dependencies.
    ///   - submittedAt: the time of the job's submission.
    ///   - reported: the progress reported during execution.
    ///   - stop: the signal that keeps the process stopped.
    ///   - paused: the pause of the executing operation.
    ///   - attempts: the attempts that ended before the operation, oldest first; nil if the document does not list them.
    ///   - lostOutputs: the attempts whose output was lost.
    ///   - usages: what attempts used, by their numbers.
    ///   - files: the files that the operation left, in sums; nil for none.
    ///   - hook: the run of the completion hook.
    public init(
        record: OperationRecord,
        entry: Entry,
        queue: String,
        template: Template,
        item: String?,
        index: Int64? = nil,
        dependencies: [DependencyDocument],
        submittedAt: Timestamp,
        progress reported: OperationProgress? = nil,
        stop: StopDocument? = nil,
        paused: PauseDocument? = nil,
        attempts: [AttemptRecord]? = nil,
        lostOutputs: [UInt32] = [],
        usages: [UInt32: AttemptUsage] = [:],
        files: FileTotals? = nil,
        hook: HookDocument? = nil
    ) {
        operation = record.id
        if !lostOutputs.isEmpty { self.lostOutputs = lostOutputs }
        name = entry.name
        self.queue = queue
        state = record.state
        outcome = record.outcome
        cancelled = record.isCancelled
        reason = record.reason?.code
        exitStatus = record.exitStatus
        signal = record.signal
        priority = record.priorityChange?.priority ?? entry.priority
        qos = template.qualityOfService
        attempt = record.attempt
        worker = record.worker
        self.dependencies = dependencies
        let reported = record.state == .executing ? reported : nil
        progress = record.outcome == .succeeded ? 1 : reported?.fraction ?? 0
        self.submittedAt = submittedAt
        readyAt = record.readyAt
        startedAt = record.startedAt
        finishedAt = record.finishedAt
        message = record.reason?.message
        skippedBecauseOf = record.skippedFor?.root
        reusedFrom = record.reason?.reusedFrom
        self.item = item
        losses = record.losses
        hasResult = record.hasResult
        self.files = files
        switch template.work.kind {
        case .noOperation: break
        case .commands(let all):
            command = all.count == 1 ? all[0] : nil
            commands = all.count == 1 ? nil : all
        case .typed(let type, let argument):
            self.type = type
            self.argument = String(validating: argument, as: UTF8.self)
        }
        progressMessage = reported?.message
        self.stop = record.state == .executing ? stop : nil
        self.paused = record.state == .executing ? paused : nil
        held = record.isHeld
        barrier = entry.isBarrier
        onFinish = template.onFinish
        self.hook = hook
        restart = template.restart
        self.index = index
        settings = SettingsDocument(template: template, entry: entry)
        self.attempts = attempts?.map { AttemptDocument($0, usage: usages[$0.attempt], template: template) }
        cpuSeconds = usages[record.attempt]?.cpuSeconds
        peakMemory = usages[record.attempt]?.peakMemory
        if attempts != nil, let item, case .commands(let all) = template.work.kind {
            let places = Placeholders(columns: template.work.columns)
            let filled = all.map { places.filling($0, with: item) }
            if filled != all { filledCommands = filled }
        }
        guard let attempts, template.hasRanges else { return }
        // An operation that was cancelled between two attempts had what the last one had.
        let ended = record.state == .finished ? attempts.last { $0.attempt == record.attempt } : nil
        let limits = ended?.limits ?? template.limits(after: attempts.last)
        if let memory = template.memory(of: limits) { self.memory = memory }
        if let timeout = template.timeout(of: limits) { self.timeout = timeout.text }
    }
}
