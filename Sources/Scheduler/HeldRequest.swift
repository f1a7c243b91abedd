import BatonOperations

/// A client's request whose answer, or whose carrying out, waits for workers to say what they have started.
struct HeldRequest {
    /// What is done once all have said so.
    enum Continuation {
        /// The answer is given: all is done.
        case answer(Answer)
        /// The request is carried out: only now it is known what it meets.
        case event(Event)
    }

    /// Who asked.
    var request: RequestID
    /// What follows.
    var continuation: Continuation
    /// The attempts that nothing is known of yet, with the names of their workers.
    var awaited: [AttemptToken: String]
    /// The nodes that the request is about, which are not sent before it is carried out; some may have gone since.
    var reserved: [Slab<OperationNode>.Reference] = []
    /// When it is gone on with at the latest.
    var deadline: Timestamp
}

extension Refusal {
    /// Nothing of a request could be done, because workers did not say what they have started.
    static func unanswered(by workers: [String]) -> Refusal {
        let names =
            (workers.count == 1 ? "the worker " : "the workers ") + workers.map(\.asShown).joined(separator: ", ")
        return Refusal(
            .unanswered,
            "Nothing was changed, because it is not known what has started: \(names) did not answer. "
                + "See \"baton workers\", and try again."
        )
    }
}
