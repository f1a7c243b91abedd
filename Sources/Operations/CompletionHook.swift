/// The run of an operation's completion hook: what is to be done once the operation is finished, whatever its outcome.
public struct CompletionHook: Hashable, Sendable {
    /// The operation that is finished.
    public var operation: OperationID
    /// How many attempts it had.
    public var attempt: UInt32
    /// How it ended (`BATON_OUTCOME`).
    public var outcome: Outcome
    /// The worker of its last attempt, which is the first choice; nil where it never ran.
    public var worker: String?
    /// The operation's name, where it has one.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// What to run; see ``Work/completionHook(_:)``.
    public var work: Work
    /// The number of the array's element; nil where it is none.
    public var arrayNumber: Int64?
    /// The item of the array's element; nil where it is none.
    public var arrayItem: String?

    /// Describes the run of a hook.
    public init(
        operation: OperationID,
        attempt: UInt32,
        outcome: Outcome,
        worker: String?,
        name: String?,
        queue: String,
        work: Work,
        arrayNumber: Int64? = nil,
        arrayItem: String? = nil
    ) {
        self.operation = operation
        self.attempt = attempt
        self.outcome = outcome
        self.worker = worker
        self.name = name
        self.queue = queue
        self.work = work
        self.arrayNumber = arrayNumber
        self.arrayItem = arrayItem
    }
}

extension Work {
    /// The work of a completion hook of an operation with this work.
    ///
    /// It has the operation's environment, directory and timeout, so that one that hangs does not stand in the way of other
    /// hooks for longer than its operation could of others; without a timeout it may take as long as it likes. Its standard
    /// input is empty.
    ///
    /// - Parameter command: the program with its arguments, not empty.
    public func completionHook(_ command: [String]) -> Work {
        Work(.commands([command]), environment: environment, directory: directory, timeout: timeout)
    }
}
