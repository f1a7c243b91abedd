public import Operations

/// What a client asks of the coordinator.
public enum Request: Hashable, Sendable {
    /// Make a job of this. Answer: `job`.
    case submit(Submission)
    /// Are these finished? Answer: `progress`, as soon as all are, or after the time. A client that waits longer asks
    /// again, so that a wait survives whatever happens to the connection or the coordinator (WA8).
    case wait([Address], queue: String?, atMost: Duration)
    /// End these. Answer: `cancelled`.
    case cancel([Address], queue: String?)
    /// Change a queue's settings; makes the queue where there is none. Answer: `done`.
    case setQueue(QueueChange)
    /// A JSON document. Answer: `document`.
    case document(DocumentRequest)
    /// A piece of an operation's output. Answer: `output`.
    case log(Address, attempt: UInt32?, OutputStream, offset: UInt64, limit: UInt32)
    /// The bytes that an operation left as its result. Answer: `result`.
    case result(Address)
}

/// A question that is answered with a JSON document of DESIGN's form.
public enum DocumentRequest: Hashable, Sendable {
    /// One job with a page of its operations, from an index.
    case job(JobNumber, from: UInt32, limit: UInt32)
    /// One operation.
    case operation(Address)
    /// Why an operation does not run.
    case explain(Address)
    /// A page of jobs, newest first, with numbers below `before` (nil: from the newest).
    case jobs(before: JobNumber?, limit: UInt32)
    /// One queue.
    case queue(String)
    /// All queues.
    case queues
    /// All workers.
    case workers
    /// The cluster at one glance.
    case status
}

/// How far what a client waits for has come.
public struct WaitProgress: Hashable, Sendable {
    /// The counts of all that was named.
    public var counts: JobCounts
    /// Whether all of it is finished.
    public var isFinished: Bool

    /// Describes how far it has come.
    public init(counts: JobCounts, isFinished: Bool) {
        self.counts = counts
        self.isFinished = isFinished
    }
}

/// What the coordinator answers to a request.
public enum Reply: Hashable, Sendable {
    /// The submission is on disk as this job; `isNew` is false where its key was known already.
    case job(JobNumber, operations: UInt32, isNew: Bool)
    /// How far it has come.
    case progress(WaitProgress)
    /// How many operations the cancellation met unfinished; 0 says that it had no effect.
    case cancelled(UInt32)
    /// It is done, and on disk.
    case done
    /// A JSON document in UTF-8.
    case document([UInt8])
    /// A piece of output.
    case output(OutputChunk)
    /// The bytes of a result; nil where the operation left none.
    case result([UInt8]?)
    /// It was not done; the sentence says why.
    case refused(Refusal)
}

/// What a client sends to the coordinator.
public enum ClientMessage: Hashable, Sendable {
    /// It is there, and speaks these versions; requests may follow without waiting for the answer.
    case hello(ProtocolRange, version: String)
    /// A request; the answer carries the same number.
    case request(UInt64, Request)
}

/// What the coordinator sends to a client.
public enum ClientReply: Hashable, Sendable {
    /// The answer to a hello: the version to speak, and the coordinator's build and epoch.
    case welcome(protocolVersion: UInt16, version: String, epoch: UInt32)
    /// The answer to a hello that is not accepted.
    case refused(Refusal)
    /// The answer to the request with the same number.
    case reply(UInt64, Reply)
}
