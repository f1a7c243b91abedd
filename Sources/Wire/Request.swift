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
