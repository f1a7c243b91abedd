public import BatonOperations

/// What the coordinator sends to a worker.
public enum CoordinatorMessage: Hashable, Sendable {
    /// The answer to a hello: the session counts.
    case welcome(Welcome)
    /// The answer to a hello that is not accepted, in a sentence; the worker gives up.
    case refused(Refusal)
    /// Another process has the worker's place, as a sentence says; the worker ends what it runs, and gives up.
    ///
    /// `isCopy` says that the other one has the same identity: one of the two directories is a copy of the other.
    case superseded(Refusal, isCopy: Bool)
    /// The session is not known (any more): the worker says hello again, with a new one.
    case sayHello
    /// It is still there.
    case heartbeat(number: UInt64)
    /// Attempts to run, each as soon as there is a slot for it.
    case dispatch(DispatchBatch)
    /// These completions are on disk: the worker forgets them.
    case acknowledge([AttemptToken])
    /// These attempts are to end: asked for by somebody (CA4), or no longer valid. One that has not started is returned.
    case cancel([AttemptToken])
    /// These attempts are to be returned, where they have not started; those that have go on.
    case recall([AttemptToken])
    /// Some inputs of an attempt; `isLast` is set with the last piece, which may be empty.
    case inputs(AttemptToken, [Input], isLast: Bool)
    /// A piece of an attempt's output is wanted; the answer carries the same request number.
    case readOutput(request: UInt64, AttemptToken, OperationID, OutputStream, offset: UInt64, limit: UInt32)
}
