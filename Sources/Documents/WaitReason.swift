public import BatonOperations

/// One thing that keeps an operation from running.
///
/// Each has its kind and a sentence that says what would change it; of the other keys, a kind has those that it needs.
public struct WaitReason: Document {
    /// What kind of thing it is; the words are those of the JSON.
    public enum Kind: String, Decodable, Sendable, CaseIterable {
        /// Another operation or job has to end first.
        case dependency
        /// Somebody holds it.
        case hold
        /// A time has to come.
        case delay
        /// Its queue is suspended.
        case suspended
        /// Its queue runs as many as it may.
        case limit
        /// A barrier of its queue comes first; or it is one, and others come first.
        case barrier
        /// All slots of all workers are taken, or those of the worker that it was sent to.
        case slots
        /// No worker has enough of what it asks for.
        case resources
        /// No worker has the labels that it asks for.
        case labels
        /// No worker that could take it can start anything, through a fault of its own.
        case failing
        /// No worker is there, or none that runs its type.
        case noWorker
        /// Others of its queue come first.
        case order
    }

    /// What kind of thing it is.
    public var kind: Kind
    /// What has to end first, a dependency or a barrier: an operation's address, or a job's number.
    public var operation: String?
    /// How it has to end.
    public var condition: DependencyCondition?
    /// How many operations that stands for are where in their lives.
    public var counts: JobCounts?
    /// What keeps that from running in its turn; set for a dependency, empty where it is executing.
    public var waitsFor: [WaitReason]?
    /// The time that has to come.
    public var until: Timestamp?
    /// The queue that it is about.
    public var queue: String?
    /// How many operations of the queue may execute at once.
    public var limit: Int?
    /// How many of them are executing.
    public var executing: Int?
    /// How many slots there are, all of them taken.
    public var slots: Int?
    /// The worker that it was sent to.
    public var worker: String?
    /// How many operations come first.
    public var ahead: Int?
    /// The first of the operations that a barrier waits for.
    public var operations: [String]?
    /// How many other dependencies it stands for, which are not listed.
    public var more: Int?
    /// What it is and what would change it, in a sentence.
    public var message: String

    /// Describes one thing that keeps an operation from running; ``dependency(on:condition:counts:waitsFor:)`` and its like fill in
    /// the rest.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Writes the reason: its kind, the keys of that kind, and the sentence.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", kind.rawValue)
        if let operation { writer.member("operation", operation) }
        if let condition { writer.member("condition", description: condition) }
        if let counts { writer.member("counts", counts) }
        if let until { writer.member("until", description: until) }
        if let queue { writer.member("queue", queue) }
        if let limit { writer.member("limit", limit) }
        if let executing { writer.member("executing", executing) }
        if let slots { writer.member("slots", slots) }
        if let worker { writer.member("worker", worker) }
        if let ahead { writer.member("ahead", ahead) }
        if let operations {
            writer.member("operations", array: operations) { operation, writer in writer.value(operation) }
        }
        if let more { writer.member("more", more) }
        if let waitsFor {
            writer.member("waitsFor", array: waitsFor) { reason, writer in reason.write(to: &writer) }
        }
        writer.member("message", message)
        writer.endObject()
    }
}
