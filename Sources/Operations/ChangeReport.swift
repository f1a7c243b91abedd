/// What became of a request to change operations or a queue.
public struct ChangeReport: Hashable, Sendable {
    /// How many operations, or queues, it changed; 0 says that it had no effect.
    public var changed: Int
    /// Sentences about what it did not change, and why; some of them where there are many.
    public var notes: [String]
    /// The workers that did not say in time whether they have started what they were sent: of that, something may yet
    /// start (SU8).
    public var unanswered: [String]

    /// Describes what became of a request.
    public init(changed: Int, notes: [String] = [], unanswered: [String] = []) {
        self.changed = changed
        self.notes = notes
        self.unanswered = unanswered
    }
}
