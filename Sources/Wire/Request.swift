public import BatonOperations

/// What a client asks of the coordinator.
public enum Request: Hashable, Sendable {
    /// Make a job of this. Answer: `job`.
    case submit(Submission)
    /// Are these finished? Answer: `progress`, as soon as all are, or after the time. A client that waits longer asks
    /// again, so that a wait survives whatever happens to the connection or the coordinator (WA8). One by a running operation
    /// that could never end is refused (WA3). What has ended in the queue since a moment counts with what is in it: the first
    /// question gives nil for now, later ones what the first answer says of it.
    case wait([Address], queue: String?, atMost: Duration, waiter: OperationID?, since: RecordMoment? = nil)
    /// End these. Answer: `changed`.
    case cancel([Address], queue: String?)
    /// Do not start these before they are released. Answer: `changed`.
    case hold([Address])
    /// Let these start. Answer: `changed`.
    case release([Address])
    /// Put these at the tail of another level. Answer: `changed`.
    case setPriority([Address], Priority)
    /// Make an operation depend on others, on all of them or none. Answer: `changed`.
    case depend(Address, [ExistingDependency])
    /// Remove dependencies of an operation. Answer: `changed`.
    case undepend(Address, [Address])
    /// Add a program, with its arguments, to an operation that has not started; asked twice, it is added twice (BL2).
    /// Answer: `changed`.
    case addCommand(Address, [String])
    /// Submit again what failed in a job, or of that the named operations alone; what was cancelled too, where that is said,
    /// and what depends on them (D11). Answer: `job`.
    case retry(JobNumber, operations: [Address] = [], cancelled: Bool = false, dependents: Bool = true, key: String)
    /// An operation that runs says how much of it is done; the attempt is the one that says so. Answer: `changed`.
    case reportProgress(OperationID, attempt: UInt32, OperationProgress)
    /// Change a queue's settings; makes the queue where there is none. Answer: `changed`.
    case setQueue(QueueChange)
    /// What has happened after an event's number (nil: from now on). Answer: `events`, as soon as there are any, or after the
    /// time. A client that begins with nil asks so with a time of zero, and goes on from the number that it is told: asked
    /// again after a loss, nil would mean a later moment (OB10).
    case watch(since: UInt64?, limit: UInt32, atMost: Duration)
    /// A JSON document. Answer: `document`.
    case document(DocumentRequest)
    /// A piece of an operation's output. Answer: `output`.
    case log(Address, attempt: UInt32?, OutputStream, offset: UInt64, limit: UInt32)
    /// The bytes that an operation left as its result. Answer: `result`.
    case result(Address)
}
