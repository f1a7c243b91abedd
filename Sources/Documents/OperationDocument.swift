public import BatonOperations

/// Everything about one operation: `show OPERATION`, and each element of `show JOB`.
public struct OperationDocument: Document {
    /// Its address by index.
    public var operation: OperationID
    /// Its name; nil where it has none.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// Where it is in its life.
    public var state: OperationState
    /// How it ended; nil until it is finished.
    public var outcome: Outcome?
    /// Whether its cancellation was asked for.
    public var cancelled: Bool
    /// Why it did not succeed, as a word; nil where nothing went wrong.
    public var reason: Reason.Code?
    /// The exit status of its last attempt, where that exited.
    public var exitStatus: Int32?
    /// The signal that ended its last attempt, where one did.
    public var signal: Int32?
    /// Its level, in JSON the number of it.
    public var priority: Priority
    /// Its own class; nil takes the queue's.
    public var qos: QualityOfService?
    /// How many attempts were made, the running one included.
    public var attempt: UInt32
    /// The worker of the last attempt.
    public var worker: String?
    /// What it depends on, finished ones included (DE10).
    public var dependencies: [DependencyDocument]
    /// How much of it is done, from 0 to 1: what it reports while it is executing, 1 once it has succeeded.
    public var progress: Double
    /// When its job was submitted.
    public var submittedAt: Timestamp
    /// When it last became ready.
    public var readyAt: Timestamp?
    /// When its last attempt started.
    public var startedAt: Timestamp?
    /// When it was finished.
    public var finishedAt: Timestamp?
    /// The reason as a sentence.
    public var message: String?
    /// The operation whose failure or cancellation a skipped one was skipped for; nil where it was not needed, or was not
    /// skipped (DE24).
    public var skippedBecauseOf: OperationID?
    /// The item of an array's element; nil where it is none.
    public var item: String?
    /// How many attempts were lost with their worker.
    public var losses: UInt32
    /// Whether it left a result.
    public var hasResult: Bool
    /// Its command; nil where it has none or several.
    public var command: [String]?
    /// Its commands where it has several; else nil.
    public var commands: [[String]]?
    /// The type of a Swift operation; nil for what is none.
    public var type: String?
    /// What a Swift operation is called with, usually JSON, as a text; nil where it is no text.
    public var argument: String?
    /// What it says it is at; nil where it said nothing.
    public var progressMessage: String?
    /// Whether it may not start before it is released.
    public var held: Bool
    /// Whether it runs alone in its queue, between what was added before and what was added after.
    public var barrier: Bool
    /// The command that is run once it is finished; nil for none.
    public var onFinish: [String]?
    /// Whether it runs again where an attempt is lost with its worker.
    public var restart: RestartPolicy

    /// Describes an operation out of its record and of what its submission says of it.
    ///
    /// - Parameters:
    ///   - record: what has become of it; its id is the operation's own, also where the record stands for several.
    ///   - entry: what its submission says of it.
    ///   - queue: the name of its queue.
    ///   - template: what it shares with alike operations.
    ///   - item: the item of an array's element.
    ///   - dependencies: what it depends on.
    ///   - submittedAt: when its job was submitted.
    ///   - reported: what it says of its progress while it is executing.
    public init(
        record: OperationRecord,
        entry: Entry,
        queue: String,
        template: Template,
        item: String?,
        dependencies: [DependencyDocument],
        submittedAt: Timestamp,
        progress reported: OperationProgress? = nil
    ) {
        operation = record.id
        name = entry.name
        self.queue = queue
        state = record.state
        outcome = record.outcome
        cancelled = record.isCancelled
        reason = record.reason?.code
        exitStatus = record.exitStatus
        signal = record.signal
        priority = record.level?.priority ?? entry.priority
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
        self.item = item
        losses = record.losses
        hasResult = record.hasResult
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
        held = record.isHeld
        barrier = entry.isBarrier
        onFinish = template.onFinish
        restart = template.restart
    }

    /// Writes the operation.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operation", description: operation)
        writer.member("name", name)
        writer.member("queue", queue)
        writer.member("state", description: state)
        writer.member("outcome", description: outcome)
        writer.member("cancelled", cancelled)
        writer.member("reason", reason?.rawValue)
        writer.member("exitStatus", exitStatus)
        writer.member("signal", signal)
        writer.member("priority", priority.rawValue)
        writer.member("qos", description: qos)
        writer.member("attempt", attempt)
        writer.member("worker", worker)
        writer.member("dependencies", array: dependencies) { dependency, writer in dependency.write(to: &writer) }
        writer.member("progress", progress)
        writer.member("submittedAt", description: submittedAt)
        writer.member("readyAt", description: readyAt)
        writer.member("startedAt", description: startedAt)
        writer.member("finishedAt", description: finishedAt)
        writer.member("message", message)
        writer.member("skippedBecauseOf", description: skippedBecauseOf)
        writer.member("item", item)
        writer.member("losses", losses)
        writer.member("hasResult", hasResult)
        writer.member("command", strings: command)
        if let commands {
            writer.member("commands", array: commands) { command, writer in
                writer.beginArray()
                for argument in command { writer.value(argument) }
                writer.endArray()
            }
        } else {
            writer.member("commands", nil as String?)
        }
        writer.member("type", type)
        writer.member("argument", argument)
        writer.member("progressMessage", progressMessage)
        writer.member("held", held)
        writer.member("barrier", barrier)
        writer.member("onFinish", strings: onFinish)
        writer.member("restart", description: restart)
        writer.endObject()
    }
}
