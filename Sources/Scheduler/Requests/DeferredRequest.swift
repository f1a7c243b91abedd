@_spi(Baton) import BatonOperations

/// A client's request that waits for workers to report the attempts started so far.
///
/// Either the whole request waits, or only its answer.
struct DeferredRequest {
    /// The step to take once all workers have reported.
    enum Continuation {
        /// Give the answer to a request that is already carried out.
        case answer(Answer)
        /// Carry out the request: the stages of the operations are known now.
        case event(Event)
        /// Let the large change that takes turns go on, and answer at its end.
        case turns
    }

    /// The ID of the request.
    var request: RequestID
    /// The step to take after the wait.
    var continuation: Continuation
    /// The attempts without a report so far, with the names of the workers.
    var awaited: [AttemptToken: String]
    /// The nodes that the request is about, which are not dispatched before the request is carried out.
    ///
    /// Some of these nodes may have gone since.
    var reserved: [SlabReference<OperationNode>] = []
    /// The time at which the wait ends at the latest.
    var deadline: Timestamp
}

extension Refusal {
    /// Refuses a request, without any change, because workers did not report which attempts they have started.
    static func unanswered(by workers: [String]) -> Refusal {
        let names =
            (workers.count == 1 ? "the worker " : "the workers ") + workers.map(\.asShown).joined(separator: ", ")
        return Refusal(
            .unanswered,
            "Nothing was changed, because it is not known what has started: \(names) did not answer. "
                + "Try again."
        )
    }
}
