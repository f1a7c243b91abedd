/// The jobs or operations that a list shows: those that meet all conditions.
@_spi(Baton) public struct ListFilter: Hashable, Sendable {
    /// The wanted states.
    ///
    /// With ``outcomes``, one of either is enough. Without both, every state is wanted.
    public var states: [OperationState]
    /// The wanted outcomes.
    public var outcomes: [Outcome]
    /// A pattern for the name; nil for any name or none.
    public var name: NameGlob?
    /// The queue; nil for any.
    public var queue: String?
    /// The worker of the last attempt, which jobs do not have; nil for any or none.
    public var worker: String?
    /// A moment at or after which the job was submitted or finished, or the operation started or finished; nil for any.
    public var since: Timestamp?
    /// The wanted tags, all of them, which operations do not have: values by key.
    ///
    /// The record finds jobs by their tags; ``admits(_:_:name:queue:worker:moments:)`` does not look at tags.
    public var tags: [String: String]

    /// Describes conditions; without any, all is shown.
    public init(
        states: [OperationState] = [],
        outcomes: [Outcome] = [],
        name: NameGlob? = nil,
        queue: String? = nil,
        worker: String? = nil,
        since: Timestamp? = nil,
        tags: [String: String] = [:]
    ) {
        self.states = states
        self.outcomes = outcomes
        self.name = name
        self.queue = queue
        self.worker = worker
        self.since = since
        self.tags = tags
    }

    /// Whether there is no condition.
    public var isEmpty: Bool { self == ListFilter() }

    /// Whether failed operations alone meet the conditions.
    public var isForFailures: Bool { states.isEmpty && !outcomes.isEmpty && outcomes.allSatisfy { $0 == .failed } }

    /// Whether finished jobs or operations may meet the conditions.
    public var admitsFinished: Bool { states.isEmpty || states.contains(.finished) || !outcomes.isEmpty }

    /// Whether a job or an operation meets the conditions, apart from tags.
    ///
    /// - Parameter moments: the submission and the end of a job, or the start and the end of an operation.
    public func admits(
        _ state: OperationState,
        _ outcome: Outcome?,
        name: String?,
        queue: String?,
        worker: String?,
        moments: [Timestamp?]
    ) -> Bool {
        if !states.isEmpty || !outcomes.isEmpty {
            guard states.contains(state) || outcome.map(outcomes.contains) == true else { return false }
        }
        if let wanted = self.name { guard let name, wanted.matches(name) else { return false } }
        if let wanted = self.queue, wanted != queue { return false }
        if let wanted = self.worker, wanted != worker { return false }
        guard let since else { return true }
        return moments.contains { $0.map { $0 >= since } ?? false }
    }
}
