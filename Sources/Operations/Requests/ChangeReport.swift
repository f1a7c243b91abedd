/// The effect of a request to change operations or a queue.
@_spi(Baton) public struct ChangeReport: Hashable, Sendable {
    /// How many operations or queues the request changed; 0 means no effect.
    public var changed: Int
    /// Sentences about the parts without effect and the reasons; only some of them if there are many.
    ///
    /// A client adds one to the report of a request that it sent twice.
    public var notes: [String]
    /// The workers without a timely report on the attempts sent to them: some of these attempts may yet start (SU8).
    public var unanswered: [String]

    /// Describes the effect of a request.
    public init(changed: Int, notes: [String] = [], unanswered: [String] = []) {
        self.changed = changed
        self.notes = notes
        self.unanswered = unanswered
    }
}
