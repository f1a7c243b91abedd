/// The run of an operation's completion hook, due once the operation is finished, with any outcome.
@_spi(Baton) public struct CompletionHook: Hashable, Sendable {
    /// The finished operation.
    public var operation: OperationID
    /// How many attempts the operation had.
    public var attempt: UInt32
    /// How it ended (`BATON_OUTCOME`).
    public var outcome: Outcome
    /// The worker of the last attempt, the first choice for the hook; nil if the operation never ran.
    public var worker: String?
    /// The operation's name, where it has one.
    public var name: String?
    /// Its queue.
    public var queue: String
    /// The work of the hook; see ``Work/completionHook(_:)``.
    public var work: Work
    /// The number of the array element; nil outside arrays.
    public var arrayNumber: Int64?
    /// The item of the array element; nil outside arrays.
    public var arrayItem: String?
    /// Whether a user asked for the end of the run: the hook does not run again.
    public var isCancelled = false

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

@_spi(Baton) extension Work {
    /// Returns the work of the completion hook of an operation with this work.
    ///
    /// The hook has the operation's environment, directory, timeout and grace period. A hook that hangs therefore blocks other hooks for no
    /// longer than its operation could block other operations; without a timeout the hook may take any time. Standard input is
    /// empty.
    ///
    /// - Parameter command: the program with its arguments, not empty.
    public func completionHook(_ command: [String]) -> Work {
        Work(
            .commands([command]),
            environment: environment,
            directory: directory,
            columns: columns,
            timeout: timeout,
            gracePeriod: gracePeriod
        )
    }
}
